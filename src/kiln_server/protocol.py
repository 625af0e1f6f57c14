"""HTTP connections that do not wait for ever: uvicorn's protocol, with limits on how slowly a client may send.

A connection is always in one stage, by what the client owes:

| stage | the client owes | limit |
|---|---|---|
| HEAD | a whole request head, while no answer is under way | `header_timeout_s` in all |
| BODY | more of a request body | `body_stall_timeout_s` since the last piece, while the application takes them |
| REST | the rest of a body that was answered before it ended | `REST_TIMEOUT_S` in all |
| IDLE | the next request, if it likes | uvicorn's `timeout_keep_alive`: the setting `idle_timeout_s` |
| NOTHING | an answer is under way | none |

A head or trailer is limited in bytes as well. Whoever owes too long, or sends what is no request, is told so in the
application's place, unless its answer has begun, and the connection closes.

A client may send requests ahead of their turn. Reading goes on while one is answered, because only who reads learns
that the client has left. What arrives behind a request that waits is kept as it is; past `MAX_AHEAD_BYTES` of it,
reading waits too, and a departure shows in writing only.
"""

from __future__ import annotations

from asyncio import Event, TimerHandle, Transport
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import unquote

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserInvalidURLError,
    HttpParserUpgrade,
    HttpRequestParser,
    parse_url,
)
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from kiln_server.cycle import Cycle
from kiln_server.errors import ApiError, unforeseen

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

MAX_HEAD_BYTES: Final = 64 * 1024
"""Of a head as everyone writes it, with one space after each colon; without its end, of one with whatever spaces."""

MAX_AHEAD_BYTES: Final = 64 * 1024

_PART_BYTES: Final = 16 * 1024
"""The most that is parsed at once: what is parsed together cannot be told to wait."""

REST_TIMEOUT_S: Final = 5.0

# The application's own limit answers first, with a request id; this one is for what the application does not await.
GRACE_S: Final = 1.0

