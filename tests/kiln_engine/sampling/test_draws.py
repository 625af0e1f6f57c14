"""100,000 draws follow the distribution that the rules say, whatever filters are on."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from kiln_engine.sampling import Draw, SamplerState
from kiln_server.backend import Sampling
from kiln_server.backends import sampler as plain
from tests.kiln_engine.sampling.answers import CPU, sampler_of, state

NUM_DRAWS = 100_000
LOGITS = [1.0, 0.25, -0.5, 1.75, 0.25, -1.5, 0.8, -3.0, 1.0, -0.2, 0.6, 1.5]
TAKEN = (3, 3, 8, 11)
PENALTIES = {"presence_penalty": 0.4, "frequency_penalty": 0.3, "repetition_penalty": 1.2}

# The chi-square that one draw of 100,000 in ten thousand exceeds, by degrees of freedom.
LIMITS = {2: 18.42, 3: 21.11, 4: 23.51, 5: 25.74, 6: 27.86, 7: 29.88, 8: 31.83, 9: 33.72, 10: 35.56, 11: 37.37}

CASES: list[dict[str, Any]] = [
    {},
    {"temperature": 0.6},
    {"temperature": 2.5},
    {"top_k": 5},
    {"min_p": 0.2},
    {"top_p": 0.8},
    PENALTIES,
    {"temperature": 1.3, "top_k": 9, "min_p": 0.05, "top_p": 0.9, **PENALTIES},
]


@cache
def counts(**values: Any) -> NDArray[np.int64]:
    """How often each token was drawn, one draw for each token index."""
    sampling = Sampling(**{"temperature": 1.0, **values})
    one = state(sampling, TAKEN)
    states = [_at(one, index) for index in range(NUM_DRAWS)]
    logits = torch.tensor(LOGITS, device=CPU).repeat(NUM_DRAWS, 1)
    drawn = sampler_of(len(LOGITS)).draw(logits, states, logprobs=[False] * NUM_DRAWS)
    return np.bincount([d.token_id for d in drawn if isinstance(d, Draw)], minlength=len(LOGITS))


def _at(one: SamplerState, index: int) -> SamplerState:
    """The same answer, as if it had come to another token index."""
    moved = SamplerState.__new__(SamplerState)
    moved.__dict__.update(one.__dict__, num_generated=index)
    return moved


def expected(**values: Any) -> NDArray[np.float64]:
    sampling = Sampling(**{"temperature": 1.0, **values})
    row = torch.tensor(LOGITS, device=CPU).tolist()
    for token_id in set(TAKEN):
        row[token_id] = plain.penalised(row[token_id], TAKEN.count(token_id), sampling)
    probabilities = np.zeros(len(LOGITS))
    for weight, token_id in plain.filtered(row, sampling):
        probabilities[token_id] = -weight
    return probabilities / math.fsum(probabilities)


def chi_square(observed: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    kept = probabilities > 0
    assert observed[~kept].sum() == 0
    assert observed.sum() == NUM_DRAWS
    wanted = NUM_DRAWS * probabilities[kept]
    return float(((observed[kept] - wanted) ** 2 / wanted).sum())


@pytest.mark.parametrize("values", CASES, ids=str)
def test_draws_follow_the_distribution(values: dict[str, Any]) -> None:
    probabilities = expected(**values)
    assert chi_square(counts(**values), probabilities) < LIMITS[int(np.count_nonzero(probabilities)) - 1]


def test_this_many_draws_show_a_small_fault() -> None:
    """A temperature that is 4 % off, or penalties that were left out, cannot pass."""
    assert chi_square(counts(), expected(temperature=1.04)) > LIMITS[11]
    assert chi_square(counts(), expected(**PENALTIES)) > LIMITS[11]
