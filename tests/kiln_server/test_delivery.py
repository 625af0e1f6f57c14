"""The ways of tokens, added up: the same as each token's own way says, whatever the clocks say."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kiln_server.backend import TokenEvent
from kiln_server.delivery import PHASES, Delivery, Interval, Ways, passages
from kiln_server.timing import covered_ns

times = st.integers(1, 40)
events = st.builds(lambda ready, delivered: TokenEvent(0, ready, delivered), times, st.one_of(st.just(0), times))
deliveries = st.lists(st.tuples(st.lists(events, min_size=1, max_size=4), times, times), max_size=5)


def intervals(made: Sequence[Delivery]) -> list[Interval]:
    return [interval for delivery in made for passage in passages(*delivery) for interval in passage.intervals()]


@given(deliveries)
def test_the_totals_are_those_of_every_passage(made: list[Delivery]) -> None:
    every = intervals(made)
    assert Ways(made).totals == {
        phase: sum(interval.end_ns - interval.start_ns for interval in every if interval.phase == phase)
        for phase in PHASES
    }


@given(deliveries)
def test_the_stretches_cover_what_the_passages_cover(made: list[Delivery]) -> None:
    every = [(interval.start_ns, interval.end_ns) for interval in intervals(made)]
    for start_ns, end_ns in ((0, 100), (10, 25)):
        assert covered_ns(Ways(made).stretches, start_ns, end_ns) == covered_ns(every, start_ns, end_ns)


def test_no_stop_of_a_way_is_before_the_one_before_it() -> None:
    (passage,) = passages([TokenEvent(0, 9, 5)], 4, 3)
    assert passage == (9, 9, 9, 9)


def test_tokens_of_one_batch_are_one_stretch() -> None:
    batch = [TokenEvent(0, ready) for ready in (10, 11, 12)]
    assert Ways([(batch, 20, 30), ([TokenEvent(0, 40)], 50, 60)]).stretches == [(10, 30), (40, 60)]
