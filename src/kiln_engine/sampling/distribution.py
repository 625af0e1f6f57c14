"""Temperature, top-k, min-p, top-p and the draw, in float64 on the host, for some rows at once.

Sums run along a row in the order of its candidates, so a row's result depends neither on the others nor on padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kiln_engine.sampling.candidates import Candidates
from kiln_engine.sampling.state import SamplerState

Floats = NDArray[np.float64]
"""[rows, 1], one value a row, or [rows, n], one value a candidate."""


class Filters:
    """The values of some rows, each [rows, 1]; a filter that is off lets everything pass."""

    def __init__(self, states: Sequence[SamplerState], vocab_size: int) -> None:
        samplings = [state.sampling for state in states]
        self.temperature = _column([sampling.temperature for sampling in samplings])
        self.num_kept = _column([state.num_kept(vocab_size) for state in states])
        self.has_top_k = self.num_kept < vocab_size
        self.min_p = _column([min(max(sampling.min_p, 0.0), 1.0) for sampling in samplings])
        self.top_p = _column([sampling.top_p for sampling in samplings])
        self.has_top_p = (self.top_p > 0) & (self.top_p < 1)


class Picks(NamedTuple):
    """What some rows drew: [rows] each."""

    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    settled: NDArray[np.bool_]
    """False where the choice depends on tokens that are no candidates; the other two mean nothing then."""


def weights_of(distances: Floats, temperature: Floats) -> Floats:
    """Probability weights of tokens whose logits lie this far below the likeliest one's, which weighs 1."""
    return np.exp(-(distances / temperature))


def pick(candidates: Candidates, filters: Filters, totals: Floats, uniforms: Floats) -> Picks:
    """Draw a token for each row from its `uniforms`, at least 0 and less than 1. Every row has a candidate.

    `totals` are the weights of whole rows, NaN where unknown: they tell how far the candidates reach where neither
    top-k nor min-p bounds a row to them.
    """
    weights, ids, closed = _weighed(candidates, filters)
    probabilities = weights / np.where(closed, _sums(weights), totals)
    crossed = _cut_at_top_p(probabilities, filters)
    cumulative = probabilities.cumsum(-1)
    ends = np.where(closed | filters.has_top_p, cumulative[:, -1:], 1.0)
    chosen = (cumulative <= uniforms * ends).sum(-1, keepdims=True)
    reached = np.where(filters.has_top_p, crossed, chosen < ids.shape[1])
    settled = closed | (~np.isnan(totals) & reached)
    chosen = np.minimum(chosen, ids.shape[1] - 1)
    own = np.take_along_axis(probabilities, chosen, axis=-1)
    share = np.divide(own, ends, out=np.ones_like(own), where=settled)
    return Picks(np.take_along_axis(ids, chosen, axis=-1)[:, 0], np.log(share)[:, 0], settled[:, 0])


def _weighed(candidates: Candidates, filters: Filters) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """Weights after top-k and min-p, by descending weight, then id; and whether all that is left is among them."""
    values, ids, horizon = candidates
    highest = values[:, :1]
    with np.errstate(over="ignore"):
        weights = weights_of(highest - values, filters.temperature)
        beyond = weights_of(highest - horizon[:, None], filters.temperature)
    beyond[filters.has_top_k] = 0.0
    # What weighs as much as an unknown token may stand behind it: equal weights go by id.
    weights[(weights <= beyond) | (np.arange(ids.shape[1]) >= filters.num_kept)] = 0.0
    weights, ids = _by_weight(weights, ids)
    weights[weights < filters.min_p] = 0.0
    return weights, ids, (beyond == 0) | (beyond < filters.min_p)


def _by_weight(weights: Floats, ids: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Different logits may have equal weights in float64, and those go by id. Sorts only if there are any."""
    swapped = (weights[:, 1:] == weights[:, :-1]) & (weights[:, 1:] > 0) & (ids[:, 1:] < ids[:, :-1])
    if not swapped.any():
        return weights, ids
    order = np.lexsort((ids, -weights))
    return np.take_along_axis(weights, order, axis=-1), np.take_along_axis(ids, order, axis=-1)


def _cut_at_top_p(probabilities: Floats, filters: Filters) -> NDArray[np.bool_]:
    """Keep, in place, the shortest prefix that reaches top-p; returns where it was reached."""
    reached = probabilities.cumsum(-1) >= filters.top_p
    # The token that crosses stays, so a token goes only when the one before it had reached the sum.
    probabilities[:, 1:][reached[:, :-1] & filters.has_top_p] = 0.0
    return reached[:, -1:]


def _sums(values: Floats) -> Floats:
    return values.cumsum(-1)[:, -1:]


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]
