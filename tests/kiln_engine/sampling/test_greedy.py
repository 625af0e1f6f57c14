"""Greedy answers, alone and beside one whose penalties change its logits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.sampling import Draw, SamplerState
from kiln_server.backend import BackendError
from tests.kiln_engine.sampling.answers import answer, draw, tensor

values = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 1.0, math.inf, math.nan])
rows = st.lists(st.lists(values, min_size=5, max_size=5), min_size=1, max_size=4)


def greedy() -> SamplerState:
    return answer(temperature=0.0)


@settings(deadline=None)
@given(rows, st.lists(st.integers(0, 4), unique=True, max_size=2))
def test_a_neighbour_changes_nothing(logits: list[list[float]], masked: list[int]) -> None:
    slow = answer([0], presence_penalty=1.0)
    alone = draw(tensor(logits), [greedy() for _ in logits], masked)
    *beside, _ = draw(tensor([*logits, [0.0] * 5]), [*(greedy() for _ in logits), slow], masked)
    assert [_plain(each) for each in alone] == [_plain(each) for each in beside]


def test_the_logits_are_put_back() -> None:
    logits = tensor([[0.0, 3.0, 1.0]])
    assert draw(logits, [greedy()], [1]) == [Draw(2, 0.0)]
    assert logits.tolist() == [[0.0, 3.0, 1.0]]


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_what_is_not_finite_is_seen(broken: float) -> None:
    first, second = draw(tensor([[1.0, broken, 2.0], [1.0, 0.0, 2.0]]), [greedy(), greedy()])
    assert isinstance(first, BackendError)
    assert second == Draw(2, 0.0)


def _plain(drawn: Draw | BackendError) -> Draw | str:
    return str(drawn) if isinstance(drawn, BackendError) else drawn
