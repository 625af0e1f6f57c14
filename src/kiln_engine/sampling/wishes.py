"""What a step wants of kernels that draw: the values of its rows, and where their penalised tokens are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kiln_engine.kernels.drawing import Wish
from kiln_engine.sampling.penalties import Counted
from kiln_engine.sampling.state import SamplerState, uniforms_of


def wishes_of(states: Sequence[SamplerState], counted: Counted, vocab_size: int) -> list[Wish]:
    """A wish for each row; its extra tokens are those that penalties reach, in the order of `counted`."""
    numbers = np.bincount(counted.rows, minlength=len(states)).tolist()
    # A greedy choice needs no chance.
    chances = iter(uniforms_of([state for state in states if not state.greedy]).tolist())
    wishes, first = [], 0
    for state, number in zip(states, numbers, strict=True):
        own = state.sampling
        min_p = min(max(own.min_p, 0.0), 1.0)
        uniform = 0.0 if state.greedy else next(chances)
        kept = state.num_kept(vocab_size)
        wishes.append(Wish(own.temperature, min_p, own.top_p, uniform, kept, state.greedy, first, number))
        first += number
    return wishes
