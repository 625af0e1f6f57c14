"""Request ids, logs and counts of every answer, on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import structlog
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kiln_server.app import create_app
from kiln_server.edge.exchange import exchange_of
from kiln_server.errors import ApiError
from kiln_server.recent import MAX_BODY
from kiln_server.service import Service
from tests.kiln_server.live import Live, serving, wait_until
from tests.kiln_server.services import ready_service, route

PROMPT = "a secret prompt"
SHARED = Response(b"shared")


async def answer(request: Request) -> Response:
    await request.body()
    exchange = exchange_of(request)
    exchange.model, exchange.prompt_tokens, exchange.completion_tokens = "m", 3, 4
    return Response(PROMPT)


async def shared(_: Request) -> Response:
    return SHARED


async def stream(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"one"
        exchange_of(request).error_code = ApiError("stalled", "x").code
        yield b"two"

    return StreamingResponse(pieces())


ROUTES = [route("/work", answer), route("/shared", shared), route("/stream", stream)]


@pytest.fixture
def service() -> Service:
    return ready_service()


@pytest.fixture
def live(service: Service) -> Iterator[Live]:
    with serving(create_app(service, ROUTES)) as server:
        yield server


def logged(live: Live, *asked: Any, **parts: Any) -> dict[str, Any]:
    with structlog.testing.capture_logs() as logs:
        live.ask(*asked, **parts)
        wait_until(lambda: any(entry["event"] == "request" for entry in logs))
    (entry,) = (entry for entry in logs if entry["event"] == "request")
    return dict(entry)


def test_a_clients_request_id_comes_back(live: Live) -> None:
    for path in ("/work", "/nothing"):
        assert live.ask("GET", path, headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert live.ask("GET", "/work", headers={"x-request-id": "not mine"}).headers["x-request-id"].startswith("req_")


def test_a_shared_response_does_not_collect_headers(live: Live) -> None:
    for _ in range(3):
        answers = live.ask("GET", "/shared").headers.get_list("x-request-id")
        assert len(answers) == 1


def test_one_line_a_request(live: Live) -> None:
    entry = logged(live, "POST", "/work", body=b"{}", headers={"x-request-id": "r1"})
    assert isinstance(entry.pop("duration_ms"), float)
    assert entry == {
        "event": "request",
        "log_level": "info",
        "request_id": "r1",
        "method": "POST",
        "route": "/work",
        "status": 200,
        "outcome": "ok",
        "prompt_tokens": 3,
        "completion_tokens": 4,
    }


def test_the_line_of_a_refusal(live: Live) -> None:
    entry = logged(live, "GET", "/secret-path?token=secret")
    assert (entry["route"], entry["status"], entry["error"]) == ("unmatched", 404, "not_found")
    assert "secret" not in str(entry)


def test_nothing_that_a_client_wrote_is_logged(live: Live) -> None:
    headers = {"user-agent": "secret-agent", "x-request-id": "a secret", "x-other": "secret"}
    entry = logged(live, "POST", "/work?secret=1", body=b'{"secret":1}', headers=headers)
    assert "secret" not in str(entry)


def test_a_stream_that_fails_is_told_by_its_code(live: Live, service: Service) -> None:
    entry = logged(live, "GET", "/stream")
    assert (entry["status"], entry["outcome"], entry["error"]) == (200, "timeout", "stalled")
    assert service.recent.newest_first()[0].outcome == "timeout"


def test_only_work_is_kept_and_without_bodies(live: Live, service: Service) -> None:
    live.ask("POST", "/work", body=b"{}")
    live.ask("GET", "/v1/models")
    live.ask("GET", "/nothing")
    (kept,) = service.recent.newest_first()
    assert (kept.route, kept.model, kept.prompt_tokens) == ("/work", "m", 3)
    assert kept.response_body is None
    assert PROMPT not in str(kept)


def test_bodies_are_kept_when_that_is_asked_for() -> None:
    long = b"x" * (MAX_BODY + 10)
    service = ready_service(record_bodies=True)
    with serving(create_app(service, [*ROUTES, route("/long", long)])) as live:
        live.ask("POST", "/work", body=b"{}")
        live.ask("GET", "/stream")
        live.ask("GET", "/long")
        wait_until(lambda: len(service.recent.newest_first()) == 3)
    kept = {entry.route: entry.response_body for entry in service.recent.newest_first()}
    assert kept == {"/long": "x" * MAX_BODY + "…", "/stream": "onetwo", "/work": PROMPT}


def test_a_request_that_is_cut_off_is_reported_too() -> None:
    async def sleep(_: Request) -> Response:
        begun.append(True)
        await asyncio.sleep(60)
        return Response()

    begun: list[bool] = []
    service = ready_service()
    with serving(create_app(service, [route("/sleep", sleep)])) as live, live.connect() as connection:
        connection.sendall(b"GET /sleep HTTP/1.1\r\nhost: x\r\n\r\n")
        wait_until(lambda: bool(begun))
    (entry,) = service.recent.newest_first()
    assert entry.outcome == "cancelled"


def test_requests_in_flight_are_counted(live: Live) -> None:
    live.ask("POST", "/work", body=b"{}")
    text = live.client.get("/metrics").text
    assert "kiln_active_requests 0.0" in text
    assert 'kiln_requests_total{status="ok"} 1.0' in text
    assert 'kiln_http_requests_total{route="/work",status="200"} 1.0' in text
