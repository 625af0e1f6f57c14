"""Attention over one split of a context, and how splits are put together: the steps that every row goes through.

A context is cut into splits of `SPLIT` positions, and these into tiles, at fixed positions. A row is what a key-value
head is asked by: one position's query head of its group. A split or tile that a row does not see changes none of its
bits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import triton
import triton.language as tl
from torch import Tensor

from kiln_engine.kernels.triton.launch import padded
from kiln_engine.kernels.triton.numbers import is_wide, widens

if TYPE_CHECKING:
    from kiln_engine.batch import Batch
    from kiln_engine.kernels.facade import PagedKV

SPLIT: Final = 256
"""Positions whose scores are summed up before they meet those of the split before."""
_NO_WINDOW: Final = 2**30


class Attention(NamedTuple):
    """One call: what attends to what, and where the result goes."""

    query: Tensor
    """[N, heads, D]"""
    kv: PagedKV
    batch: Batch
    scale: float
    window: int | None
    out: Tensor
    """[N, heads, D]"""

    @property
    def num_kv_heads(self) -> int:
        return self.kv.keys.shape[1]

    @property
    def group_size(self) -> int:
        return self.query.shape[1] // self.num_kv_heads

    @property
    def args(self) -> dict[str, Tensor | int | float]:
        """What every kernel that reads the cache is given. Scores are in powers of two, which are cheaper than e."""
        batch = self.batch
        args: dict[str, Tensor | int | float] = {"query": self.query, "keys": self.kv.keys, "values": self.kv.values}
        args |= {"row_offsets": batch.row_offsets, "context_lens": batch.context_lens}
        args |= {"block_offsets": batch.block_offsets, "block_ids": batch.block_ids}
        args |= {"scale": self.scale * math.log2(math.e)}
        return args | {"window": _NO_WINDOW if self.window is None else self.window}

    @property
    def constants(self) -> dict[str, int | bool]:
        """What every kernel that reads the cache is compiled for."""
        head_dim = self.query.shape[2]
        sizes: dict[str, int | bool] = {"group_size": self.group_size, "num_kv_heads": self.num_kv_heads}
        sizes |= {"head_dim": head_dim, "block_size": self.kv.block_size, "split": SPLIT}
        sizes |= {"tile_rows": self.tile_rows, "tile_positions": self._tile_positions, "tile_dim": padded(head_dim, 16)}
        return sizes | {"wide": widens(self.query, self.kv.keys)}

    @property
    def tile_rows(self) -> int:
        """Rows that one program computes: what one tensor-core instruction of Hopper takes, or few enough to stay in
        registers where products are computed in float32."""
        return 16 if self._wide else 64

    @property
    def num_warps(self) -> int:
        return 8 if self._wide or self.query.shape[2] > 128 else 4

    @property
    def num_stages(self) -> int:
        return 1 if self._wide else 2

    @property
    def _tile_positions(self) -> int:
        return 32 if self._wide or self.query.shape[2] > 128 else 64

    @property
    def _wide(self) -> bool:
        return is_wide(self.query, self.kv.keys)


@triton.jit
def attend_split(
    query, keys, values, block_ids, row_positions, start, stop, scale, window,
    num_kv_heads: tl.constexpr, head_dim: tl.constexpr, block_size: tl.constexpr, tile_rows: tl.constexpr,
    tile_positions: tl.constexpr, tile_dim: tl.constexpr, wide: tl.constexpr,
):  # fmt: skip
    """Attention of query [tile rows, tile dim] over positions start to stop - 1, start a multiple of a tile.

    `keys` and `values` point to a head's part of block 0, `block_ids` to a sequence's table. Returns, in float32, what
    `merge` takes: each row's highest score, the sum of its weights, and its weighted values before division.
    """
    dims = tl.arange(0, tile_dim)
    highest = tl.full((tile_rows,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((tile_rows,), dtype=tl.float32)
    mixed = tl.zeros((tile_rows, tile_dim), dtype=tl.float32)
    for first in range(start, stop, tile_positions):
        positions = first + tl.arange(0, tile_positions)
        live = positions < stop
        blocks = tl.load(block_ids + positions // block_size, mask=live, other=0).to(tl.int64)
        places = (blocks * num_kv_heads * block_size + positions % block_size) * head_dim
        inside = live[:, None] & (dims < head_dim)[None, :]
        key = tl.load(keys + places[:, None] + dims[None, :], mask=inside, other=0.0)
        value = tl.load(values + places[:, None] + dims[None, :], mask=inside, other=0.0)
        if wide:
            key, value = key.to(tl.float32), value.to(tl.float32)
        scores = tl.dot(query, tl.trans(key), input_precision="ieee") * scale
        behind = row_positions[:, None] - positions[None, :]
        scores = tl.where((behind >= 0) & (behind < window) & live[None, :], scores, float("-inf"))
        top = tl.maximum(highest, tl.max(scores, axis=1))
        # A row that has seen nothing yet has no highest score to measure from.
        base = tl.where(top == float("-inf"), 0.0, top)
        shares = tl.exp2(scores - base[:, None])
        kept = tl.exp2(highest - base)
        weight = weight * kept + tl.sum(shares, axis=1)
        mixed = tl.dot(shares.to(value.dtype), value, mixed * kept[:, None], input_precision="ieee")
        highest = top
    return highest, weight, mixed


@triton.jit
def merge(highest, weight, other_highest, other_weight):
    """Put two splits' softmaxes together: the new highest score and weight, and the factors of either's values."""
    top = tl.maximum(highest, other_highest)
    base = tl.where(top == float("-inf"), 0.0, top)
    kept, joined = tl.exp2(highest - base), tl.exp2(other_highest - base)
    return top, weight * kept + other_weight * joined, kept, joined
