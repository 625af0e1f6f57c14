"""One request and its answer on a connection: uvicorn's, with as few writes as an answer needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

from kiln_server.errors import unforeseen

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

_UNUSUAL: Final = frozenset({b"connection", b"transfer-encoding"})
_LENGTH: Final = b"content-length"
_NO_BODY: Final = frozenset({204, 304})


UNREAD_S: Final = 60.0
"""How long a client may leave unread what fills its buffers, before the connection is cut. Seconds."""

CLOSING_S: Final = 5.0
"""How long it may take to read the end of an answer that broke off."""


class Cycle(RequestResponseCycle):
    """Writes the same bytes as uvicorn's, but the head together with the first of the body.

    Every write is a system call, and wakes the client for the little that it holds. Whatever is unusual, or wrong, is
    left to uvicorn. Nobody waits for ever for a client that does not read.
    """

    _head = b""
    """A head that is not written yet."""
    _takes_body = False
    """Whether the head was a usual one, and the body is not whole yet."""
    _ends_by_closing = False
    """Whether the body's length is told by nothing but the end of the connection."""

    def disconnect(self) -> None:
        """Tell the application that the client has left, and drop what it still sends."""
        if not self.response_complete:
            self.disconnected = True
        self.message_event.set()

    async def run_asgi(self, app: ASGI3Application) -> None:
        await super().run_asgi(app)
        if self.response_started and not self.response_complete:
            # It is being closed, which waits until the client has read what was written.
            asyncio.get_running_loop().call_later(CLOSING_S, self.transport.abort)

    async def send(self, message: Any) -> None:
        if self.flow.write_paused and not self.disconnected:
            await self._drained()
        if self.disconnected:
            return
        if self._takes_body and message["type"] == "http.response.body":
            self._write(message.get("body", b""), more_body=message.get("more_body", False))
        elif message["type"] != "http.response.start" or not self._begin(message["status"], message.get("headers", ())):
            if self._head:
                self.transport.write(self._taken_head())
            if self.scope["http_version"] == "1.0":
                self._unframe(message)
            await super().send(message)

    async def _drained(self) -> None:
        patience = asyncio.get_running_loop().call_later(UNREAD_S, self.transport.abort)
        try:
            await self.flow.drain()
        finally:
            patience.cancel()

    def _unframe(self, message: Any) -> None:
        """Keep uvicorn from sending chunks, of which HTTP/1.0 knows nothing (RFC 9112, section 6.1)."""
        if message["type"] == "http.response.start":
            names = [name.lower() for name, _ in (*self.default_headers, *message.get("headers", ()))]
            self._ends_by_closing = _LENGTH not in names
        if self._ends_by_closing:
            self.chunked_encoding = False
            # uvicorn counts down from here: every part of the body is as long as it is.
            self.expected_content_length = len(message.get("body", b""))

    async def send_500_response(self) -> None:
        """Answer for an application that failed without an answer."""
        error = unforeseen()
        body = error.body()
        fields = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        fields.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": error.status, "headers": fields})
        await self.send({"type": "http.response.body", "body": body})

    def _begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Take in the head, if it is a usual one and in its place; returns whether it was."""
        fields = [*self.default_headers, *headers]
        if self.response_started or not fields or not self.keep_alive:
            return False
        if status in _NO_BODY or self.scope["method"] == "HEAD":
            return False
        names, values = zip(*fields, strict=True)
        layout = _layout(names)
        if layout is None or HEADER_VALUE_RE.search(b"".join(values)):
            return False
        self.response_started = self._takes_body = True
        self.waiting_for_100_continue = False
        self.chunked_encoding = _LENGTH not in names
        self.expected_content_length = 0 if self.chunked_encoding else int(values[names.index(_LENGTH)])
        self._head = STATUS_LINE[status] + layout % values
        return True

    def _write(self, body: bytes, *, more_body: bool) -> None:
        if self.chunked_encoding:
            data = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            if not more_body:
                data += b"0\r\n\r\n"
        else:
            data = self._counted(body, more_body=more_body)
        self.transport.write(self._taken_head() + data if self._head else data)
        if not more_body:
            self._complete()

    def _counted(self, body: bytes, *, more_body: bool) -> bytes:
        """A part of a body whose length was announced. Raises RuntimeError when it does not fit that."""
        left = self.expected_content_length - len(body)
        if left < 0 or (left and not more_body):
            raise RuntimeError(f"the body is {'longer' if left < 0 else 'shorter'} than its Content-Length")
        self.expected_content_length = left
        return body

    def _taken_head(self) -> bytes:
        head, self._head = self._head, b""
        return head

    def _complete(self) -> None:
        self._takes_body = False
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()


@lru_cache(maxsize=64)
def _layout(names: tuple[bytes, ...]) -> bytes | None:
    """The lines of a head with these names, to be filled with their values; None when a name is unusual or wrong.

    Answers differ in their values, hardly ever in the names.
    """
    all_names = b"".join(names)
    if len(set(names)) < len(names) or not _UNUSUAL.isdisjoint(names):
        return None
    if not all_names.islower() or HEADER_RE.search(all_names):
        return None
    end = b"" if _LENGTH in names else b"transfer-encoding: chunked\r\n"
    return b"".join([name.replace(b"%", b"%%") + b": %b\r\n" for name in names]) + end + b"\r\n"
