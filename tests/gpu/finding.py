"""What a check found out, as a line of a report."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

_BOUNDS = {torch.float32: 2e-5, torch.bfloat16: 2.0**-6}
"""Of bfloat16: a few roundings of 8 bits each, of which the interpreter's only cut off."""


class Finding(NamedTuple):
    """One comparison: it holds where the error is at most the bound."""

    operation: str
    case: str
    error: float
    bound: float

    @property
    def holds(self) -> bool:
        return self.error <= self.bound  # false for NaN, too


def near(operation: str, case: str, result: Tensor, wanted: Tensor, dtype: torch.dtype) -> Finding:
    """How far a result is from float64: the worst element, relative to it and to the mean size of all."""
    wide = wanted.double().reshape(result.shape)
    worst = ((result.double() - wide).abs() / (wide.abs() + wide.abs().mean())).max()
    return Finding(operation, f"{case}, {_short(dtype)}", float(worst), _BOUNDS[dtype])


def same(operation: str, case: str, result: Tensor, wanted: Tensor) -> Finding:
    """How many elements differ in any bit; none may."""
    integers = torch.int32 if result.dtype == torch.float32 else torch.int16
    differing = result.contiguous().view(integers) != wanted.contiguous().view(integers)
    return Finding(operation, f"{case}, {_short(result.dtype)}", float(differing.sum()), 0.0)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
