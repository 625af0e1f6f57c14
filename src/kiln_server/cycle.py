"""One request and its answer on a connection: uvicorn's, with as few writes as an answer needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

_UNUSUAL: Final = frozenset({b"connection", b"transfer-encoding"})
_NO_BODY: Final = frozenset({204, 304})


class Cycle(RequestResponseCycle):
    """Writes the same bytes as uvicorn's, but the head together with the first of the body.

    Every write is a system call, and wakes the client for the little that it holds. Whatever is unusual, or wrong, is
    left to uvicorn.
    """

    _head = b""
    """A head that is not written yet."""

    async def send(self, message: Any) -> None:
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        if message["type"] == "http.response.body" and self._takes_body:
            self._write(message.get("body", b""), more_body=message.get("more_body", False))
        elif message["type"] != "http.response.start" or not self._begin(message["status"], message.get("headers", ())):
            if self._head:
                self._write_out(b"")
            await super().send(message)

    @property
    def _takes_body(self) -> bool:
        return self.response_started and not self.response_complete and self.scope["method"] != "HEAD"

    def _begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Take in the head, if it is a usual one and in its place; returns whether it was."""
        headers = [*self.default_headers, *headers]
        fields = dict(headers)
        names = b"".join(fields)
        if self.response_started or not self.keep_alive or status in _NO_BODY or self.scope["method"] == "HEAD":
            return False
        if len(fields) < len(headers) or not _UNUSUAL.isdisjoint(fields) or not names.islower():
            return False
        if HEADER_RE.search(names) or HEADER_VALUE_RE.search(b"".join(fields.values())):
            return False
        length = fields.get(b"content-length")
        self.response_started = True
        self.waiting_for_100_continue = False
        self.chunked_encoding = length is None
        self.expected_content_length = int(length or 0)
        lines = [b"%b: %b\r\n" % field for field in headers]
        end = b"transfer-encoding: chunked\r\n\r\n" if length is None else b"\r\n"
        self._head = b"".join([STATUS_LINE[status], *lines, end])
        return True

    def _write(self, body: bytes, *, more_body: bool) -> None:
        if self.chunked_encoding:
            data = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            self._write_out(data if more_body else data + b"0\r\n\r\n")
        else:
            self._write_out(self._counted(body, more_body=more_body))
        if not more_body:
            self._complete()

    def _counted(self, body: bytes, *, more_body: bool) -> bytes:
        """A part of a body whose length was announced. Raises RuntimeError when it does not fit that."""
        left = self.expected_content_length - len(body)
        if left < 0 or (left and not more_body):
            raise RuntimeError(f"the body is {'longer' if left < 0 else 'shorter'} than its Content-Length")
        self.expected_content_length = left
        return body

    def _write_out(self, data: bytes) -> None:
        self.transport.write(self._head + data if self._head else data)
        self._head = b""

    def _complete(self) -> None:
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
