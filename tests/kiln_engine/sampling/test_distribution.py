"""What a choice can and cannot be settled with, when the candidates are not the whole vocabulary."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kiln_engine.sampling.candidates import Candidates
from kiln_engine.sampling.distribution import Filters, Picks, pick
from tests.kiln_engine.sampling.answers import answer

VOCAB_SIZE = 1000
WEIGHTS = (8.0, 4.0, 2.0, 1.0)


def pick_one(u: float, total: float, *, horizon: float = 1.0, **values: Any) -> Picks:
    """Tokens 10, 11, 12 and 13 weigh 8, 4, 2 and 1; all that is not there weighs at most `horizon`."""
    logits = np.log([WEIGHTS])
    candidates = Candidates(logits, np.arange(10, 14)[None], np.array([math.log(horizon) if horizon else -math.inf]))
    relative = np.array([[total / WEIGHTS[0]]])
    return pick(candidates, Filters([answer(**values)], VOCAB_SIZE), relative, np.array([[u]]))


@pytest.mark.parametrize(("u", "token_id"), [(0.0, 10), (0.39, 10), (0.41, 11), (0.59, 11), (0.61, 12), (0.69, 12)])
def test_a_draw_inside_the_candidates_needs_no_more(u: float, token_id: int) -> None:
    picks = pick_one(u, 20.0)
    assert picks.settled.all()
    assert picks.ids.tolist() == [token_id]
    assert picks.logprobs[0] == pytest.approx(math.log(WEIGHTS[token_id - 10] / 20))


@pytest.mark.parametrize(
    ("u", "total", "values"),
    [
        (0.71, 20.0, {}),  # token 13 weighs as much as others that may come before it
        (0.0, 20.0, {"top_p": 0.75}),
        (0.0, math.nan, {"min_p": 0.1}),
        (0.0, math.nan, {"min_p": 0.1, "top_p": 0.3}),
    ],
)
def test_a_draw_that_others_may_change_is_not_settled(u: float, total: float, values: dict[str, Any]) -> None:
    assert not pick_one(u, total, **values).settled.any()


def test_others_that_just_reach_min_p_are_not_left_out() -> None:
    least = float(np.exp(-(np.log(WEIGHTS[0]) - math.log(1.0))))
    assert not pick_one(0.0, math.nan, min_p=least).settled.any()
    assert pick_one(0.0, math.nan, min_p=math.nextafter(least, 1.0)).settled.all()


@pytest.mark.parametrize(
    ("values", "probabilities"),
    [
        ({"top_p": 0.5}, [8 / 12, 4 / 12]),
        ({"top_k": 3}, [8 / 14, 4 / 14, 2 / 14]),
        ({"min_p": 0.2}, [8 / 14, 4 / 14, 2 / 14]),
        ({"min_p": 0.2, "top_p": 0.57}, [1.0]),
        ({"top_k": 4, "top_p": 0.9}, [8 / 14, 4 / 14, 2 / 14]),
    ],
)
def test_filters_that_bound_a_row_settle_every_draw(values: dict[str, Any], probabilities: list[float]) -> None:
    total = 20.0 if values == {"top_p": 0.5} else math.nan
    start = 0.0
    for token_id, probability in enumerate(probabilities, start=10):
        for u in (start + 1e-9, start + probability - 1e-9):
            picks = pick_one(u, total, **values)
            assert picks.settled.all()
            assert picks.ids.tolist() == [token_id]
            assert picks.logprobs[0] == pytest.approx(math.log(probability))
        start += probability


def test_the_whole_row_settles_everything() -> None:
    assert pick_one(1 - 2**-53, math.nan, horizon=0.0).ids.tolist() == [13]


def test_equal_weights_go_by_id_even_where_logits_differ() -> None:
    # At this temperature both distances underflow to the same weight: the lower id comes first.
    candidates = Candidates(np.array([[1.0 + 1e-9, 1.0]]), np.array([[7, 3]]), np.array([-math.inf]))
    filters = Filters([answer(temperature=1e10)], VOCAB_SIZE)
    assert [pick(candidates, filters, np.array([[math.nan]]), np.array([[u]])).ids[0] for u in (0.2, 0.7)] == [3, 7]
