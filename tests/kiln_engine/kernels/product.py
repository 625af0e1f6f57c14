"""A product whose weight kernels have packed, from a matrix that stays what it is."""

from __future__ import annotations

from torch import Tensor

from kiln_engine.kernels.facade import Kernels
from kiln_engine.weights import Linear, Part


def product(kernels: Kernels, matrix: Tensor, bias: Tensor | None = None) -> Linear:
    """All outputs [out] of a matrix [out, in] as one part."""
    return Linear(kernels.pack(matrix.clone()), bias, (Part("o", 0, len(matrix)),))
