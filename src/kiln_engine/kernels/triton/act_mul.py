"""The gate of a feed-forward block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import triton
import triton.language as tl
from torch import Tensor

from kiln_engine.kernels.triton.launch import Launch
from kiln_engine.kernels.triton.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

_TILE: Final = 1024


def act_mul_launches(gate_up: Tensor, out: Tensor) -> Iterator[Launch]:
    """What puts SiLU of the first half of gate_up [N, 2 * I] times its second half into `out` [N, I]."""
    num_rows, width = out.shape
    args: dict[str, Tensor | int | float] = {"gate_up": gate_up, "out": out, "width": width}
    yield Launch(_act_mul, (num_rows, triton.cdiv(width, _TILE)), args, {"tile": _TILE})


@triton.jit
def _act_mul(gate_up, out, width, tile: tl.constexpr):
    """A stretch of one row."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * tile + tl.arange(0, tile)
    inside = columns < width
    gate = tl.load(gate_up + row * 2 * width + columns, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(gate_up + row * 2 * width + width + columns, mask=inside, other=0.0).to(tl.float32)
    active = rounded(gate / (1.0 + tl.exp(-gate)), out)
    tl.store(out + row * width + columns, (active * up).to(out.dtype.element_ty), mask=inside)
