"""Interleaved measurement: all contenders take turns, so that whatever disturbs the machine disturbs each alike.

Times are CPU seconds of this process for one call. Waiting for a busy core does not count, and garbage collection is
on, as in a program that serves requests.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from timeit import Timer
from typing import Any, Final

BATCH_SECONDS: Final = 0.002
"""How long the calls of one sample take together; slow contenders get one call a sample."""


@dataclass(frozen=True)
class Contender:
    """A statement to time, with the names it uses. The statement is what a user would write."""

    name: str
    statement: str
    scope: Mapping[str, Any]


@dataclass
class Series:
    """What one contender took: seconds for one call, a sample a round."""

    calls_per_sample: int
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def minimum(self) -> float:
        return min(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third."""
        if len(self.seconds) == 1:
            return self.seconds[0], self.seconds[0]
        first, _, third = quantiles(self.seconds, n=4, method="inclusive")
        return first, third


@dataclass(frozen=True)
class Effort:
    """How long to sample a group of contenders: for so many seconds, and at least so many rounds."""

    seconds: float
    rounds: int


def interleave(
    contenders: Sequence[Contender], effort: Effort, on_round: Callable[[int], object] = lambda _: None
) -> dict[str, Series]:
    """Measure contenders in turns, each round starting with another one. Calls `on_round` with the round's number."""
    timers = {each.name: _timer(each) for each in contenders}
    measured = {name: Series(_calls(timer)) for name, timer in timers.items()}
    names = list(timers)
    started = time.perf_counter()
    number = 0
    while number < effort.rounds or time.perf_counter() - started < effort.seconds:
        first = number % len(names)
        for name in names[first:] + names[:first]:
            series = measured[name]
            series.seconds.append(timers[name].timeit(series.calls_per_sample) / series.calls_per_sample)
        number += 1
        on_round(number)
    return measured


def _timer(contender: Contender) -> Timer:
    # timeit turns the collector off; its documentation names this way to keep it on.
    return Timer(contender.statement, "gc.enable()", time.process_time, {"gc": gc, **contender.scope})


def _calls(timer: Timer) -> int:
    """Calls that fill a sample. Finding out warms the contender up: its first call may load or build what it needs."""
    timer.timeit(1)
    calls = 1
    while (taken := _least(timer, calls)) < BATCH_SECONDS / 2:
        calls *= 2
    return max(1, round(calls * BATCH_SECONDS / taken))


def _least(timer: Timer, calls: int) -> float:
    first = timer.timeit(calls)
    # A slow contender has been seen well enough; repeating it only takes time.
    return first if first > 4 * BATCH_SECONDS else min(first, *timer.repeat(2, calls))
