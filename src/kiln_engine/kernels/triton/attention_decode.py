"""Attention of sequences with one row each, a program for each split of a context: few rows keep a GPU busy, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import triton
import triton.language as tl

from kiln_engine.kernels.triton.attention_split import SPLIT, attend_split, merge
from kiln_engine.kernels.triton.launch import Launch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from kiln_engine.kernels.triton.attention_split import Attention


def decode_launches(call: Attention, longest: int) -> Iterator[Launch]:
    """What computes the rows of sequences that have one; `longest` is the longest context among those."""
    num_heads, head_dim = call.query.shape[1:]
    num_sequences, num_splits = call.batch.context_lens.shape[0], triton.cdiv(longest, SPLIT)
    shape = (num_sequences, num_heads, num_splits)
    states = torch.empty((*shape, 2), dtype=torch.float32, device=call.query.device)
    mixed = torch.empty((*shape, head_dim), dtype=torch.float32, device=call.query.device)
    scratch: dict[str, Tensor | int | float] = {"states": states, "mixed": mixed, "num_splits": num_splits}
    num_tiles = triton.cdiv(call.group_size, call.tile_rows)
    grid = (num_sequences, call.num_kv_heads * num_tiles, num_splits)
    constants = {**call.constants, "num_tiles": num_tiles}
    yield Launch(_decode_split, grid, {**call.args, **scratch}, constants, call.num_warps, call.num_stages)

    args = {name: call.args[name] for name in ("row_offsets", "context_lens", "window")}
    sizes = {name: call.constants[name] for name in ("head_dim", "split", "tile_positions", "tile_dim")}
    sizes["num_heads"] = num_heads
    yield Launch(_merge_splits, shape[:2], {**args, **scratch, "out": call.out}, sizes, num_warps=1)


@triton.jit
def _decode_split(
    query, keys, values, row_offsets, context_lens, block_offsets, block_ids, states, mixed, num_splits, scale, window,
    group_size: tl.constexpr, num_kv_heads: tl.constexpr, head_dim: tl.constexpr, block_size: tl.constexpr,
    split: tl.constexpr, tile_rows: tl.constexpr, tile_positions: tl.constexpr, tile_dim: tl.constexpr,
    wide: tl.constexpr, num_tiles: tl.constexpr,
):  # fmt: skip
    """One split of one sequence for (a tile of) the query heads of one key-value head."""
    sequence, index = tl.program_id(0).to(tl.int64), tl.program_id(2)
    kv_head, tile = tl.program_id(1) // num_tiles, tl.program_id(1) % num_tiles
    row = tl.load(row_offsets + sequence)
    context_len = tl.load(context_lens + sequence)
    lowest = tl.maximum(context_len - window, 0) // tile_positions * tile_positions
    start, stop = tl.maximum(index * split, lowest), tl.minimum(index * split + split, context_len)
    if tl.load(row_offsets + sequence + 1) - row != 1 or start >= stop:
        return
    members = tile * tile_rows + tl.arange(0, tile_rows)
    heads = kv_head * group_size + members
    dims = tl.arange(0, tile_dim)
    inside = (members < group_size)[:, None] & (dims < head_dim)[None, :]
    places = (row.to(tl.int64) * num_kv_heads * group_size + heads) * head_dim
    q = tl.load(query + places[:, None] + dims[None, :], mask=inside, other=0.0)
    if wide:
        q = q.to(tl.float32)
    row_positions = tl.full((tile_rows,), 0, dtype=tl.int32) + context_len - 1
    split_highest, split_weight, split_mixed = attend_split(
        q, keys + kv_head * block_size * head_dim, values + kv_head * block_size * head_dim,
        block_ids + tl.load(block_offsets + sequence), row_positions, start, stop, scale, window,
        num_kv_heads, head_dim, block_size, tile_rows, tile_positions, tile_dim, wide,
    )  # fmt: skip
    target = (sequence * num_kv_heads * group_size + heads) * num_splits + index
    tl.store(states + target * 2, split_highest, mask=members < group_size)
    tl.store(states + target * 2 + 1, split_weight, mask=members < group_size)
    tl.store(mixed + target[:, None] * head_dim + dims[None, :], split_mixed, mask=inside)


@triton.jit
def _merge_splits(
    states, mixed, out, row_offsets, context_lens, num_splits, window,
    num_heads: tl.constexpr, head_dim: tl.constexpr, split: tl.constexpr, tile_positions: tl.constexpr,
    tile_dim: tl.constexpr,
):  # fmt: skip
    """Put one head's splits together in order, as a prefill does."""
    sequence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    row = tl.load(row_offsets + sequence)
    if tl.load(row_offsets + sequence + 1) - row != 1:
        return
    context_len = tl.load(context_lens + sequence)
    first = tl.maximum(context_len - window, 0) // tile_positions * tile_positions // split
    dims = tl.arange(0, tile_dim)
    source = (sequence * num_heads + head) * num_splits
    highest, weight = float("-inf"), 0.0
    total = tl.zeros((tile_dim,), dtype=tl.float32)
    for index in range(first, tl.cdiv(context_len, split)):
        split_highest = tl.load(states + (source + index) * 2)
        split_weight = tl.load(states + (source + index) * 2 + 1)
        values = tl.load(mixed + (source + index) * head_dim + dims, mask=dims < head_dim, other=0.0)
        highest, weight, kept, joined = merge(highest, weight, split_highest, split_weight)
        total = total * kept + values * joined
    result = total / tl.where(weight == 0.0, 1.0, weight)
    target = (row.to(tl.int64) * num_heads + head) * head_dim + dims
    tl.store(out + target, result.to(out.dtype.element_ty), mask=dims < head_dim)
