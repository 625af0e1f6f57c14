"""Requests that wait for a place, on a real socket."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import AsyncGenerator, Iterator, Sequence

import pytest

from kiln_contract import encode
from kiln_server.app import create_app
from kiln_server.backend import Generation, TokenEvent
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import Script
from kiln_server.service import Service
from tests.kiln_server.live import Live, serving, wait_until
from tests.kiln_server.services import ready_service

CHAT = "/v1/chat/completions"


class Counting(MockBackend):
    """A slow backend that notes whose prompts it computed."""

    def __init__(self) -> None:
        super().__init__(Script(answers=(("x",) * 200,), delay_ms=2))
        self.prompts: list[str] = []

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        self.prompts.append(job.request_id)
        return super().generate(job)


def request(name: str, *, stream: bool = False, max_tokens: int = 200) -> bytes:
    """The raw bytes of a request whose id is `name`."""
    body = encode({"messages": [{"role": "user", "content": "hi"}], "max_tokens": max_tokens, "stream": stream})
    head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\nx-request-id: {name}\r\ncontent-type: application/json\r\n"
    return head.encode() + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body


@pytest.fixture
def backend() -> Counting:
    return Counting()


@pytest.fixture
def service(backend: Counting) -> Service:
    return ready_service(backend, max_running_requests=1)


@pytest.fixture
def live(service: Service) -> Iterator[Live]:
    with serving(create_app(service)) as server:
        yield server


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_while_it_waits_is_never_served(
    live: Live, service: Service, backend: Counting, stream: bool
) -> None:
    admission = service.admission
    with live.connect() as a, live.connect() as c:
        a.sendall(request("a"))
        wait_until(lambda: admission.running == 1)
        with live.connect() as b:
            b.sendall(request("b", stream=stream))
            wait_until(lambda: admission.waiting == 1)
            c.sendall(request("c", max_tokens=1))
            wait_until(lambda: admission.waiting == 2)
        wait_until(lambda: admission.waiting == 1)
        assert admission.running == 1, "b has left while a still runs"
        assert b"200 OK" in c.recv(65536)
    wait_until(lambda: admission.running == 0)
    assert [name.partition("-")[0] for name in backend.prompts] == ["a", "c"]
    assert admission.waiting_tokens == 0


def test_clients_that_leave_at_any_point_leave_nothing_behind(live: Live, service: Service, backend: Counting) -> None:
    generator = random.Random(46)  # noqa: S311 - not for secrets

    def come_and_go(number: int) -> None:
        with live.connect() as connection:
            connection.sendall(request(f"r{number}", stream=number % 2 == 0))
            time.sleep(generator.random() * 0.02)

    threads = [threading.Thread(target=come_and_go, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    admission = service.admission
    wait_until(lambda: (admission.running, admission.waiting) == (0, 0))
    assert (admission.waiting_tokens, admission.running_answers) == (0, 0)
    wait_until(lambda: backend.stats().running == 0)
    wait_until(lambda: service.lifecycle.in_flight == 0)
    body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 1}
    assert live.ask("POST", CHAT, json=body).status_code == 200


def test_a_full_room_is_answered_429_with_the_time_to_try_again() -> None:
    service = ready_service(Counting(), max_running_requests=1, max_waiting_requests=1)
    with serving(create_app(service)) as live, live.connect() as a, live.connect() as b:
        a.sendall(request("a"))
        wait_until(lambda: service.admission.running == 1)
        b.sendall(request("b"))
        wait_until(lambda: service.admission.waiting == 1)
        answer = live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "hi"}]})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1


def test_waiting_too_long_is_answered_503() -> None:
    service = ready_service(Counting(), max_running_requests=1, queue_timeout_s=0.05)
    with serving(create_app(service)) as live, live.connect() as a:
        a.sendall(request("a"))
        wait_until(lambda: service.admission.running == 1)
        for stream in (False, True):
            body = {"messages": [{"role": "user", "content": "hi"}], "stream": stream}
            answer = live.ask("POST", CHAT, json=body)
            assert answer.json()["error"]["code"] == "queue_timeout"
