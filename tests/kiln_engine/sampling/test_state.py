from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kiln_engine.sampling.answers import answer


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), max_size=120))
def test_counts_every_token_of_the_answer(taken: list[int]) -> None:
    one = answer(taken)
    counted = dict(zip(one.counted_ids.tolist(), one.counts.tolist(), strict=True))
    assert counted == Counter(taken)
    assert list(counted) == list(dict.fromkeys(taken))
    assert one.num_generated == len(taken)


@pytest.mark.parametrize(
    ("values", "greedy"),
    [
        ({"temperature": 0.0}, True),
        ({"temperature": -1.0}, True),
        ({"temperature": 9e-6}, True),
        ({"temperature": 1e-5}, False),
        ({"top_k": 1}, True),
        ({"top_k": 2}, False),
        ({}, False),
    ],
)
def test_greedy(values: dict[str, Any], greedy: bool) -> None:
    assert answer(**values).greedy is greedy


@pytest.mark.parametrize(
    ("values", "penalised"),
    [
        ({}, False),
        ({"repetition_penalty": 0.0}, False),
        ({"repetition_penalty": -3.0}, False),
        ({"repetition_penalty": 1.1}, True),
        ({"presence_penalty": -0.1}, True),
        ({"frequency_penalty": 0.1}, True),
        ({"frequency_penalty": 0.1, "temperature": 0.0}, False),
        ({"frequency_penalty": 0.1, "temperature": 0.0, "penalise_greedy": True}, True),
        ({"temperature": 0.0, "penalise_greedy": True}, False),
    ],
)
def test_penalised(values: dict[str, Any], penalised: bool) -> None:
    assert answer(**values).penalised is penalised


@pytest.mark.parametrize(("top_k", "kept"), [(0, 10), (-5, 10), (3, 3), (10, 10), (2**63, 10)])
def test_num_kept(top_k: int, kept: int) -> None:
    assert answer(top_k=top_k).num_kept(10) == kept
