"""State slots, and checkpoints in those that nobody uses."""

from __future__ import annotations

import pytest

from kiln_engine.state_pool import StatePool


def pool(num_slots: int = 3, interval: int = 8) -> StatePool:
    return StatePool(num_slots, block_size=4, interval=interval)


def test_a_prefix_resumes_at_its_last_checkpoint() -> None:
    states = pool()
    assert states.longest([10, 11, 12]) == 0
    states.keep(states.take(), 11)
    assert states.longest([10, 11, 12]) == 2
    assert states.longest([10]) == 0


def test_a_checkpoint_is_given_up_least_recently_used_first() -> None:
    states = pool()
    for key_id in (1, 2, 3):
        states.keep(states.take(), key_id)
    slot = states.resume(1)
    states.take()
    assert [states.longest([key_id]) for key_id in (1, 2, 3)] == [1, 0, 1]
    states.take()
    assert states.take() == slot
    with pytest.raises(ValueError, match="no state slot is available"):
        states.take()


def test_a_second_state_of_the_same_prefix_is_not_kept() -> None:
    states = pool()
    first, second = states.take(), states.take()
    states.keep(first, 1)
    states.keep(second, 1)
    assert (states.num_free, states.num_cached, states.resume(1)) == (2, 1, first)


def test_a_checkpoint_goes_with_its_block() -> None:
    states = pool()
    states.keep(states.take(), 1)
    states.forget(1)
    states.forget(2)
    assert (states.num_free, states.num_cached, states.longest([1])) == (3, 0, 0)


@pytest.mark.parametrize(
    ("start", "num_prompt", "due"),
    [(0, 3, 8), (0, 5, 4), (0, 8, 4), (0, 9, 8), (4, 5, 8), (8, 30, 16), (24, 30, 28), (28, 30, 32), (31, 30, 32)],
)
def test_checkpoints_are_due_at_a_distance_and_where_the_same_prompt_resumes(
    start: int, num_prompt: int, due: int
) -> None:
    assert pool().next_checkpoint(start, num_prompt) == due


def test_every_slot_is_counted_once() -> None:
    states = pool()
    slot = states.take()
    states.keep(states.take(), 1)
    assert (states.num_free, states.num_cached, states.num_leased, states.num_available) == (1, 1, 1, 2)
    states.check([slot])
    with pytest.raises(AssertionError, match="each slot once"):
        states.check([])
    with pytest.raises(AssertionError, match="each slot once"):
        states.check([slot, slot])


def test_sizes_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        pool(num_slots=0)
    with pytest.raises(ValueError, match="every 6 tokens"):
        pool(interval=6)
    with pytest.raises(ValueError, match="every 0 tokens"):
        pool(interval=0)
