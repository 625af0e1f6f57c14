"""Many clients at once, some of which leave: nothing leaks, and nobody else is touched. On real sockets."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from itertools import pairwise
from typing import Any

import pytest

from kiln_server.app import create_app
from kiln_server.backend import Generation, TokenEvent
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.service import Service
from tests.kiln_server.crowd import Answered, Visit, answered, crowd, request, some_visits
from tests.kiln_server.live import Live, read_all, serving, wait_until
from tests.kiln_server.services import ready_service


class Watched(MockBackend):
    """A mock backend that notes what was asked of it, and how many tokens were taken from it."""

    def __init__(self, script: dict[str, Any]) -> None:
        super().__init__(parse(script))
        self.jobs: list[Generation] = []
        self.num_taken = 0

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        self.jobs.append(job)
        return self._noted(super().generate(job))

    async def _noted(
        self, batches: AsyncGenerator[Sequence[TokenEvent], None]
    ) -> AsyncGenerator[Sequence[TokenEvent], None]:
        async with aclosing(batches):
            async for batch in batches:
                self.num_taken += len(batch)
                yield batch


class Scene:
    """A server, its backend, and what it holds while nobody asks anything."""

    def __init__(self, live: Live, service: Service, backend: Watched) -> None:
        self.live = live
        self.service = service
        self.backend = backend
        live.ask("GET", "/livez")
        live.client.close()
        wait_until(lambda: self._num_tasks() <= 3)
        self._tasks, self._files = self._num_tasks(), _num_files()

    def crowd(self, visits: list[Visit], **members: Any) -> list[Answered | None]:
        """All clients at once, on a loop of the test's own thread."""
        return asyncio.run(crowd(self.live.port, visits, **members))

    def require_empty(self) -> None:
        """Nothing is left of any request: no place, no work, no sequence, no task, no socket."""
        wait_until(lambda: not any(self._held()))
        wait_until(lambda: (self._num_tasks(), _num_files()) == (self._tasks, self._files))

    def _held(self) -> tuple[int, ...]:
        admission = self.service.admission
        places = (admission.running, admission.running_answers, admission.waiting, admission.waiting_tokens)
        return (*places, self.service.lifecycle.in_flight, self.backend.stats().running)

    def _num_tasks(self) -> int:
        async def count() -> int:
            return len(asyncio.all_tasks())

        return self.live.run(count)


def _num_files() -> int:
    return len(os.listdir("/dev/fd"))


@contextmanager
def scene(script: dict[str, Any], **settings: Any) -> Iterator[Scene]:
    backend = Watched(script)
    service = ready_service(backend, **settings)
    with serving(create_app(service)) as live:
        yield Scene(live, service, backend)


@pytest.mark.parametrize("places", [200, 60], ids=["all run", "most wait"])
def test_nobody_is_touched_by_those_who_leave_and_nothing_of_them_is_left(places: int) -> None:
    visits = some_visits(200, leaving=50, within_s=0.6, seed=places)
    with scene({"delay_ms": 4}, max_running_requests=places) as at:
        answers = at.crowd(visits)
        at.require_empty()
        for call, answer in zip(visits, answers, strict=True):
            assert call.leaves_after_s is not None or answer == Answered(200, call.text)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_the_backend_stops_when_the_client_is_gone(stream: bool) -> None:
    with scene({"delay_ms": 10, "answers": [["x"] * 3000]}) as at:
        assert at.crowd([Visit("go on", stream, leaves_after_s=0.2)]) == [None]
        at.require_empty()
        assert at.backend.num_taken < 100, "it worked on for a client that had left"


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_client_that_leaves_the_queue_is_never_worked_for(stream: bool) -> None:
    with scene({"delay_ms": 3, "answers": [["x"] * 200]}, max_running_requests=1) as at:
        first, second, third = (at.live.connect() for _ in range(3))
        with first, third:
            for place, (connection, text) in enumerate(((first, "A"), (second, "BB"), (third, "C"))):
                connection.sendall(request(text, stream=stream))
                wait_until(lambda: at.service.admission.running + at.service.admission.waiting == place + 1)  # noqa: B023
            second.close()
            wait_until(lambda: at.service.admission.waiting == 1)
            assert at.backend.stats().running == 1, "it left while the first was still running"
            assert [answered(read_all(each)).text for each in (first, third)] == ["x" * 200] * 2
        lengths = [len(job.prompt_ids) for job in at.backend.jobs]
        assert len(lengths) == 2, "B was worked for"
        assert lengths[0] == lengths[1]
        at.require_empty()


def test_leaving_at_any_point_before_and_in_the_queue_leaves_nothing() -> None:
    draw = random.Random(46)  # noqa: S311 - a test's dice
    visits = [Visit(f"{n}", n % 2 == 0, draw.expovariate(200)) for n in range(100)]
    with scene({"delay_ms": 1, "answers": [["x"] * 60]}, max_running_requests=1) as at:
        answers = at.crowd([*visits, Visit("stays", True), Visit("stays", False)])
        assert answers[-2:] == [Answered(200, "x" * 60)] * 2
        at.require_empty()


def test_a_slow_reader_holds_back_its_own_answer_and_nobody_elses() -> None:
    piece, count = "y" * 20_000, 600
    with scene({"delay_ms": 0.01, "answers": [[piece] * count, ["fast"]]}) as at:
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 131_072)
            slow.settimeout(20)
            slow.connect((at.live.host, at.live.port))
            slow.sendall(request("slow", stream=True))
            wait_until(lambda: at.backend.num_taken > 1)
            _wait_until_still(at.backend)
            assert at.backend.num_taken < count, "the whole answer was made for someone who reads nothing"
            # The script deals its answers in turn: every other one from here on is the long one, which we avoid.
            assert at.crowd([Visit("quick", True)]) == [Answered(200, "fast")]
            assert len(answered(read_all(slow)).text) == len(piece) * count
        at.require_empty()


def _wait_until_still(backend: Watched) -> None:
    """Wait until no token has been taken for a while."""
    seen = [-1] * 50

    def still() -> bool:
        seen.append(backend.num_taken)
        return all(before == after for before, after in pairwise(seen[-50:]))

    wait_until(still)
