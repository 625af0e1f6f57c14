"""RMS norm of a sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl
from torch import Tensor

from kiln_engine.kernels.triton.launch import Launch, padded
from kiln_engine.kernels.triton.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator


def add_norm_launches(
    x: Tensor, residual: Tensor | None, weight: Tensor, eps: float, normed: Tensor, total: Tensor
) -> Iterator[Launch]:
    """What puts x + residual (or x) [N, H] into `total` and its norm times weight [H] into `normed`.

    Without a residual the sum is x itself, and `total` is left alone.
    """
    num_rows, width = x.shape
    added = residual is not None
    args = {"x": x, "residual": x if residual is None else residual, "weight": weight, "normed": normed, "total": total}
    tile = padded(width)
    yield Launch(
        _add_norm,
        (num_rows,),
        {**args, "width": width, "eps": eps},
        {"added": added, "tile": tile},
        num_warps=min(16, max(1, tile // 512)),
    )


@triton.jit
def _add_norm(x, residual, weight, normed, total, width, eps, added: tl.constexpr, tile: tl.constexpr):
    """One row."""
    columns = tl.arange(0, tile)
    inside = columns < width
    row = tl.program_id(0).to(tl.int64) * width + columns
    value = tl.load(x + row, mask=inside, other=0.0).to(tl.float32)
    if added:
        value = rounded(value + tl.load(residual + row, mask=inside, other=0.0).to(tl.float32), total)
        tl.store(total + row, value.to(total.dtype.element_ty), mask=inside)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / width + eps)
    weights = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(normed + row, (weights * rounded(value * scale, normed)).to(normed.dtype.element_ty), mask=inside)
