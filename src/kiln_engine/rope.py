"""Frequencies of rotary position embedding, worked out in float32 step by step as transformers does, to the bit."""

from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor

from kiln_engine.config import ModelConfig, Rope

_CPU: Final = torch.device("cpu")


def inverse_frequencies(config: ModelConfig) -> tuple[Tensor, float]:
    """Angle per position of each rotated pair, float32 [head_dim / 2] on the CPU, and the factor of cosine and sine.

    Raises ValueError when the frequency factors are not one per pair.
    """
    rope = config.rope
    waves = rope.theta ** (torch.arange(0, config.head_dim, 2, dtype=torch.float32, device=_CPU) / config.head_dim)
    match rope.kind:
        case "default":
            frequencies = 1.0 / waves
        case "linear":
            frequencies = 1.0 / waves / rope.factor
        case "llama3":
            frequencies = _llama3(1.0 / waves, rope)
        case "yarn":
            frequencies = _yarn(waves, rope)
    return _divided(frequencies, rope.frequency_factors), rope.attention_factor if rope.kind == "yarn" else 1.0


def _llama3(frequencies: Tensor, rope: Rope) -> Tensor:
    """Stretch long waves in full, leave short ones, and go from one to the other between the two borders."""
    trained = rope.original_max_position_embeddings
    lengths = 2 * math.pi / frequencies
    stretched = lengths > trained / rope.low_freq_factor
    between = ~stretched & (lengths >= trained / rope.high_freq_factor)
    share = (trained / lengths - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor)
    blended = (1 - share) * frequencies / rope.factor + share * frequencies
    return torch.where(stretched, frequencies / rope.factor, torch.where(between, blended, frequencies))


def _yarn(waves: Tensor, rope: Rope) -> Tensor:
    """Blend unstretched and stretched frequencies along a ramp over the pairs."""
    low, high = _yarn_borders(2 * len(waves), rope)
    ramp = torch.clamp((torch.arange(len(waves), dtype=torch.float32, device=_CPU) - low) / (high - low), 0, 1)
    kept = 1 - ramp
    return 1.0 / (rope.factor * waves) * (1 - kept) + 1.0 / waves * kept


def _yarn_borders(head_dim: int, rope: Rope) -> tuple[float, float]:
    """The pairs, as positions on a ramp, where stretching begins and where it is complete."""
    low, high = (_turning(turns, head_dim, rope) for turns in (rope.beta_fast, rope.beta_slow))
    if rope.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, head_dim - 1)
    return low, high + 0.001 if low == high else high  # a ramp has some width


def _turning(turns: float, head_dim: int, rope: Rope) -> float:
    """The pair that turns so many times over the trained context."""
    reach = rope.original_max_position_embeddings / (turns * 2 * math.pi)
    return head_dim * math.log(reach) / (2 * math.log(rope.theta))


def _divided(frequencies: Tensor, factors: tuple[float, ...]) -> Tensor:
    if not factors:
        return frequencies
    if len(factors) != len(frequencies):
        raise ValueError(f"{len(factors)} frequency factors do not fit {len(frequencies)} rotated pairs of a head")
    return frequencies / torch.tensor(factors, dtype=torch.float32, device=_CPU)
