"""Answers on their way, and what the server's plain sampler, written to be read, says about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor

from kiln_engine.kernels.drawing import Drawer
from kiln_engine.sampling import Draw, Sampler, SamplerState
from kiln_server.backend import BackendError, Sampling
from kiln_server.backends import sampler as plain
from kiln_server.backends.philox import uniform

CPU = torch.device("cpu")
BORDER = 1e-12
"""Two float64 sums of the same numbers may part where a value is relatively this close to a border."""


def answer(taken: Iterable[int] = (), *, seed: int = 0, choice: int = 0, **values: Any) -> SamplerState:
    """An answer that holds some tokens already."""
    return state(Sampling(**{"temperature": 1.0, **values}), taken, seed=seed, choice=choice)


def state(sampling: Sampling, taken: Iterable[int] = (), *, seed: int = 0, choice: int = 0) -> SamplerState:
    made = SamplerState(sampling, seed=seed, choice=choice)
    for token_id in taken:
        made.take(token_id)
    return made


def tensor(rows: Sequence[Sequence[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float32, device=CPU)


class Way:
    """Which way samplers go here: through kernels, or where that is None with torch and numpy."""

    drawer: Drawer | None = None


def sampler_of(vocab_size: int, masked_ids: Sequence[int] = ()) -> Sampler:
    masked = torch.tensor(masked_ids, dtype=torch.int64, device=CPU)
    return Sampler(vocab_size, CPU, masked_ids=masked, drawer=Way.drawer)


def draw(logits: Tensor, states: Sequence[SamplerState], masked_ids: Sequence[int] = ()) -> list[Draw | BackendError]:
    """Draw for every row, with log-probabilities."""
    return sampler_of(logits.shape[1], masked_ids).draw(logits, states, logprobs=[True] * len(states))


def draw_one(logits: Sequence[float], one: SamplerState) -> Draw:
    """The draw of a row that stands alone; an error is raised."""
    (drawn,) = draw(tensor([logits]), [one])
    if isinstance(drawn, BackendError):
        raise drawn
    return drawn


def plain_draw(logits: Sequence[float], one: SamplerState) -> plain.Draw:
    """The plain sampler's draw for the same answer."""
    return _plain(one).draw(logits, one.num_generated)


def near_borders(logits: Sequence[float], one: SamplerState) -> set[int]:
    """The tokens that the rules give when every border lies a `BORDER` to either side of where it does."""
    sampling = one.sampling
    row = _plain(one)._penalised(logits)
    u = uniform(one.seed, one.num_generated, one.choice)
    shifts = product((1 - BORDER, 1, 1 + BORDER), repeat=3)
    return {_token(row, _moved(sampling, min_p, top_p), u * shift) for min_p, top_p, shift in shifts}


def _moved(sampling: Sampling, min_p: float, top_p: float) -> Sampling:
    top_p = sampling.top_p * top_p if 0 < sampling.top_p < 1 else sampling.top_p
    return Sampling(
        temperature=sampling.temperature, top_k=sampling.top_k, min_p=sampling.min_p * min_p, top_p=min(top_p, 1.0)
    )


def _token(row: Sequence[float], sampling: Sampling, u: float) -> int:
    kept = plain.filtered(row, sampling)
    total = math.fsum(-weight for weight, _ in kept)
    cumulative = 0.0
    for weight, token_id in kept:
        cumulative -= weight
        if cumulative > u * total:
            return token_id
    return kept[-1][1]


def _plain(one: SamplerState) -> plain.Sampler:
    made = plain.Sampler(one.sampling, seed=one.seed, choice=one.choice)
    for token_id, count in zip(one.counted_ids.tolist(), one.counts.tolist(), strict=True):
        for _ in range(count):
            made.take(token_id)
    return made
