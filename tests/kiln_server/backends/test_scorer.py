from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.backend import BackendError
from kiln_server.backends.scorer import ScoredRow

INF = math.inf
EIGHT = [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]


def ranks(logits: list[float], observed: int, top_k: int) -> dict[int, int]:
    candidates = ScoredRow(logits).candidates(observed, top_k)
    assert candidates[0].token_id == observed
    assert len({candidate.token_id for candidate in candidates}) == len(candidates)
    return {candidate.token_id: candidate.rank for candidate in candidates}


@pytest.mark.parametrize(
    ("observed", "expected"),
    [(0, {0: 1, 1: 2}), (2, {2: 3, 0: 1, 1: 2}), (6, {6: 7, 0: 1, 1: 2})],
)
def test_the_observed_token_beside_the_top_two(observed: int, expected: dict[int, int]) -> None:
    assert ranks(EIGHT, observed, 2) == expected


def test_top_zero_is_the_observed_token_alone() -> None:
    assert ranks(EIGHT, 5, 0) == {5: 6}


def test_ties_rank_by_id_inside_and_outside_the_top() -> None:
    assert ranks([1.0, 2.0, 2.0, 1.0, 1.0], 4, 2) == {4: 5, 1: 1, 2: 2}


def test_only_the_observed_token_may_be_impossible() -> None:
    logits = [-INF] * 50
    logits[42], logits[7], logits[9] = 3.0, 2.0, 1.0
    assert ranks(logits, 42, 5) == {42: 1, 7: 2, 9: 3}
    candidates = ScoredRow(logits).candidates(31, 5)
    assert [candidate.token_id for candidate in candidates] == [31, 42, 7, 9]
    assert candidates[0].logprob == -INF
    assert candidates[0].rank == 3 + 1 + 29  # after the possible ones, and the impossible ones of lower id


@pytest.mark.parametrize("row", [[0.0, math.nan], [0.0, INF], [-INF, -INF]])
def test_rows_that_are_no_distribution_fail(row: list[float]) -> None:
    with pytest.raises(BackendError):
        ScoredRow(row)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(-INF), min_size=1, max_size=30), st.data())
def test_log_softmax_and_ranks_by_their_definitions(logits: list[float], data: st.DataObject) -> None:
    if max(logits) == -INF:
        return
    observed = data.draw(st.integers(0, len(logits) - 1))
    top_k = data.draw(st.integers(0, len(logits)))
    for candidate in ScoredRow(logits).candidates(observed, top_k):
        logit = logits[candidate.token_id]
        better = [i for i, other in enumerate(logits) if other > logit or (other == logit and i < candidate.token_id)]
        assert candidate.rank == 1 + len(better)
        highest = max(logits)
        total = math.log(sum(math.exp(other - highest) for other in logits))
        assert candidate.logprob == pytest.approx(logit - highest - total, abs=1e-9)
        assert candidate.logprob <= 1e-12


def test_a_large_offset_costs_no_precision() -> None:
    candidates = ScoredRow([1e15, 1e15]).candidates(0, 2)
    assert [candidate.logprob for candidate in candidates] == pytest.approx([-math.log(2)] * 2)
