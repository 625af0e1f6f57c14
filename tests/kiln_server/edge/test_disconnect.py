"""Work that ends when its client leaves, on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from starlette.requests import Request
from starlette.responses import Response

from kiln_server.app import create_app
from kiln_server.edge.disconnect import WhileConnected
from kiln_server.edge.exchange import CLIENT_GONE
from kiln_server.service import Service
from tests.kiln_server.live import Live, head_of, serving, wait_until
from tests.kiln_server.services import ready_service, route


class Work:
    """Handlers that wait until they are told to finish, and note how they ended."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended: list[str] = []
        self.seconds = 10.0
        self.timeout_s: float | None = None

    async def answer(self, request: Request) -> Response:
        await request.body()
        with WhileConnected(request.receive, self.timeout_s):
            return await self.work()

    async def work(self) -> Response:
        self.begun += 1
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        self.ended.append("done")
        return Response("answer")


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def service() -> Service:
    return ready_service()


@pytest.fixture
def live(work: Work, service: Service) -> Iterator[Live]:
    with serving(create_app(service, [route("/work", work.answer)])) as server:
        yield server


REQUEST = b"POST /work HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"


def test_the_work_ends_with_its_client(live: Live, work: Work, service: Service) -> None:
    with structlog.testing.capture_logs() as logs:
        with live.connect() as connection:
            connection.sendall(REQUEST)
            wait_until(lambda: work.begun == 1)
        wait_until(lambda: work.ended == ["cancelled"])
        wait_until(lambda: bool(service.recent.newest_first()))
    (entry,) = service.recent.newest_first()
    assert (entry.status, entry.outcome, entry.error_code) == (CLIENT_GONE, "cancelled", None)
    assert [(log["event"], log["log_level"]) for log in logs] == [("request", "info")]


def test_a_client_that_stays_is_answered(live: Live, work: Work) -> None:
    for work.seconds in (0.0, 0.05):  # before and after the watch has begun
        assert live.ask("POST", "/work", body=b"{}").text == "answer"
    assert work.ended == ["done", "done"]


def test_the_connection_serves_further_requests(live: Live, work: Work) -> None:
    work.seconds = 0.02
    with live.connect() as connection:
        for _ in range(3):
            connection.sendall(REQUEST)
            assert head_of(connection.recv(65536))[0] == 200


def test_a_next_request_in_the_pipe_is_no_departure(live: Live, work: Work) -> None:
    work.seconds = 0.05
    with live.connect() as connection:
        connection.sendall(REQUEST + REQUEST)
        received = b""
        while received.count(b"answer") < 2:
            received += connection.recv(65536)
    assert work.ended == ["done", "done"]


def test_nothing_is_left_running(live: Live, work: Work) -> None:
    work.seconds = 0.02
    for _ in range(20):
        live.ask("POST", "/work", body=b"{}")
    for _ in range(20):
        with live.connect() as connection:
            connection.sendall(REQUEST)
    wait_until(lambda: len(work.ended) == work.begun)

    async def watchers() -> int:
        await asyncio.sleep(0.05)
        return sum(task.get_name() == "disconnect" for task in asyncio.all_tasks())

    assert live.run(watchers) == 0


def test_the_watch_ends_with_the_work() -> None:
    async def never() -> Any:
        await asyncio.get_running_loop().create_future()

    async def run() -> set[str]:
        with WhileConnected(never):
            await asyncio.sleep(0.02)
        await asyncio.sleep(0)
        return {task.get_name() for task in asyncio.all_tasks()}

    assert "disconnect" not in asyncio.run(run())


def test_an_error_of_the_work_is_the_answer(live: Live, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> Response:
        await asyncio.sleep(0.02)
        raise ValueError

    monkeypatch.setattr(work, "work", fail)
    assert live.ask("POST", "/work", body=b"{}").status_code == 500


def test_work_that_takes_too_long_is_ended(live: Live, work: Work) -> None:
    work.timeout_s = 0.05
    answer = live.ask("POST", "/work", body=b"{}")
    assert answer.json()["error"]["code"] == "request_timeout"
    assert work.ended == ["cancelled"]


def test_work_in_time_is_answered(live: Live, work: Work) -> None:
    work.timeout_s, work.seconds = 5.0, 0.01
    assert live.ask("POST", "/work", body=b"{}").text == "answer"
