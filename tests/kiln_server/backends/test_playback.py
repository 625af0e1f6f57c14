"""The loop that every token of the built-in backends goes through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from time import monotonic_ns

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.backend import BackendError, Generation, TokenEvent
from kiln_server.backends.playback import Player, Proposal, play
from kiln_server.testing import CountingGate

from .jobs import job, read_until_failure

EOS = frozenset({256})


def played(job: Generation, token_ids: Iterable[int]) -> list[TokenEvent]:
    return list(play(job, map(Proposal, token_ids), EOS))


def ids(events: Iterable[TokenEvent]) -> list[int]:
    return [event.token_id for event in events]


@given(st.lists(st.integers(254, 258)), st.integers(1, 12), st.booleans())
def test_where_an_answer_ends(token_ids: list[int], max_tokens: int, ignore_eos: bool) -> None:
    events = played(job(max_tokens=max_tokens, ignore_eos=ignore_eos), token_ids)
    end = len(token_ids) if ignore_eos or 256 not in token_ids else token_ids.index(256) + 1
    assert ids(events) == token_ids[: min(end, max_tokens)]
    assert [event.step for event in events] == list(range(len(events)))
    finishes = [event.finish for event in events]
    ended = not ignore_eos and ids(events)[-1:] == [256]
    last = "eos" if ended else "length" if len(events) == max_tokens else None
    assert finishes == [None] * (len(events) - 1) + [last] * bool(events)


def test_an_eos_at_the_limit_is_an_eos() -> None:
    assert [event.finish for event in played(job(max_tokens=2), [1, 256])] == [None, "eos"]


def test_a_forced_token_takes_the_place_of_its_candidate() -> None:
    gate = CountingGate(9, frozenset({1, 2}))
    taken: list[int] = []
    events = list(
        play(job(gate=gate, logprobs=True, max_tokens=4), map(Proposal, [1, 256, 3, 4, 5]), EOS, on_taken=taken.append)
    )
    assert ids(events) == taken == [1, 9, 9, 4]
    assert [event.forced for event in events] == [False, True, True, False]
    assert [event.logprob for event in events] == [0.0, None, None, 0.0]
    assert [event.ready_ns for event in events] == gate.times_ns


def test_a_forced_eos_ends_the_answer() -> None:
    events = played(job(gate=CountingGate(256, frozenset({1}))), [1, 2, 3])
    assert [event.finish for event in events] == [None, "eos"]


def test_no_candidate_is_drawn_before_the_one_before_it_is_taken() -> None:
    drawn: list[int] = []

    def candidates() -> Iterator[Proposal]:
        for token_id in count():
            assert token_id == len(drawn)
            yield Proposal(token_id)

    list(play(job(max_tokens=5), candidates(), EOS, on_taken=drawn.append))
    assert drawn == [0, 1, 2, 3, 4]


def test_log_probabilities_only_when_asked_for() -> None:
    proposals = [Proposal(1, -0.5), Proposal(2, None)]
    silent = play(job(max_tokens=2), proposals, EOS)
    asked = play(job(max_tokens=2, logprobs=True), proposals, EOS)
    assert [event.logprob for event in silent] == [None, None]
    assert [event.logprob for event in asked] == [-0.5, None]


# The player


async def read(
    player: Player, events: Iterator[TokenEvent], *, batch: int = 4, delay_s: float = 0.0
) -> list[list[TokenEvent]]:
    pace = (lambda index: int(index * delay_s * 1e9)) if delay_s else None
    return [list(items) async for items in player.run(events, batch=batch, pace=pace, failure="it broke")]


def answer(num_tokens: int) -> Iterator[TokenEvent]:
    return play(job(max_tokens=num_tokens), map(Proposal, count(300)), EOS)


@pytest.mark.anyio
async def test_events_come_in_full_batches() -> None:
    batches = await read(Player(), answer(10))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert [event.token_id for batch in batches for event in batch] == list(range(300, 310))


@pytest.mark.anyio
async def test_others_run_between_batches() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.sleep(0)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        await read(Player(), answer(400))
        tasks.cancel_scope.cancel()
    assert turns >= 99


@pytest.mark.anyio
async def test_an_end_without_a_finish_is_a_failure() -> None:
    player = Player()
    events = play(job(), map(Proposal, [1, 2, 3, 4, 5]), EOS)
    found = await read_until_failure(player.run(events, batch=2, pace=None, failure="it broke"))
    assert found == ([1, 2, 3, 4, 5], "it broke")
    assert player.num_running == 0


@pytest.mark.anyio
async def test_nothing_comes_before_it_is_due() -> None:
    started_ns = monotonic_ns()
    batches = await read(Player(), answer(5), batch=1, delay_s=0.01)
    assert len(batches) == 5
    assert all(batch[0].ready_ns >= started_ns + index * 10_000_000 for index, batch in enumerate(batches))


@pytest.mark.anyio
async def test_nothing_is_computed_that_is_not_asked_for() -> None:
    gate = CountingGate()
    player = Player()
    batches = player.run(play(job(gate=gate), map(Proposal, count(300)), EOS), batch=1, pace=None, failure="it broke")
    await anext(batches)
    await anext(batches)
    assert len(gate.taken) == 2
    assert player.num_running == 1
    await batches.aclose()
    assert len(gate.taken) == 2
    assert player.num_running == 0


@pytest.mark.anyio
async def test_closing_the_player_fails_what_runs() -> None:
    player = Player()
    batches = player.run(answer(100), batch=1, pace=None, failure="it broke")
    await anext(batches)
    player.close()
    player.close()
    with pytest.raises(BackendError, match="closed while this answer"):
        await anext(batches)
    assert player.num_running == 0
