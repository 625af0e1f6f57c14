"""Attention with one program for a tile of rows: it goes through the whole context, split after split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from kiln_engine.kernels.triton.attention_split import attend_split, merge
from kiln_engine.kernels.triton.launch import Launch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kiln_engine.kernels.triton.attention_split import Attention


def prefill_launches(call: Attention, *, skip_single_rows: bool) -> Iterator[Launch]:
    """What computes all rows, or those of sequences that have more than one."""
    num_sequences = call.batch.context_lens.shape[0]
    # Sequences share no tile, so each can leave one incomplete.
    num_tiles = call.batch.num_rows * call.group_size // call.tile_rows + num_sequences
    yield Launch(
        _prefill,
        (num_tiles, call.num_kv_heads),
        {**call.args, "out": call.out, "num_sequences": num_sequences},
        {**call.constants, "skip_single_rows": skip_single_rows},
        call.num_warps,
        call.num_stages,
    )


@triton.jit
def _sequence_of(tile, row_offsets, num_sequences, group_size: tl.constexpr, tile_rows: tl.constexpr):
    """Which sequence a tile belongs to, and which of its tiles it is; there may be a few tiles without rows."""
    low, high = 0, num_sequences
    while high - low > 1:
        middle = (low + high) // 2
        if tl.load(row_offsets + middle) * group_size // tile_rows + middle <= tile:
            low = middle
        else:
            high = middle
    return low, tile - (tl.load(row_offsets + low) * group_size // tile_rows + low)


@triton.jit
def _prefill(
    query, keys, values, out, row_offsets, context_lens, block_offsets, block_ids, num_sequences, scale, window,
    group_size: tl.constexpr, num_kv_heads: tl.constexpr, head_dim: tl.constexpr, block_size: tl.constexpr,
    split: tl.constexpr, tile_rows: tl.constexpr, tile_positions: tl.constexpr, tile_dim: tl.constexpr,
    wide: tl.constexpr, skip_single_rows: tl.constexpr,
):  # fmt: skip
    """One tile of the rows of one sequence and one key-value head."""
    sequence, tile = _sequence_of(tl.program_id(0), row_offsets, num_sequences, group_size, tile_rows)
    kv_head = tl.program_id(1)
    first_row = tl.load(row_offsets + sequence)
    num_rows = tl.load(row_offsets + sequence + 1) - first_row
    if tile * tile_rows >= num_rows * group_size or (skip_single_rows and num_rows == 1):
        return
    shift = tl.load(context_lens + sequence) - num_rows
    flat = tile * tile_rows + tl.arange(0, tile_rows)
    rows, heads = flat // group_size, kv_head * group_size + flat % group_size
    dims = tl.arange(0, tile_dim)
    places = ((first_row + rows).to(tl.int64) * num_kv_heads * group_size + heads) * head_dim
    inside = (rows < num_rows)[:, None] & (dims < head_dim)[None, :]
    q = tl.load(query + places[:, None] + dims[None, :], mask=inside, other=0.0)
    if wide:
        q = q.to(tl.float32)
    lowest = tl.maximum(shift + tile * tile_rows // group_size - window + 1, 0) // tile_positions * tile_positions
    stop = shift + tl.minimum(num_rows, (tile * tile_rows + tile_rows - 1) // group_size + 1)

    highest = tl.full((tile_rows,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((tile_rows,), dtype=tl.float32)
    mixed = tl.zeros((tile_rows, tile_dim), dtype=tl.float32)
    block_ids += tl.load(block_offsets + sequence)
    for start in range(lowest // split * split, stop, split):
        split_highest, split_weight, split_mixed = attend_split(
            q, keys + kv_head * block_size * head_dim, values + kv_head * block_size * head_dim, block_ids,
            shift + rows, tl.maximum(start, lowest), tl.minimum(start + split, stop), scale, window,
            num_kv_heads, head_dim, block_size, tile_rows, tile_positions, tile_dim, wide,
        )  # fmt: skip
        highest, weight, kept, joined = merge(highest, weight, split_highest, split_weight)
        mixed = mixed * kept[:, None] + split_mixed * joined[:, None]
    # Rows that are not there have no weight.
    result = mixed / tl.where(weight == 0.0, 1.0, weight)[:, None]
    tl.store(out + places[:, None] + dims[None, :], result.to(out.dtype.element_ty), mask=inside)
