"""HTTP connections that do not wait for ever: uvicorn's protocol, with limits on how slowly a client may send.

A connection is always in one stage, by what the client owes:

| stage | the client owes | limit |
|---|---|---|
| HEAD | a whole request head, while no answer is under way | `header_timeout_s` in all |
| BODY | more of a request body | `body_stall_timeout_s` since the last piece, while the application takes them |
| REST | the rest of a body that was answered before it ended | `REST_TIMEOUT_S` in all |
| IDLE | the next request, if it likes | uvicorn's `timeout_keep_alive` |
| NOTHING | an answer is under way | none |

A head or trailer without end is limited in bytes as well. Whoever owes too long is told so with a 408 when no answer
has begun, and the connection closes.
"""

from __future__ import annotations

from asyncio import Event, TimerHandle, Transport
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import unquote

from httptools import parse_url
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from kiln_server.cycle import Cycle
from kiln_server.errors import ApiError

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

MAX_HEAD_BYTES: Final = 64 * 1024
REST_TIMEOUT_S: Final = 5.0

# The application's own limit answers first, with a request id; this one is for what the application does not await.
GRACE_S: Final = 1.0


class Stage(Enum):
    """What the client owes."""

    HEAD = auto()
    BODY = auto()
    REST = auto()
    IDLE = auto()
    NOTHING = auto()


class BoundedProtocol(HttpToolsProtocol):
    """One connection; `bounded` makes the class that has a server's limits.

    A request that arrives whole sets no timer, and whatever has a deadline of its own only moves the one there is.
    """

    header_timeout_s: ClassVar[float]
    body_stall_timeout_s: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stage = Stage.HEAD
        self._deadline = 0.0
        self._timer: TimerHandle | None = None
        self._moved = False
        """Whether the bytes at hand completed a part of the request."""
        self._num_unmoving_bytes = 0
        self._in_head = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # narrowed as uvicorn does
        super().connection_made(transport)
        self._owe(Stage.HEAD, self.header_timeout_s)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._moved = False
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._num_unmoving_bytes = 0 if self._moved else self._num_unmoving_bytes + len(data)
        if self._num_unmoving_bytes > MAX_HEAD_BYTES:
            self._refuse("invalid_request", f"The request's head or trailer is longer than {MAX_HEAD_BYTES} bytes.")
        elif self._stage is Stage.BODY and self._moved:
            self._owe(Stage.BODY, self.body_stall_timeout_s + GRACE_S)
        elif not self._answering and self._stage in (Stage.IDLE, Stage.NOTHING):
            # The first bytes of the next request.
            self._owe(Stage.HEAD, self.header_timeout_s)

    def on_message_begin(self) -> None:
        self._moved = True
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        # After the head it is a trailer: it must neither change what was routed nor pile up.
        if not self._in_head:
            return
        name = name.lower()
        self.headers.append((name, value))
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True

    def on_headers_complete(self) -> None:
        self._moved = True
        self._in_head = False
        self._stage = Stage.BODY
        self._read_head()
        is_answering = self._answering
        self.cycle = self._new_cycle()
        if is_answering:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))
            return
        self._start(self.cycle, self.app)

    # What uvicorn does when a head or an answer is complete, which has no place for a cycle or a timer of one's own.
    # Left out is what is never set here: WebSockets, a root path and a limit of connections.

    def _read_head(self) -> None:
        scope, url = self.scope, parse_url(self.url)
        path = url.path.decode("ascii")
        scope["method"] = self.parser.get_method().decode("ascii")
        scope["http_version"] = self.parser.get_http_version()
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = url.path
        scope["query_string"] = url.query or b""

    def _start(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start(*self.pipeline.pop())
        elif self._stage is Stage.BODY:
            self._owe(Stage.REST, REST_TIMEOUT_S)
        elif self._stage is Stage.NOTHING:
            self._owe(Stage.IDLE, self.timeout_keep_alive)

    def _new_cycle(self) -> Cycle:
        return Cycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=self.scope["http_version"] != "1.0" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )

    def on_body(self, body: bytes) -> None:
        self._moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._moved = True
        self._stage = Stage.NOTHING
        super().on_message_complete()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _owe(self, stage: Stage, limit_s: float) -> None:
        self._stage = stage
        self._deadline = self.loop.time() + limit_s
        if self._timer is None or self._timer.when() > self._deadline:
            self._wake_at_deadline()

    def _wake_at_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_at(self._deadline, self._check)

    def _check(self) -> None:
        """Act on the deadline, which may have moved, or lost its meaning, since the timer was set."""
        self._timer = None
        if self._stage is Stage.NOTHING or self.transport.is_closing():
            return
        if self._stage is Stage.BODY and self.flow.read_paused:
            # The application has not taken what came; the client's time starts when it does.
            self._owe(Stage.BODY, self.body_stall_timeout_s + GRACE_S)
        elif self.loop.time() < self._deadline:
            self._wake_at_deadline()
        else:
            self._expire()

    def _expire(self) -> None:
        if self._stage is Stage.BODY:
            self._refuse("request_timeout", f"No more of the body arrived for {self.body_stall_timeout_s:g} s.")
        elif self._in_head:
            self._refuse("request_timeout", f"The request's head did not arrive within {self.header_timeout_s:g} s.")
        else:  # answered already, or nothing was asked
            self._close()

    def _refuse(self, code: str, message: str) -> None:
        """Answer in the application's place, and close."""
        if self._answering and (self.cycle.response_started or self._stage is not Stage.BODY):
            self.transport.abort()
            return
        error = ApiError(code, message)
        body = error.body()
        head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[error.status] + head + body)
        self._close()

    def _close(self) -> None:
        self.transport.close()
        # Closing waits until the client has read what was written, which it may never do.
        self.loop.call_later(REST_TIMEOUT_S, self.transport.abort)


def bounded(header_timeout_s: float, body_stall_timeout_s: float) -> type[BoundedProtocol]:
    """The protocol class with these limits, in seconds, for uvicorn to make a connection's protocol from."""
    limits = {"header_timeout_s": header_timeout_s, "body_stall_timeout_s": body_stall_timeout_s}
    return type("BoundedProtocol", (BoundedProtocol,), limits)
