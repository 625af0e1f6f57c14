"""Prompt rows beside answers: as many as the time limit allows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.pacing import MIN_PROMPT_ROWS, FixedPacing, Pacing


@dataclass(frozen=True)
class Machine:
    """How long steps take. Milliseconds."""

    step_ms: float
    decode_row_ms: float
    prompt_row_ms: float
    attention_ms: float
    """For each row and each position before it."""
    noise: float = 0.1

    def ms(self, random: Random, num_decode_rows: int, num_prompt_rows: int = 0, start: int = 0) -> float:
        attention_ms = self.attention_ms * num_prompt_rows * (start + num_prompt_rows / 2)
        work_ms = self.decode_row_ms * num_decode_rows + self.prompt_row_ms * num_prompt_rows + attention_ms
        return (self.step_ms + work_ms) * (1 + self.noise * random.random())


MACHINES = {
    "small model": Machine(5, 0.5, 0.4, 1e-4),
    "large model": Machine(30, 2, 3, 1e-3),
    "mostly attention": Machine(20, 1, 0.5, 2e-3),
    "fast": Machine(3, 0.1, 0.05, 1e-5),
}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_steps_stay_under_the_limit_and_use_it(machine: Machine) -> None:
    random, pacing = Random(1), Pacing(200)  # noqa: S311 - noise of a clock
    pacing.observe(0, 4, machine.ms(random, 4))
    times: list[float] = []
    start = 0
    while start < 4000:
        num_rows = min(pacing.max_prompt_rows(4), 4000 - start)
        times.append(machine.ms(random, 4, num_rows, start))
        pacing.observe(num_rows, 4, times[-1])
        start += num_rows
    assert max(times) <= 200
    assert max(times) >= 100, "the time is not used"


def test_it_begins_carefully() -> None:
    assert Pacing().max_prompt_rows(1) == MIN_PROMPT_ROWS


def test_it_grows_by_steps_even_where_rows_seem_to_cost_nothing() -> None:
    pacing = Pacing()
    pacing.observe(100, 0, 0.0)
    assert pacing.max_prompt_rows(1) == 150


STEPS = st.lists(st.tuples(st.integers(0, 4096), st.integers(0, 64), st.floats(0, 1e6)), max_size=60)


@given(STEPS, st.integers(1, 64))
def test_whatever_steps_took_there_is_a_limit(steps: list[tuple[int, int, float]], num_decode_rows: int) -> None:
    pacing = Pacing()
    most = MIN_PROMPT_ROWS
    for num_prompt_rows, others, ms in steps:
        pacing.observe(num_prompt_rows, others, ms)
        most = max(most, 2 * num_prompt_rows)
        assert MIN_PROMPT_ROWS <= pacing.max_prompt_rows(num_decode_rows) <= most


@pytest.mark.parametrize("decode_ms", [1.0, 1e3])
def test_rows_that_long_seem_to_cost_nothing_break_nothing(decode_ms: float) -> None:
    pacing = Pacing()
    pacing.observe(0, 8, decode_ms)
    pacing.observe(100, 8, 2 * decode_ms)
    for _ in range(4000):
        pacing.observe(1, 8, 0.0)
        assert MIN_PROMPT_ROWS <= pacing.max_prompt_rows(8) <= 150


def test_beside_no_answer_there_is_no_limit() -> None:
    pacing = Pacing()
    pacing.observe(16, 0, 1e6)
    assert pacing.max_prompt_rows(0) == sys.maxsize


def test_a_prompt_advances_where_steps_are_too_long_already() -> None:
    pacing = Pacing(200)
    pacing.observe(0, 4, 500)
    pacing.observe(16, 4, 900)
    assert pacing.max_prompt_rows(4) == MIN_PROMPT_ROWS


def test_more_answers_leave_less_time() -> None:
    pacing = Pacing(200)
    pacing.observe(0, 4, 40)
    pacing.observe(1000, 0, 500)
    assert pacing.max_prompt_rows(4) == 220
    assert pacing.max_prompt_rows(8) == 140
    assert pacing.max_prompt_rows(1) == 220, "one answer may take as long as four"


def test_one_slow_step_counts_at_once_and_is_forgotten_slowly() -> None:
    pacing = Pacing(200)
    pacing.observe(100, 1, 50)
    pacing.observe(100, 1, 1000)
    assert pacing.max_prompt_rows(1) == MIN_PROMPT_ROWS
    limits = []
    for _ in range(20):
        pacing.observe(100, 1, 50)
        limits.append(pacing.max_prompt_rows(1))
    assert limits == sorted(limits)
    assert limits[1] < 30
    assert limits[-1] == 150


def test_a_fixed_chunk_depends_on_nothing() -> None:
    pacing = FixedPacing(7)
    pacing.observe(7, 1, 1e6)
    assert (pacing.max_prompt_rows(0), pacing.max_prompt_rows(64)) == (7, 7)


def test_values_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="max_step_ms is 0"):
        Pacing(0)
    with pytest.raises(ValueError, match="prefill_chunk is 0"):
        FixedPacing(0)
