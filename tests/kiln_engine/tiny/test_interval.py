"""Shares and their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny.interval import Share

shares = st.integers(1, 1000).flatmap(lambda total: st.builds(Share, st.integers(0, total), st.just(total)))


def test_a_published_example() -> None:
    assert Share(9, 10).interval == pytest.approx((0.5958, 0.9821), abs=1e-4)


@given(shares)
def test_the_interval_holds_the_share_and_stays_within_0_and_1(share: Share) -> None:
    low, high = share.interval
    assert 0 <= low <= share.value + 1e-12
    assert share.value - 1e-12 <= high <= 1


def test_samples_add_up() -> None:
    assert Share(1, 2) + Share(3, 4) == Share(4, 6)


def test_a_share_reads_in_per_cent() -> None:
    assert str(Share(500, 500)) == "100.0 (99.2 to 100.0)"
