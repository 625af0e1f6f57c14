"""Matrix product whose rows have the same bits whatever stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from kiln_engine.kernels.triton.launch import Launch
from kiln_engine.kernels.triton.numbers import widens

if TYPE_CHECKING:
    from collections.abc import Iterator


class ProductTile(NamedTuple):
    """What one program computes at a time. It depends on the weight, never on the number of rows."""

    rows: int
    """64: what one tensor-core instruction of Hopper takes."""
    columns: int
    inner: int
    """Inputs that are multiplied in one step."""
    split: int
    """Inputs that are summed up before they are added to those of the split before."""
    num_stages: int


_ENOUGH_PROGRAMS: Final = 256
"""From here on a GPU is busy without computing splits side by side."""
_SUM_COLUMNS: Final = 1024


def product_tile(weight: Tensor) -> ProductTile:
    """The tile for a weight [out, in]: a narrow one gives more programs where there are few outputs."""
    if weight.dtype == torch.float32:
        return ProductTile(64, 64, 32, 1024, num_stages=2)
    columns = 128 if weight.shape[0] >= 8192 else 64
    return ProductTile(64, columns, 64, 1024, num_stages=4)


def linear_launches(x: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor, tile: ProductTile) -> Iterator[Launch]:
    """What computes x [N, in] by weight [out, in] plus bias [out] into `out` [N, out]."""
    (num_rows, width), num_columns = x.shape, weight.shape[0]
    num_splits = triton.cdiv(width, tile.split)
    grid = (triton.cdiv(num_rows, tile.rows), triton.cdiv(num_columns, tile.columns), num_splits)
    side_by_side = num_splits > 1 and grid[0] * grid[1] < _ENOUGH_PROGRAMS
    biased = bias is not None
    args: dict[str, Tensor | int | float] = {"x": x, "weight": weight, "num_rows": num_rows}
    args |= {"num_columns": num_columns, "width": width}
    constants = {"tile_rows": tile.rows, "tile_columns": tile.columns, "tile_inner": tile.inner}
    constants |= {"split": tile.split, "wide": widens(x, weight)}
    if not side_by_side:
        args |= {"bias": weight if bias is None else bias, "out": out}
        constants |= {"biased": biased}
        yield Launch(_product, grid[:2], args, constants, num_stages=tile.num_stages)
        return
    partial = torch.empty((num_splits, num_rows, num_columns), dtype=torch.float32, device=x.device)
    yield Launch(_partial_product, grid, {**args, "partial": partial}, constants, num_stages=tile.num_stages)
    args = {"partial": partial, "bias": weight if bias is None else bias, "out": out}
    args |= {"num_rows": num_rows, "num_columns": num_columns, "num_splits": num_splits}
    sum_grid = (num_rows, triton.cdiv(num_columns, _SUM_COLUMNS))
    yield Launch(_sum_splits, sum_grid, args, {"biased": biased, "tile_columns": _SUM_COLUMNS})


@triton.jit
def _split_product(
    x, weight, rows, columns, num_rows, num_columns, width, start,
    tile_rows: tl.constexpr, tile_columns: tl.constexpr, tile_inner: tl.constexpr, split: tl.constexpr,
    wide: tl.constexpr,
):  # fmt: skip
    """float32 [tile rows, tile columns]: products of inputs start to start + split - 1, summed in ascending order."""
    total = tl.zeros((tile_rows, tile_columns), dtype=tl.float32)
    for first in range(start, tl.minimum(start + split, width), tile_inner):
        inner = first + tl.arange(0, tile_inner)
        inside = (inner < width)[None, :]
        a = tl.load(x + rows[:, None] * width + inner[None, :], mask=(rows < num_rows)[:, None] & inside, other=0.0)
        b = tl.load(
            weight + columns[:, None] * width + inner[None, :],
            mask=(columns < num_columns)[:, None] & inside,
            other=0.0,
        )
        if wide:
            a, b = a.to(tl.float32), b.to(tl.float32)
        total = tl.dot(a, tl.trans(b), total, input_precision="ieee")
    return total


@triton.jit
def _product(
    x, weight, bias, out, num_rows, num_columns, width,
    tile_rows: tl.constexpr, tile_columns: tl.constexpr, tile_inner: tl.constexpr, split: tl.constexpr,
    wide: tl.constexpr, biased: tl.constexpr,
):  # fmt: skip
    """One tile of the output, split after split. Programs that share a weight's tile are neighbours."""
    rows = (tl.program_id(0) * tile_rows + tl.arange(0, tile_rows)).to(tl.int64)
    columns = (tl.program_id(1) * tile_columns + tl.arange(0, tile_columns)).to(tl.int64)
    total = tl.zeros((tile_rows, tile_columns), dtype=tl.float32)
    for start in range(0, width, split):
        total += _split_product(
            x, weight, rows, columns, num_rows, num_columns, width, start,
            tile_rows, tile_columns, tile_inner, split, wide,
        )  # fmt: skip
    if biased:
        total += tl.load(bias + columns, mask=columns < num_columns, other=0.0).to(tl.float32)[None, :]
    inside = (rows < num_rows)[:, None] & (columns < num_columns)[None, :]
    tl.store(out + rows[:, None] * num_columns + columns[None, :], total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _partial_product(
    x, weight, partial, num_rows, num_columns, width,
    tile_rows: tl.constexpr, tile_columns: tl.constexpr, tile_inner: tl.constexpr, split: tl.constexpr,
    wide: tl.constexpr,
):  # fmt: skip
    """One tile of one split, into `partial` [splits, N, out]."""
    rows = (tl.program_id(0) * tile_rows + tl.arange(0, tile_rows)).to(tl.int64)
    columns = (tl.program_id(1) * tile_columns + tl.arange(0, tile_columns)).to(tl.int64)
    index = tl.program_id(2)
    total = _split_product(
        x, weight, rows, columns, num_rows, num_columns, width, index * split,
        tile_rows, tile_columns, tile_inner, split, wide,
    )  # fmt: skip
    target = partial + (index * num_rows + rows)[:, None] * num_columns + columns[None, :]
    tl.store(target, total, mask=(rows < num_rows)[:, None] & (columns < num_columns)[None, :])


@triton.jit
def _sum_splits(
    partial, bias, out, num_rows, num_columns, num_splits, biased: tl.constexpr, tile_columns: tl.constexpr
):  # fmt: skip
    """Add up one row's splits in order, as `_product` does."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * tile_columns + tl.arange(0, tile_columns)
    inside = columns < num_columns
    total = tl.zeros((tile_columns,), dtype=tl.float32)
    for index in range(num_splits):
        total += tl.load(partial + (index * num_rows + row) * num_columns + columns, mask=inside, other=0.0)
    if biased:
        total += tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * num_columns + columns, total.to(out.dtype.element_ty), mask=inside)
