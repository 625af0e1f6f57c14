"""Buffers share memory exactly when they are never in use at the same time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.kernels.cpu.lifetimes import ALIGNMENT, Lifetime, place


@st.composite
def lifetimes(draw: st.DrawFn) -> Lifetime:
    first = draw(st.integers(0, 12))
    return Lifetime(draw(st.integers(0, 400)), first, draw(st.integers(first, 15)))


@given(st.lists(lifetimes(), max_size=20))
def test_no_two_meet_while_both_are_in_use(wanted: list[Lifetime]) -> None:
    placement = place(wanted)
    spans = [(start, start + life.num_bytes, life) for start, life in zip(placement.offsets, wanted, strict=True)]
    for index, (start, stop, life) in enumerate(spans):
        assert start % ALIGNMENT == 0
        assert stop <= placement.num_bytes
        for other_start, other_stop, other in spans[:index]:
            together = life.first <= other.last and other.first <= life.last
            assert not (together and start < other_stop and other_start < stop)


def test_what_is_done_with_makes_room() -> None:
    in_turn = [Lifetime(64, moment, moment + 1) for moment in range(0, 20, 2)]
    assert place(in_turn).num_bytes == 64
    # The last use of an input is the first of the output that is made from it.
    chained = [Lifetime(64, moment, moment + 1) for moment in range(20)]
    assert place(chained).num_bytes == 128


def test_a_gap_is_filled_where_it_is_large_enough() -> None:
    long, short, later = Lifetime(64, 0, 1), Lifetime(64, 0, 9), Lifetime(64, 3, 4)
    assert place([long, short, later]).offsets == (0, 64, 0)
    assert place([long, short, Lifetime(65, 3, 4)]).offsets == (0, 64, 128)


def test_nothing_takes_nothing() -> None:
    assert place([]) == ((), 0)
