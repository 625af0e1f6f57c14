"""The token controller: published traces, and laws against a controller that keeps and scans the whole answer."""

from __future__ import annotations

import json
import sys
from itertools import cycle, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from kiln_contract import thinking
from kiln_contract.thinking import Controller

VECTORS = Path(__file__).parents[2] / "contracts" / "vectors"
TRACES = json.loads((VECTORS / "thinking_budget.traces.json").read_text())["traces"]

MS = 1_000_000


class NaiveController:
    """The contract's numbered algorithm, word for word: it keeps the whole answer and scans it at every step."""

    def __init__(self, close: list[int], token_limit: int, max_tokens: int | None, max_time_ms: int | None) -> None:
        self.close, self.token_limit, self.max_tokens, self.max_time_ms = close, token_limit, max_tokens, max_time_ms
        self.generated: list[int] = []
        self.started: int | None = None
        self.closed = self.forcing = False
        self.trigger: str | None = None
        self.frozen: tuple[int, int] | None = None
        self.last = 0

    def accept(self, candidate: int, now: int) -> tuple[int, bool]:
        token, forced = self.decide(candidate, now)
        self.generated.append(token)
        return token, forced

    def decide(self, candidate: int, now: int) -> tuple[int, bool]:
        if self.started is None:
            self.started = now
        elapsed = self.last = now - self.started if not self.closed else self.last
        if self.closed:  # 1
            return candidate, False
        if self.generated[-len(self.close) :] == self.close:  # 2
            self.closed = True
            return candidate, False
        k = max(n for n in range(len(self.close)) if n == 0 or self.generated[-n:] == self.close[:n])
        thought = len(self.generated) - k
        if self.forcing:  # 3
            self.closed = k + 1 == len(self.close)
            return self.close[k], True
        trigger = self.due(thought, elapsed)  # 4
        if trigger is None or candidate == self.close[k]:  # 5 and 6
            if candidate == self.close[k] and k + 1 == len(self.close):
                self.closed, self.frozen = True, (thought, elapsed)
            return candidate, False
        self.forcing, self.trigger, self.frozen = True, trigger, (thought, elapsed)  # 7
        self.closed = k + 1 == len(self.close)
        return self.close[k], True

    def due(self, thought: int, elapsed: int) -> str | None:
        if self.max_tokens is not None and thought >= self.max_tokens:
            return "tokens"
        if self.max_time_ms is not None and elapsed >= self.max_time_ms * MS:
            return "time"
        return "max_tokens" if len(self.generated) + len(self.close) >= self.token_limit else None

    @property
    def outcome(self) -> dict[str, Any]:
        tokens, elapsed = self.frozen or (len(self.generated), self.last)
        triggered: dict[str, Any] = {"triggered": self.trigger is not None, "closed": self.closed}
        named = {} if self.trigger is None else {"trigger": self.trigger}
        return {**triggered, **named, "thinking_tokens": tokens, "thinking_time_ms": elapsed // MS}


@pytest.mark.parametrize("trace", TRACES, ids=lambda t: t["name"])
@pytest.mark.parametrize("implementation", [Controller, NaiveController])
def test_trace_vectors(trace: dict[str, Any], implementation: Any) -> None:
    limits = trace.get("max_tokens"), trace.get("max_time_ms")
    controller = implementation(trace["close_token_ids"], trace["token_limit"], *limits)
    for step in trace["steps"]:
        assert controller.accept(step["candidate"], step["now_ns"]) == (step["token"], step["forced"])
    assert msgspec.to_builtins(controller.outcome) == trace["outcome"]


limits = st.tuples(st.none() | st.integers(0, 12), st.none() | st.integers(0, 12)).filter(
    lambda pair: pair != (None, None)
)

pauses = st.lists(st.integers(0, 4 * MS), min_size=1, max_size=5)


@st.composite
def closings(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """A close sequence, often one that overlaps itself, and candidates made of its beginnings and of other tokens."""
    close = draw(st.lists(st.sampled_from([7, 8]), min_size=1, max_size=8))
    begun = st.integers(0, len(close)).map(lambda n: close[:n])
    pieces = draw(st.lists(begun | st.lists(st.sampled_from([1, 7, 8]), max_size=3), max_size=12))
    return close, [token for piece in pieces for token in piece]


@given(
    closings(),
    st.integers(0, 40),
    limits,
    pauses,
    st.integers(0, 2**62),
)
def test_the_controller_does_what_the_naive_one_does(
    closing: tuple[list[int], list[int]], spare: int, limits: tuple[Any, Any], pauses: list[int], now: int
) -> None:
    close, candidates = closing
    fast, naive = Controller(close, len(close) + spare, *limits), NaiveController(close, len(close) + spare, *limits)
    for candidate, pause in zip(candidates, cycle(pauses), strict=False):
        now += pause
        assert fast.accept(candidate, now) == naive.accept(candidate, now)
        assert msgspec.to_builtins(fast.outcome) == naive.outcome
        assert fast.closed == naive.closed


@pytest.mark.parametrize("size", range(1, 6))
def test_the_controller_finds_every_natural_close(size: int) -> None:
    """With limits out of reach only the self-overlap of the close sequence decides: try them all against a search."""
    for close in product((7, 8), repeat=size):
        for answer in product((7, 8), repeat=9):
            controller = Controller(close, 10**6, max_tokens=10**6)
            assert [controller.accept(candidate, 0) for candidate in answer] == [(token, False) for token in answer]
            found = next((at for at in range(10 - size) if answer[at : at + size] == close), None)
            assert controller.closed is (found is not None)
            assert controller.outcome.thinking_tokens == (9 if found is None else found)


@given(closings(), st.integers(0, 10), limits)
def test_a_block_closes_within_the_token_limit(
    closing: tuple[list[int], list[int]], spare: int, limits: tuple[Any, Any]
) -> None:
    close, candidates = closing[0], closing[1] + [1] * 20
    limit = len(close) + spare
    controller = Controller(close, limit, *limits)
    answer = [controller.accept(candidate, 0)[0] for candidate in candidates[:limit]]
    assert controller.closed
    assert any(answer[i : i + len(close)] == close for i in range(limit))
    assert controller.outcome.thinking_tokens <= spare


def test_memory_does_not_grow_with_the_answer() -> None:
    controller = Controller([7, 7, 8], 10**9, max_tokens=10**8)

    def held() -> int:
        return sum(sys.getsizeof(value) for value in vars(controller).values())

    controller.accept(1, 0)
    before = held()
    for candidate in [7, 7, 7, 1] * 25_000:
        controller.accept(candidate, 0)
    assert controller.outcome.thinking_tokens == 100_001
    assert held() - before < 64  # an integer may need a wider digit, nothing else changes


def test_a_call_compares_a_constant_number_of_tokens_on_average() -> None:
    compared = 0

    class Counted(int):
        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int(self) == other

        def __ne__(self, other: object) -> bool:
            return not self == other

    controller = Controller([7] * 500 + [8], 10**9, max_tokens=10**8)
    candidates = ([7] * 499 + [1]) * 20
    for candidate in candidates:
        controller.accept(Counted(candidate), 0)
    assert len(candidates) <= compared <= 5 * len(candidates)


def test_limits_of_an_effective_budget_fit_as_they_are() -> None:
    for name in ("thinking_budget_tokens", "thinking_budget_ms"):
        effective = thinking.resolve({}, {name: 1})
        controller = Controller([9], 10, effective.max_tokens, effective.max_time_ms)
        assert [controller.accept(1, now) for now in (0, MS)] == [(1, False), (9, True)]


def test_a_clock_that_steps_back_never_gives_negative_time() -> None:
    controller = Controller([9], 10, max_time_ms=5)
    controller.accept(1, 100 * MS)
    controller.accept(1, 0)
    assert controller.outcome.thinking_time_ms == 0


@pytest.mark.parametrize(("close", "limit"), [([], 5), ([7, 8], 1), ([7], 0)])
def test_a_close_sequence_that_cannot_be_forced_is_refused(close: list[int], limit: int) -> None:
    with pytest.raises(ValueError, match="fit the token limit"):
        Controller(close, limit, max_tokens=1)


@pytest.mark.parametrize("limits", [(None, None), (UNSET, UNSET), (UNSET, None), (-1, None), (4, -1)])
def test_a_controller_without_a_finite_limit_is_refused(limits: Any) -> None:
    with pytest.raises(ValueError, match="finite limit"):
        Controller([7], 5, *limits)
