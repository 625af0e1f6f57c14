"""The angles of rotary position embedding, worked out once for every position that can occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from kiln_engine.kernels.facade import RotaryTable
from kiln_engine.rope import inverse_frequencies

if TYPE_CHECKING:
    from kiln_engine.config import ModelConfig


def rotary_table(config: ModelConfig, max_positions: int, device: torch.device) -> RotaryTable:
    """Cosines and sines of positions 0 to max_positions - 1.

    A table, because a row's angles must not depend on which rows are computed beside it.
    """
    frequencies, attention_factor = inverse_frequencies(config)
    positions = torch.arange(max_positions, dtype=torch.float32, device=torch.device("cpu"))
    angles = positions[:, None] * frequencies[None]
    return RotaryTable((angles.cos() * attention_factor).to(device), (angles.sin() * attention_factor).to(device))
