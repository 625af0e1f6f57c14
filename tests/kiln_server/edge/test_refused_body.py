"""Bodies that are refused while they arrive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from kiln_server.app import create_app
from kiln_server.edge import refused_body
from kiln_server.edge.exchange import begin_exchange
from kiln_server.edge.refused_body import discard_rest, must_close, must_linger
from tests.kiln_server.live import Live, head_of, read_all, serving
from tests.kiln_server.services import ready_service


@pytest.fixture
def live() -> Iterator[Live]:
    with serving(create_app(ready_service())) as server:
        yield server


def decisions(body: str = "unread", **headers: str) -> tuple[bool, bool]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    exchange = begin_exchange({"type": "http", "method": "POST", "headers": pairs}, "/")
    exchange.body = body  # type: ignore[assignment]
    return must_close(exchange), must_linger(exchange)


def test_what_an_unread_body_means_for_the_connection() -> None:
    assert decisions() == (False, False)
    assert decisions(content_length="0") == (False, False)
    assert decisions(content_length="65536") == (False, False)
    assert decisions(content_length="65537") == (True, True)
    assert decisions(transfer_encoding="chunked") == (True, True)
    assert decisions("read", transfer_encoding="chunked") == (False, False)
    assert decisions(content_length="65537", expect="100-continue") == (True, False)
    assert decisions(content_length="1", expect="100-continue") == (True, False)
    assert decisions("begun", content_length="65537", expect="100-continue") == (True, True)


def test_a_small_refused_body_leaves_the_connection_open(live: Live) -> None:
    request = b"POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n"
    with live.connect() as connection:
        for _ in range(3):
            connection.sendall(request + b"x" * 60000)
            status, headers = head_of(connection.recv(65536))
            assert status == 404
            assert "connection" not in headers


def test_an_endless_body_is_answered_at_once_and_then_cut_off(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_body, "MAX_DISCARDED", 1_000_000)
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with live.connect() as connection:
        connection.sendall(b"POST /nothing HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n" + chunk)
        assert head_of(connection.recv(65536))[0] == 404
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            connection.sendall(chunk * 1000)


def test_a_client_that_pauses_is_not_waited_for(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_body, "PAUSE_S", 0.05)
    began = time.monotonic()
    answer = live.raw(b"POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nx")
    assert head_of(answer)[0] == 404
    assert time.monotonic() - began < 4


def test_a_client_that_trickles_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_body, "TOTAL_S", 0.1)

    async def trickle() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    began = time.monotonic()
    asyncio.run(discard_rest(trickle, send))
    assert 0.1 <= time.monotonic() - began < 2
    assert sent == [{"type": "http.response.body", "body": b"", "more_body": False}]


def test_what_is_logged_does_not_wait_for_the_rest(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(b"POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 70000\r\n\r\nx")
        assert head_of(connection.recv(65536))[0] == 404
        metrics = live.client.get("/metrics").text
        assert 'kiln_http_requests_total{route="unmatched",status="404"} 1.0' in metrics
        connection.sendall(b"x" * 69999)
        assert read_all(connection) == b""
