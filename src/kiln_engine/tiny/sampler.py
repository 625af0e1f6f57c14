"""Drawing tokens for evaluations: presence penalty, temperature, top-k, top-p, in the order that the server uses."""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor


class Sampling(NamedTuple):
    """Values of a request; a temperature of 0 takes the likeliest token and no penalty."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    presence_penalty: float = 0.0


GREEDY: Final = Sampling()
GENERAL: Final = Sampling(temperature=1.0, top_p=0.95, top_k=20, presence_penalty=1.5)
"""What the server uses for a request that says nothing."""

WITH_TOOLS: Final = Sampling(temperature=0.6, top_p=0.95, top_k=20)
"""What the server uses for a request with tools that says nothing."""


def draw(logits: Tensor, seen: Tensor, sampling: Sampling, generator: torch.Generator) -> Tensor:
    """Token ids [rows] from logits [rows, vocabulary]; `seen`, of the same shape, is true for tokens written before."""
    if sampling.temperature == 0:
        return logits.argmax(dim=-1)
    scaled = (logits - sampling.presence_penalty * seen) / sampling.temperature
    values, ids = scaled.topk(sampling.top_k or scaled.shape[-1], dim=-1)
    weights = values.softmax(dim=-1)
    # A candidate stays while those before it have not reached top_p.
    weights = weights * (weights.cumsum(dim=-1) - weights < sampling.top_p)
    return ids.gather(1, torch.multinomial(weights, 1, generator=generator))[:, 0]
