"""The end of a drain, on a real socket: whoever is still there learns why, in the words of every other error."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from kiln_server.app import create_app
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.service import Service
from tests.kiln_server.live import Live, body_of, head_of, serving, wait_until
from tests.kiln_server.routes.scripted import BATCH, CHAT, HELLO
from tests.kiln_server.services import ready_service
from tests.kiln_server.traffic import check_error

SLOW = {"answers": [["x"] * 1000], "delay_ms": 20}
WHOLE = {"messages": HELLO}
WORK = {"chat": (CHAT, WHOLE), "choices": (CHAT, {**WHOLE, "n": 2}), "batch": (BATCH, {"prompts": [HELLO]})}


@pytest.fixture
def service() -> Service:
    return ready_service(MockBackend(parse(SLOW)), max_running_requests=1)


@pytest.fixture
def live(service: Service) -> Iterator[Live]:
    with serving(create_app(service)) as running:
        yield running


@contextmanager
def asking(live: Live, path: str, request: Any) -> Iterator[Future[httpx2.Response]]:
    """Ask in another thread."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(live.ask, "POST", path, json=request)


def begin_drain(live: Live, service: Service) -> None:
    async def begin() -> None:
        service.lifecycle.begin_drain()

    live.run(begin)


def cut_off(live: Live, service: Service) -> None:
    async def cut() -> None:
        service.lifecycle.cut_off()

    live.run(cut)


def assert_draining(status: int, headers: dict[str, str], body: bytes) -> None:
    assert (status, check_error(status, headers, body)["code"]) == (503, "draining")
    assert headers["retry-after"] == "1"


@pytest.mark.parametrize("kind", WORK)
def test_work_that_is_cut_off_is_answered(live: Live, service: Service, kind: str) -> None:
    with asking(live, *WORK[kind]) as asked:
        wait_until(lambda: service.backend.stats().running > 0)
        begin_drain(live, service)
        cut_off(live, service)
        answer = asked.result()
    assert_draining(answer.status_code, dict(answer.headers), answer.content)
    wait_until(lambda: service.lifecycle.in_flight == service.backend.stats().running == service.admission.running == 0)
    assert service.recent.newest_first()[0].error_code == "draining"


@pytest.mark.parametrize("stream", [False, True])
def test_who_waits_for_a_place_is_answered(live: Live, service: Service, stream: bool) -> None:
    with asking(live, CHAT, WHOLE):
        wait_until(lambda: service.admission.running == 1)
        with asking(live, CHAT, {**WHOLE, "stream": stream}) as waiting:
            wait_until(lambda: service.admission.waiting == 1)
            begin_drain(live, service)
            cut_off(live, service)
            answer = waiting.result()
    assert_draining(answer.status_code, dict(answer.headers), answer.content)


def test_a_stream_ends_with_the_error_and_done(live: Live, service: Service) -> None:
    with asking(live, CHAT, {**WHOLE, "stream": True}) as asked:
        wait_until(lambda: service.backend.stats().running > 0)
        begin_drain(live, service)
        cut_off(live, service)
        events = asked.result().text.split("\n\n")
    assert '"code":"draining"' in events[-3]
    assert events[-2:] == ["data: [DONE]", ""]
    wait_until(lambda: service.lifecycle.in_flight == 0)
    assert service.recent.newest_first()[0].error_code == "draining"


@pytest.mark.parametrize("is_draining", [False, True])
def test_a_body_that_is_still_on_its_way_is_refused_when_the_drain_begins(
    live: Live, service: Service, is_draining: bool
) -> None:
    """Half a request is no work that a drain waits for."""
    head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{{"
    if is_draining:
        begin_drain(live, service)
    with socket.create_connection((live.host, live.port), timeout=20) as client:
        client.sendall(head.encode())
        if not is_draining:
            wait_until(lambda: bool(service.lifecycle.num_waiting))
            begin_drain(live, service)
        answer = client.recv(65536)
    assert_draining(*head_of(answer), body_of(answer))
