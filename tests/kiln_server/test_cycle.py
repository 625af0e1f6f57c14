"""The short ways write what uvicorn writes, and refuse what it refuses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from kiln_server.cycle import Cycle


class Wire:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def sent(
    kind: type[RequestResponseCycle],
    messages: list[dict[str, Any]],
    method: str,
    keep_alive: bool,
    wire: Wire | None = None,
    *,
    disconnected: bool = False,
    version: str = "1.1",
    default_headers: Sequence[tuple[bytes, bytes]] = ((b"date", b"today"),),
) -> Any:
    """Everything that can be seen of an answer: bytes, state, and how it failed."""
    wire = wire or Wire()

    async def send() -> tuple[str, RequestResponseCycle]:
        cycle = kind(
            scope={"type": "http", "method": method, "http_version": version},  # type: ignore[arg-type, typeddict-item]
            transport=wire,  # type: ignore[arg-type]
            flow=FlowControl(wire),  # type: ignore[arg-type]
            logger=logging.getLogger("test"),
            access_logger=logging.getLogger("test"),
            access_log=False,
            default_headers=list(default_headers),
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=keep_alive,
            on_response=lambda: None,
        )
        cycle.disconnected = disconnected
        try:
            for message in messages:
                await cycle.send(message)  # type: ignore[arg-type]
        except Exception as error:
            return type(error).__name__, cycle
        return "", cycle

    failure, cycle = asyncio.run(send())
    return wire.written, wire.closed, failure, cycle.response_started, cycle.response_complete, cycle.chunked_encoding


def head(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def part(body: bytes, more_body: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more_body}


TYPE = (b"content-type", b"application/json")
TWO = (b"content-length", b"2")


@pytest.mark.parametrize("method", ["POST", "HEAD"])
@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize(
    "messages",
    [
        [head(TYPE, TWO), part(b"{}")],
        [head(TWO), part(b"{", True), part(b"}")],
        [head(TYPE), part(b"one", True), part(b"", True), part(b"two", True), part(b"")],
        [head(TYPE), part(b"one", True), part(b"last")],
        [head(status=204), part(b"")],
        [head((b"Content-Length", b"2")), part(b"{}")],
        [head(TWO, (b"connection", b"close")), part(b"{}")],
        [head((b"transfer-encoding", b"chunked")), part(b"a", True), part(b"")],
        [head(TYPE, (b"set-cookie", b"a"), (b"set-cookie", b"b")), part(b"")],
        [head((b"bad name", b"x")), part(b"")],
        [head((b"x", b"bad\r\nvalue")), part(b"")],
        [head((b"x%d%%", b"100%")), part(b"")],
        [head(TWO), part(b"too long")],
        [head(TWO), part(b"")],
        [part(b"no head")],
        [head(TYPE), head(TYPE)],
        [head(TYPE), part(b""), part(b"after the end")],
        [head(TYPE), part(b""), part(b"after the end", True)],
    ],
)
def test_the_same_as_uvicorns(messages: list[dict[str, Any]], method: str, keep_alive: bool) -> None:
    (ours, *state), (theirs, *their_state) = (
        sent(kind, messages, method, keep_alive) for kind in (Cycle, RequestResponseCycle)
    )
    assert state == their_state
    # What breaks off may have written less: a head waits for the first of its body.
    assert ours == theirs if not state[1] else theirs.startswith(ours)


def test_a_whole_answer_is_one_write() -> None:
    writes = []
    wire = Wire()
    wire.write = writes.append  # type: ignore[method-assign]
    for messages, expected in (
        ([head(TYPE, TWO), part(b"{}")], 1),
        ([head(TYPE), part(b"one", True), part(b"two", True), part(b"")], 3),
    ):
        writes.clear()
        sent(Cycle, messages, "POST", True, wire)
        assert len(writes) == expected


@pytest.mark.parametrize("kind", [Cycle, RequestResponseCycle])
def test_a_head_may_have_no_fields(kind: type[RequestResponseCycle]) -> None:
    wire = Wire()
    sent(kind, [head(), part(b"x")], "POST", True, wire, default_headers=[])
    assert wire.written == b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"


@pytest.mark.parametrize("kind", [Cycle, RequestResponseCycle])
def test_nothing_is_written_to_a_client_that_left(kind: type[RequestResponseCycle]) -> None:
    wire = Wire()
    sent(kind, [head(TYPE), part(b"x", True)], "POST", True, wire, disconnected=True)
    assert wire.written == b""


@pytest.mark.parametrize("method", ["POST", "HEAD"])
@pytest.mark.parametrize(
    "messages",
    [
        [head(TYPE, TWO), part(b"{}")],
        [head((b"Content-Length", b"2")), part(b"{", True), part(b"}")],
        [head(TWO), part(b"too long")],
        [head(TWO), part(b"")],
        [head(status=204), part(b"")],
    ],
)
def test_the_same_as_uvicorns_in_http_1_0_when_the_length_is_known(messages: list[dict[str, Any]], method: str) -> None:
    ours, theirs = (sent(kind, messages, method, False, version="1.0")[:3] for kind in (Cycle, RequestResponseCycle))
    assert ours == theirs
