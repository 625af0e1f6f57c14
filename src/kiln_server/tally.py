"""Counting without locks: for one event loop, at a fraction of a microsecond a time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

Labels = tuple[str, ...]


class Tally:
    """A counter for each combination of label values that it was made with, all there from the start."""

    def __init__(self, name: str, text: str, labels: Labels = (), values: Iterable[Labels] = ((),)) -> None:
        self._name = name
        self._text = text
        self._labels = labels
        self._counts = dict.fromkeys(values, 0)

    def add(self, values: Labels = (), count: int = 1) -> None:
        """Count. Raises KeyError for label values that it was not made with."""
        self._counts[values] += count

    def admit(self, values: Labels) -> None:
        """Let a further combination be counted."""
        self._counts.setdefault(values, 0)

    def __contains__(self, values: Labels) -> bool:
        return values in self._counts

    def family(self) -> Metric:
        """The counters as they are now."""
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for values, count in self._counts.items():
            family.add_metric(values, count)
        return family


class Histogram:
    """How values spread over buckets, given by their upper borders in rising order.

    `per_unit` of what is counted are one of the unit that the borders are in.
    """

    def __init__(self, borders: Sequence[float], *, per_unit: int = 1) -> None:
        self._names = [*map(_border, borders), "+Inf"]
        self._borders = [border * per_unit for border in borders]
        self._per_unit = per_unit
        self._counts = [0] * (len(borders) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value; one on a border belongs to the lower bucket."""
        self._counts[bisect_left(self._borders, value)] += 1
        self._sum += value

    def observe_all(self, values: Sequence[float]) -> None:
        """Count many values."""
        ordered = sorted(values)
        counted = 0
        for bucket, border in enumerate(self._borders):
            if counted == len(ordered):
                break
            reached = bisect_right(ordered, border, counted)
            self._counts[bucket] += reached - counted
            counted = reached
        self._counts[-1] += len(ordered) - counted
        self._sum += sum(ordered)

    def add_to(self, family: HistogramMetricFamily, values: Labels = ()) -> None:
        """Put the counts as they are now into a family."""
        buckets = list(zip(self._names, accumulate(self._counts), strict=True))
        family.add_metric(values, buckets, self._sum / self._per_unit)


def _border(value: float) -> str:
    return str(float(value))
