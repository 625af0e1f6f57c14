"""Who runs, who waits and who is turned away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_server import admission as module
from kiln_server.admission import MAX_RETRY_S, Admission
from kiln_server.errors import ApiError


def rooms(running: int = 1, waiting: int = 10, tokens: int = 1000, timeout_s: float = 10.0) -> Admission:
    return Admission(
        max_running_requests=running,
        max_waiting_requests=waiting,
        max_waiting_tokens=tokens,
        queue_timeout_s=timeout_s,
    )


def rooms_taken() -> Admission:
    """With an empty waiting room, and no place to run."""
    return rooms(running=0, tokens=100)


Log = list[str]
"""Names of requests in the order in which they began to run."""


class Client:
    """A request that runs until it is told to finish."""

    def __init__(self, admission: Admission, log: Log, name: str, num_tokens: int = 1, answers: int = 1) -> None:
        self.finish = asyncio.Event()
        self.waited_ns = -1
        self._admission = admission
        self._log = log
        self._name = name
        self._num_tokens = num_tokens
        self._answers = answers
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self._admission.admit(self._num_tokens, self._answers) as ticket:
            self.waited_ns = ticket.waited_ns
            self._log.append(self._name)
            await self.finish.wait()


async def settle() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


def is_empty(admission: Admission) -> bool:
    counts = (admission.running, admission.running_answers, admission.waiting, admission.waiting_tokens)
    return counts == (0, 0, 0, 0)


def scenario(story: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def test() -> None:
        asyncio.run(asyncio.wait_for(story(), 20))

    test.__name__ = story.__name__
    test.__doc__ = story.__doc__
    return test


@scenario
async def test_first_come_first_served() -> None:
    admission, log = rooms(running=2), Log()
    clients = [Client(admission, log, name, num_tokens=5, answers=3) for name in "abcde"]
    await settle()
    assert log == ["a", "b"]
    assert (admission.running, admission.running_answers) == (2, 6)
    assert (admission.waiting, admission.waiting_tokens) == (3, 15)
    for done, expected in ((1, "abc"), (0, "abcd"), (2, "abcde")):
        clients[done].finish.set()
        await settle()
        assert "".join(log) == expected
        assert admission.running == 2
    for client in clients:
        client.finish.set()
        await client.task
    assert is_empty(admission)


@scenario
async def test_a_newcomer_does_not_overtake() -> None:
    """A place is given to the one who waits, even before that one has run again."""
    admission, log = rooms(), Log()
    first = Client(admission, log, "first")
    await settle()
    waiter = Client(admission, log, "waiter")
    await settle()
    first.finish.set()
    await first.task
    newcomer = Client(admission, log, "newcomer")
    await settle()
    assert log == ["first", "waiter"]
    for client in (waiter, newcomer):
        client.finish.set()
        await client.task
    assert is_empty(admission)


@scenario
async def test_the_waiting_room_has_bounds() -> None:
    admission, log = rooms(waiting=2, tokens=100), Log()
    running = Client(admission, log, "running", num_tokens=10_000)  # what runs does not count as waiting
    await settle()
    waiting = [Client(admission, log, "w1", num_tokens=60)]
    await settle()
    await refused(admission, "queue_full", num_tokens=41)
    waiting.append(Client(admission, log, "w2", num_tokens=40))
    await settle()
    await refused(admission, "queue_full", num_tokens=0)
    assert "a prompt of 101 tokens may not wait: 100 may" in (await refused(rooms_taken(), "queue_full", 101)).message
    assert (admission.waiting, admission.waiting_tokens) == (2, 100)
    for client in (running, *waiting):
        client.finish.set()
        await client.task
    assert is_empty(admission)


async def refused(admission: Admission, code: str, num_tokens: int = 1) -> ApiError:
    with pytest.raises(ApiError) as caught:
        async with admission.admit(num_tokens):
            pass
    assert caught.value.code == code
    assert 1 <= int(caught.value.headers["retry-after"]) <= MAX_RETRY_S
    return caught.value


@scenario
async def test_without_a_waiting_room_there_is_only_now() -> None:
    admission, log = rooms(waiting=0), Log()
    assert admission.refusal() is None
    client = Client(admission, log, "a")
    await settle()
    await refused(admission, "queue_full")
    assert admission.refusal() is not None
    client.finish.set()
    await client.task
    assert admission.refusal() is None


@scenario
async def test_waiting_has_a_deadline() -> None:
    admission, log = rooms(timeout_s=0.05), Log()
    running = Client(admission, log, "running")
    await settle()
    error = await refused(admission, "queue_timeout")
    assert "0.05 s" in error.message
    assert (admission.waiting, admission.waiting_tokens, admission.running) == (0, 0, 1)
    running.finish.set()
    await running.task
    assert is_empty(admission)


@scenario
async def test_how_long_a_request_waited_is_known() -> None:
    admission, log = rooms(), Log()
    first = Client(admission, log, "first")
    second = Client(admission, log, "second")
    await asyncio.sleep(0.05)
    first.finish.set()
    second.finish.set()
    await second.task
    assert first.waited_ns == 0
    assert second.waited_ns >= 50_000_000


@scenario
async def test_a_request_that_is_cancelled_while_it_waits_leaves_at_once() -> None:
    admission, log = rooms(), Log()
    a, b, c = (Client(admission, log, name, num_tokens=7) for name in "abc")
    await settle()
    b.task.cancel()
    await settle()
    assert (admission.waiting, admission.waiting_tokens) == (1, 7)
    a.finish.set()
    await settle()
    assert log == ["a", "c"], "b never ran, and c runs right after a"
    c.finish.set()
    await c.task
    assert b.task.cancelled()
    assert is_empty(admission)


@scenario
async def test_a_place_granted_to_one_who_is_cancelled_in_that_moment_goes_on() -> None:
    admission, log = rooms(), Log()
    first = admission.admit(1)
    await first.__aenter__()
    b, c = (Client(admission, log, name) for name in "bc")
    await settle()
    await first.__aexit__(None, None, None)  # b has been granted the place, and has not run since
    assert b.task.cancel()
    await settle()
    assert log == ["c"]
    c.finish.set()
    await c.task
    assert is_empty(admission)


@scenario
async def test_a_place_is_not_granted_to_one_who_is_about_to_be_cancelled() -> None:
    admission, log = rooms(), Log()
    a, b, c = (Client(admission, log, name) for name in "abc")
    await settle()
    a.finish.set()
    b.task.cancel()
    await settle()
    assert log == ["a", "c"]
    c.finish.set()
    await c.task
    assert is_empty(admission)


@scenario
async def test_a_failing_request_gives_its_place_back() -> None:
    admission = rooms()
    with pytest.raises(ValueError, match="boom"):
        async with admission.admit(1):
            raise ValueError("boom")
    assert is_empty(admission)


@scenario
async def test_the_time_to_try_again_follows_the_pace() -> None:
    now = 1000.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now, monotonic_ns=lambda: int(now * 1e9)))
        admission, log = rooms(waiting=4), Log()
        clients = [Client(admission, log, str(index)) for index in range(5)]
        await settle()
        assert await retry_after(admission) == 1, "nothing is known yet"
        now += 3
        assert await retry_after(admission) == 15, "the room has stood still for 3 s, and 5 are to be served"
        for client in clients[:2]:
            now += 2
            client.finish.set()
            await settle()
        clients += [Client(admission, log, "late") for _ in range(2)]
        await settle()
        assert await retry_after(admission) == 18, "steps of 5 and 2 s"
        now += 1000
        assert await retry_after(admission) == MAX_RETRY_S
        for client in clients:
            client.finish.set()
            await client.task
        assert is_empty(admission)


async def retry_after(admission: Admission) -> int:
    return int((await refused(admission, "queue_full")).headers["retry-after"])


Step = tuple[str, int]


@settings(max_examples=150, deadline=None)
@given(
    running=st.integers(1, 3),
    waiting=st.integers(0, 4),
    tokens=st.integers(0, 12),
    steps=st.lists(st.tuples(st.sampled_from(["come", "go", "cancel", "tick"]), st.integers(0, 6)), max_size=40),
)
def test_any_history_keeps_the_bounds_and_the_order(running: int, waiting: int, tokens: int, steps: list[Step]) -> None:
    asyncio.run(_history(rooms(running, waiting, tokens), running, waiting, tokens, steps))


async def _history(admission: Admission, running: int, waiting: int, tokens: int, steps: list[Step]) -> None:
    log = Log()
    clients: list[Client] = []
    for number, (step, value) in enumerate(steps):
        if step == "come":
            clients.append(Client(admission, log, f"{number:03}", num_tokens=value))
        elif step == "go" and clients:
            clients[value % len(clients)].finish.set()
        elif step == "cancel" and clients:
            clients[value % len(clients)].task.cancel()
        await (settle() if step == "tick" else asyncio.sleep(0))
        assert 0 <= admission.running <= running
        assert admission.waiting <= waiting
        assert admission.waiting_tokens <= tokens
        assert log == sorted(log), "nobody overtakes"
    await settle()
    for client in clients:
        client.finish.set()
    await asyncio.gather(*(client.task for client in clients), return_exceptions=True)
    assert is_empty(admission)
