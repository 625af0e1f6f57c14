"""How near to a float64 result is near enough."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

TOLERANCE: Final = 1e-5
HALF_STEP: Final = 2.0**-8
"""Half the distance of neighbouring bfloat16 values, relative to them: what rounding alone may take away."""
TINY: Final = 1e-36
"""What is smaller may be 0: float32 has no more than denormal numbers there."""


def assert_close(actual: Tensor, expected: Tensor) -> None:
    """Each element within 1e-5 of the expected one and of its row's size; bfloat16 may be rounded on top of it."""
    assert actual.shape == expected.shape
    assert expected.dtype == torch.float64
    size = expected.abs().amax(-1, keepdim=True)
    allowed = TOLERANCE * (expected.abs() + size) + TINY
    if actual.dtype == torch.bfloat16:
        allowed = allowed + HALF_STEP * expected.abs()
    difference = (actual.double() - expected).abs()
    assert bool((difference <= allowed).all()), f"off by {difference.max()}, allowed {allowed.min()} to {allowed.max()}"
