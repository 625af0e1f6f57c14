"""Draw tokens from logits, in pure Python and float64: the contract's sampling order, written to be read.

Penalties, temperature, top-k, min-p, top-p, draw. Candidates are ordered by descending probability, then by id.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from kiln_server.backend import BackendError, Sampling
from kiln_server.backends.philox import uniform

Weighted: TypeAlias = tuple[float, int]
"""A negated probability weight and a token id: ascending order is descending probability, then id."""


class Draw(NamedTuple):
    """A token, and the natural log of its probability under the distribution it was drawn from."""

    token_id: int
    logprob: float


class Sampler:
    """Draws the tokens of one answer. `draw` proposes a token, `take` says which one the answer got."""

    def __init__(self, sampling: Sampling, *, seed: int, choice: int) -> None:
        self._sampling = sampling
        self._seed = seed
        self._choice = choice
        self._counts: Counter[int] = Counter()

    def draw(self, logits: Sequence[float], token_index: int) -> Draw:
        """Draw the token at an index of the answer.

        A logit of -inf is a token that cannot be drawn. Raises BackendError for NaN, +inf, and when nothing can be.
        """
        require_distribution(logits)
        if self._sampling.is_greedy:
            row = self._penalised(logits) if self._sampling.penalise_greedy else logits
            # The first of equal maxima is the one with the lowest id.
            return Draw(row.index(max(row)), 0.0)
        kept = filtered(self._penalised(logits), self._sampling)
        cumulative = list(accumulate(-weight for weight, _ in kept))
        total = cumulative[-1]
        weight, token_id = kept[bisect_right(cumulative, uniform(self._seed, token_index, self._choice) * total)]
        return Draw(token_id, math.log(-weight / total))

    def take(self, token_id: int) -> None:
        """Count a token of the answer, forced ones included: penalties see it from now on."""
        self._counts[token_id] += 1

    def _penalised(self, logits: Sequence[float]) -> Sequence[float]:
        row = list(logits)
        for token_id, count in self._counts.items():
            if token_id < len(row) and row[token_id] > -math.inf:
                row[token_id] = penalised(row[token_id], count, self._sampling)
        return row


def require_distribution(logits: Sequence[float]) -> None:
    """Raise BackendError when logits are no distribution: NaN or +inf among them, or nothing but -inf."""
    if any(map(math.isnan, logits)) or math.inf in logits:
        broken = next(index for index, logit in enumerate(logits) if math.isnan(logit) or logit == math.inf)
        raise BackendError(f"the logit of token {broken} is {logits[broken]}: no probability follows from it")
    if max(logits) == -math.inf:
        raise BackendError("every logit is -inf: no token is possible")


def penalised(logit: float, count: int, sampling: Sampling) -> float:
    """A finite logit of a token that the answer holds `count` times; the result is finite for any finite values."""
    repetition = sampling.repetition_penalty
    if repetition > 0:
        logit = _finite(logit / repetition if logit > 0 else logit * repetition)
    return _finite(_finite(logit - sampling.presence_penalty) - sampling.frequency_penalty * count)


def filtered(logits: Sequence[float], sampling: Sampling) -> list[Weighted]:
    """The candidates that temperature, top-k, min-p and top-p leave, in order; their weights sum to about 1."""
    highest = max(logits)
    # From the maximum down, so that nothing overflows upwards; the probabilities are the same.
    scaled = [((highest - logit) / sampling.temperature, index) for index, logit in enumerate(logits)]
    kept = nsmallest(sampling.top_k, scaled) if 0 < sampling.top_k < len(scaled) else sorted(scaled)
    # Different logits may have equal probabilities in float64, and those go by id.
    weighted = sorted((-math.exp(-distance), index) for distance, index in kept)
    weighted = [candidate for candidate in weighted if -candidate[0] >= _least_weight(sampling.min_p)]
    return _top_p(_renormalised(weighted), sampling.top_p)


def _least_weight(min_p: float) -> float:
    """The weight that a candidate needs where the likeliest one has 1; the likeliest always stays."""
    return min(min_p, 1.0) if min_p > 0 else 0.0


def _top_p(weighted: list[Weighted], top_p: float) -> list[Weighted]:
    if not 0 < top_p < 1:
        return weighted
    sums = accumulate(-weight for weight, _ in weighted)
    size = next((size for size, total in enumerate(sums, start=1) if total >= top_p), len(weighted))
    return _renormalised(weighted[:size])


def _renormalised(weighted: list[Weighted]) -> list[Weighted]:
    total = math.fsum(-weight for weight, _ in weighted)
    return [(weight / total, index) for weight, index in weighted]


def _finite(value: float) -> float:
    return max(-sys.float_info.max, min(sys.float_info.max, value))