_VERSIONS: Final = frozenset({"1.0", "1.1"})


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
        """Whether the bytes at hand completed a part of a request."""
        self._num_bytes = 0
        """Bytes from the last ones that completed a part on, these included: a head under way has no more."""
        self._num_moving_bytes = 0
        """How many those were: without them, a head or trailer under way has no less."""
        self._in_head = False
        self._turn: Cycle | None = None
        """The request that is answered, or was last; `cycle` is the one that came last."""
        self._ahead = bytearray()
        """What arrived behind a request that waits for its turn."""
        self._refusal: ApiError | None = None
        """Ends the connection when what came before it is answered; nothing that comes after can be told apart."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # narrowed as uvicorn does
        super().connection_made(transport)
        self._owe(Stage.HEAD, self.header_timeout_s)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._turn is not None:
            self._turn.disconnect()
        super().connection_lost(exc)
        self.pipeline.clear()
        self._ahead.clear()

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            return
        if not self.pipeline and len(data) <= _PART_BYTES:
            self._take(data)
            return
        view = memoryview(data)
        for start in range(0, len(data), _PART_BYTES):
            if self.pipeline:
                self._keep(view[start:])
                return
            self._take(view[start : start + _PART_BYTES])
            if self._refusal is not None or self.transport.is_closing():
                return

    def _keep(self, data: memoryview) -> None:
        self._ahead += data
        # Not by `flow`, which lets the application's waiting for a departure resume it.
        if len(self._ahead) > MAX_AHEAD_BYTES:
            self.transport.pause_reading()

    def _take(self, data: bytes | memoryview) -> None:
        self._moved = False
        self._num_bytes += len(data)
        try:
            self._parse(data)
        except HttpParserError as error:
            self._refuse(self._as_api_error(error))
            return
        if self._moved:
            self._num_bytes = self._num_moving_bytes = len(data)
        elif self._num_bytes - self._num_moving_bytes > MAX_HEAD_BYTES:
            self._refuse(_too_long())
            return
        if self._stage is Stage.BODY:
            if self._moved:
                self._owe(Stage.BODY, self.body_stall_timeout_s + GRACE_S)
        elif not self._answering and self._stage in (Stage.IDLE, Stage.NOTHING):
            # The first bytes of the next request.
            self._owe(Stage.HEAD, self.header_timeout_s)

    def _parse(self, data: bytes | memoryview) -> None:
        """Raises HttpParserError, whose context is what a method below raised."""
        while data:
            try:
                self.parser.feed_data(data)
                return
            except HttpParserUpgrade as stop:
                num_read = stop.args[0]
            # Not in the handler, which would be the context.
            self._read_without_upgrade()
            data = data[num_read:]

    def _read_without_upgrade(self) -> None:
        """Read the head at hand once more, as if it did not ask for another protocol, which a server may ignore.

        The parser takes an upgrade for the end of all HTTP, and skips the body.
        """
        fields = [b"%b: %b\r\n" % field for field in self.headers if field[0] != b"upgrade"]
        version = self.parser.get_http_version().encode()
        head = b"%b %b HTTP/%b\r\n%b\r\n" % (self.parser.get_method(), self.url, version, b"".join(fields))
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self.parser.feed_data(head)

    def _as_api_error(self, error: HttpParserError) -> ApiError:
        """What the parser stopped at: something that is no HTTP, or what a method below raised."""
        if not isinstance(error, HttpParserCallbackError):
            return _not_http(str(error))
        cause = error.__context__
        if isinstance(cause, ApiError):
            return cause
        self.logger.error("A request's head could not be read.", exc_info=cause)
        return unforeseen()

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
        if self.parser.should_upgrade():
            self._note_upgrade()
            return
        self._read_head()
        self._in_head = False
        self._stage = Stage.BODY
        is_answering = self._answering
        self.cycle = cycle = self._new_cycle()
        if is_answering:
            self.pipeline.appendleft((cycle, self.app))
        else:
            self._start(cycle, self.app)

    # What uvicorn does when a part of a request, or an answer, is complete, which has no place for a cycle or a timer
    # of one's own. Left out is what is never set here: WebSockets, a root path and a limit of connections.

    def _note_upgrade(self) -> None:
        """Nothing is done before the head has been read again; a tunnel is another matter. Raises ApiError."""
        if self.parser.get_method() == b"CONNECT":
            raise ApiError("invalid_request", "CONNECT asks for a tunnel, which this server does not offer.")

    def _read_head(self) -> None:
        """Complete the scope. Raises ApiError."""
        scope, version = self.scope, self.parser.get_http_version()
        if version not in _VERSIONS:
            raise _not_http("Unknown HTTP version")
        if self._num_bytes > MAX_HEAD_BYTES // 2 and self._head_size() > MAX_HEAD_BYTES:
            raise _too_long()
        try:
            url = parse_url(self.url)
        except HttpParserInvalidURLError:
            raise ApiError("invalid_request", "The request's target is not a valid URL.") from None
        raw_path = url.path or b"/"
        path = raw_path.decode("ascii")  # the parser lets nothing else through
        scope["method"] = self.parser.get_method().decode("ascii")
        scope["http_version"] = version
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = raw_path
        scope["query_string"] = url.query or b""

    def _head_size(self) -> int:
        """Bytes of the head, however it was written and in whatever pieces it came."""
        fields = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(self.parser.get_method()) + len(self.url) + len(b"  HTTP/1.1\r\n") + fields + len(b"\r\n")

    def _start(self, cycle: Any, app: ASGI3Application) -> None:
        self._turn = cycle
        task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_next()
        elif self._refusal is not None:
            self._reply(self._refusal)
        elif self._stage is Stage.BODY:
            self._owe(Stage.REST, REST_TIMEOUT_S)
        elif self._in_head:
            self._owe(Stage.HEAD, self.header_timeout_s)
        elif self._stage is Stage.NOTHING:
            self._owe(Stage.IDLE, self.timeout_keep_alive)

    def _start_next(self) -> None:
        self._start(*self.pipeline.pop())
        if not self.pipeline and self._stage is Stage.BODY:
            self._owe(Stage.BODY, self.body_stall_timeout_s + GRACE_S)
        if not self.pipeline and self._ahead:
            ahead, self._ahead = bytes(self._ahead), bytearray()
            self.transport.resume_reading()
            self.data_received(ahead)

    def _new_cycle(self) -> Cycle:
        is_old = self.scope["http_version"] == "1.0"
        return Cycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=Event(),
            expect_100_continue=self.expect_100_continue and not is_old,
            keep_alive=not is_old and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )

    def on_body(self, body: bytes) -> None:
        self._moved = True
        cycle = self.cycle
        if cycle.response_complete:
            return
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        if self._in_head:
            return  # of an upgrade
        self._moved = True
        self._stage = Stage.NOTHING
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.more_body = False
            cycle.message_event.set()

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
        if self._stage is Stage.BODY and (self.flow.read_paused or self.pipeline):
            # The application has not taken what came; the client's time starts when it does.
            self._owe(Stage.BODY, self.body_stall_timeout_s + GRACE_S)
        elif self.loop.time() < self._deadline:
            self._wake_at_deadline()
        else:
            self._expire()

    def _expire(self) -> None:
        if self._stage is Stage.BODY:
            message = f"No more of the body arrived for {self.body_stall_timeout_s:g} s."
            self._refuse(ApiError("request_timeout", message))
        elif self._in_head:
            message = f"The request's head did not arrive within {self.header_timeout_s:g} s."
            self._refuse(ApiError("request_timeout", message))
        else:  # answered already, or nothing was asked
            self._close()

    def _refuse(self, error: ApiError) -> None:
        """Answer what came last in the application's place, in its turn, and close."""
        if self._stage is Stage.REST:
            self._close()  # it has its answer
        elif not self._answering:
            self._reply(error)
        elif self._stage is Stage.BODY and not self.pipeline:
            self._break_off(error)
        else:
            if self._stage is Stage.BODY:
                self.pipeline.popleft()
            self._stage = Stage.NOTHING
            self._refusal = error

    def _break_off(self, error: ApiError) -> None:
        """Take the request whose turn it is from the application."""
        if self.cycle.response_started:
            self.transport.abort()
            return
        if self._turn is not None:
            self._turn.disconnect()
        self._reply(error)

    def _reply(self, error: ApiError) -> None:
        body = error.body()
        fields = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        head = b"".join([b"%b: %b\r\n" % field for field in fields])
        self.transport.write(STATUS_LINE[error.status] + head + b"\r\n" + body)
        self._close()

    def _close(self) -> None:
        self.transport.close()
        # Closing waits until the client has read what was written, which it may never do.
        self.loop.call_later(REST_TIMEOUT_S, self.transport.abort)


def _not_http(reason: str) -> ApiError:
    """For what cannot be read; `reason` never repeats what the client sent."""
    return ApiError("invalid_request", f"This server speaks HTTP/1.1 and HTTP/1.0, and this is neither: {reason}.")


def _too_long() -> ApiError:
    return ApiError("invalid_request", f"The request's head or trailer is longer than {MAX_HEAD_BYTES} bytes.")


def bounded(header_timeout_s: float, body_stall_timeout_s: float) -> type[BoundedProtocol]:
    """The protocol class with these limits, in seconds, for uvicorn to make a connection's protocol from."""
    limits = {"header_timeout_s": header_timeout_s, "body_stall_timeout_s": body_stall_timeout_s}
    return type("BoundedProtocol", (BoundedProtocol,), limits)
