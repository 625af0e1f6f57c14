"""Who waits for a prompt that is being computed, and how that ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kiln_engine.pacing import FixedPacing
from kiln_engine.sequence import Sequence
from tests.kiln_engine.fake_engine import FakeEngine

Change = Callable[[FakeEngine, Sequence], object]


def engine(num_blocks: int = 100, *, chunk: int = 8, max_num_seqs: int = 64) -> FakeEngine:
    return FakeEngine(num_blocks, 4, pacing=FixedPacing(chunk), max_num_seqs=max_num_seqs)


def answer(name: str, prompt: range | tuple[int, ...], *, group: str | None = None, max_tokens: int = 3) -> Sequence:
    return Sequence(name, tuple(prompt), max_tokens=max_tokens, group=group)


def test_an_identical_prompt_waits_for_the_first_ones_blocks() -> None:
    fake = engine()
    first, second = answer("first", range(30)), answer("second", range(30))
    fake.add(first, second)
    for _ in range(3):
        fake.step()
    assert (first.num_computed, fake.scheduler.num_waiting) == (24, 1)
    fake.run()
    assert fake.num_prompt_rows == {"first": 30, "second": 2}
    assert second.num_hit_tokens == 28


def test_a_common_beginning_is_waited_for_and_no_more() -> None:
    fake = engine(chunk=16)
    first, second = answer("first", range(24)), answer("second", (*range(10), *range(100, 120)))
    fake.add(first, second)
    fake.step()
    assert (first.num_computed, second.lease) == (16, None)
    plan = fake.scheduler.plan()
    assert plan is not None
    assert [(rows.sequence, rows.start, rows.stop) for rows in plan.rows] == [(first, 16, 24), (second, 8, 16)]


def test_others_do_not_wait_with_it() -> None:
    fake = engine(chunk=16)
    first, same, other = answer("first", range(24)), answer("same", range(24)), answer("other", range(100, 110))
    fake.add(first, same, other)
    fake.step()
    fake.step()
    assert (same.lease, other.num_computed) == (None, 8)
    fake.step()
    assert fake.scheduler._running == [first, same, other], "who had to wait is served before later ones again"


def test_a_prompt_without_a_full_block_in_common_does_not_wait() -> None:
    fake = engine(chunk=32)
    first, second = answer("first", range(4)), answer("second", range(4))
    third = answer("third", (9, *range(20)))
    fake.add(first, second, third)
    fake.step()
    assert all(sequence.lease for sequence in (first, second, third))


def test_who_waits_for_a_sequence_that_starts_later_takes_its_turn() -> None:
    fake = engine(chunk=8)
    first, second = answer("first", range(30)), answer("second", range(30))
    fake.add(first)
    fake.step()
    fake.add(second)
    fake.step()
    assert second.lease is None
    fake.run()
    assert fake.num_prompt_rows["second"] == 2


@pytest.mark.parametrize("group", [None, "g"])
@pytest.mark.parametrize(
    "change",
    [
        lambda fake, first: fake.cancel(first),
        lambda fake, _: fake.step(fails=True),
        lambda fake, first: fake.step(cancels=[first]),
    ],
    ids=["cancelled", "failed", "cancelled in the step"],
)
def test_when_the_first_one_ends_early_the_next_goes_on(change: Change, group: str | None) -> None:
    fake = engine()
    first, second, third = (answer(name, range(30), group=group) for name in ("first", "second", "third"))
    fake.add(first, second, third)
    fake.step()
    change(fake, first)
    assert first not in fake.open
    fake.run()
    computed = fake.num_prompt_rows["second"]
    assert computed in (30 - 8, 30 - 16)
    assert fake.num_prompt_rows["third"] == (2 if group is None else 0)


@pytest.mark.parametrize("group", [None, "g"])
def test_when_the_first_one_is_preempted_nobody_waits_for_ever(group: str | None) -> None:
    fake = engine()
    old, first, second = (
        answer("old", (7,), max_tokens=30),
        answer("first", range(30), group=group),
        answer("second", range(30), group=group),
    )
    fake.add(old, first, second)
    fake.step()
    fake.step()
    assert first.is_prefilling
    del fake._next_start[fake.scheduler._preempt()]
    assert first.lease is None
    fake.run()
    # 15 rows were computed, and 12 of them cached.
    assert fake.num_prompt_rows["first"] == 15 + 18
    assert fake.num_prompt_rows["second"] == (2 if group is None else 0)
