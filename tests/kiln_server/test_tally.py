"""Many values are counted at once as they are one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.core import HistogramMetricFamily

from kiln_server.tally import Histogram

BORDERS = (0.001, 0.0025, 0.01, 1.0)
PER_UNIT = 1_000_000_000

ON_A_BORDER = [int(border * PER_UNIT) for border in BORDERS]
gaps = st.one_of(st.integers(-10, 2 * PER_UNIT), st.sampled_from(ON_A_BORDER), st.integers(0, 3_000_000))


def exposed(histogram: Histogram) -> list[tuple[str, dict[str, str], float]]:
    family = HistogramMetricFamily("some", "Some.")
    histogram.add_to(family)
    return [(sample.name, sample.labels, sample.value) for sample in family.samples]


@given(st.lists(st.lists(gaps, max_size=30), max_size=3))
def test_at_once_is_one_by_one(batches: list[list[int]]) -> None:
    at_once, one_by_one = Histogram(BORDERS, per_unit=PER_UNIT), Histogram(BORDERS, per_unit=PER_UNIT)
    for batch in batches:
        at_once.observe_all(batch)
        for value in batch:
            one_by_one.observe(value)
    assert exposed(at_once) == exposed(one_by_one)


def test_a_value_on_a_border_belongs_to_the_lower_bucket() -> None:
    for histogram, values in ((Histogram(BORDERS), BORDERS), (Histogram(BORDERS, per_unit=PER_UNIT), ON_A_BORDER)):
        histogram.observe_all(values)
        assert [value for name, _, value in exposed(histogram) if name.endswith("_bucket")] == [1, 2, 3, 4, 4]


def test_sums_are_in_the_unit_of_the_borders() -> None:
    histogram = Histogram(BORDERS, per_unit=1000)
    histogram.observe_all([500, 1500])
    assert exposed(histogram)[-1] == ("some_sum", {}, 2.0)
