"""The kernels in plain torch: the oracle that others are held against, and what runs where nothing else can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch
from torch import Tensor
from torch.nn import functional

from kiln_engine.kernels.deltas import add_deltas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kiln_engine.batch import Batch, Extent, Segment
    from kiln_engine.kernels.drawing import Drawer
    from kiln_engine.kernels.facade import HeadNorms, Heads, PagedKV, RotaryTable
    from kiln_engine.kernels.recording import Recorder
    from kiln_engine.weights import Linear

_MAX_SCORES: Final = 8 * 1024 * 1024
"""Attention scores held at once, in elements: long prompts go through in tiles of rows."""


class ReferenceKernels:
    """Implements the facade for any device and dtype; norms and attention are computed in float32.

    Not exact: torch's matrix product takes another order of summation for another number of rows.
    """

    name: Final = "torch"
    exact: Final = False

    def recorder(self) -> Recorder | None:
        return None

    def drawer(self) -> Drawer | None:
        return None

    def pack(self, matrix: Tensor) -> Tensor:
        return matrix

    def embed(self, token_ids: Tensor, table: Tensor) -> Tensor:
        return functional.embedding(token_ids, table)

    def linear(self, x: Tensor, weight: Linear, segments: Sequence[Segment] = ()) -> Tensor:
        y = functional.linear(x, weight.weight, weight.bias)
        add_deltas(y, x, weight, segments)
        return y

    def add_norm(self, x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        total = x if residual is None else x + residual
        return rms_norm(total, weight, eps), total

    def qk_norm_rope_write(
        self, qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch
    ) -> Tensor:
        columns = qkv.view(qkv.shape[0], -1, heads.head_dim)
        query, key, value = torch.split(columns, [heads.num_heads, heads.num_kv_heads, heads.num_kv_heads], dim=1)
        if norms is not None:
            query = rms_norm(query, norms.query, norms.eps)
            key = rms_norm(key, norms.key, norms.eps)
        cos, sin = (table[batch.positions].unsqueeze(1) for table in rope)
        blocks, offsets = batch.slots.long() // kv.block_size, batch.slots.long() % kv.block_size
        kv.keys[blocks, :, offsets] = _rotated(key, cos, sin)
        kv.values[blocks, :, offsets] = value
        return _rotated(query, cos, sin)

    def paged_attention(
        self, query: Tensor, kv: PagedKV, batch: Batch, *, scale: float, window: int | None = None
    ) -> Tensor:
        out = torch.empty_like(query)
        for extent in batch.extents:
            table = batch.block_ids[extent.first_block : extent.first_block + extent.num_blocks]
            keys, values = (_gathered(cache, table, extent.context_len) for cache in kv)
            # Row r is at position r + shift.
            shift = extent.context_len - extent.num_rows - extent.first_row
            for first, last in _tiles(extent, num_heads=query.shape[1]):
                low = 0 if window is None else max(0, first + shift - window + 1)
                seen = slice(low, last + shift)
                hidden = _hidden(last - first, seen.stop - low, window, query.device)
                out[first:last] = _attend(query[first:last], keys[:, seen], values[:, seen], hidden, scale)
        return out.view(query.shape[0], -1)

    def act_mul(self, gate_up: Tensor) -> Tensor:
        gate, up = gate_up.chunk(2, dim=-1)
        return functional.silu(gate) * up


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x over the root of its mean square along the last axis, rounded to x's dtype, then times weight."""
    wide = x.float()
    return weight * (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)).to(x.dtype)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate the pairs (i, i + D / 2) of [N, heads, D]."""
    first, second = x.float().chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1).to(x.dtype)


def _gathered(cache: Tensor, table: Tensor, context_len: int) -> Tensor:
    """One sequence's keys or values in order: float32 [KV heads, context, D]."""
    blocks = cache[table].transpose(0, 1)
    return blocks.reshape(cache.shape[1], -1, cache.shape[3])[:, :context_len].float()


def _tiles(extent: Extent, num_heads: int) -> list[tuple[int, int]]:
    size = max(1, _MAX_SCORES // (num_heads * extent.context_len))
    stop = extent.first_row + extent.num_rows
    return [(first, min(first + size, stop)) for first in range(extent.first_row, stop, size)]


def _attend(query: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None, scale: float) -> Tensor:
    """Rows [R, heads, D] over float32 keys and values [KV heads, context, D]: [R, heads, D]."""
    num_rows, _, head_dim = query.shape
    num_kv_heads, context_len, _ = keys.shape
    # The heads of one group share their keys: [KV heads, R * group, D].
    grouped = query.float().view(num_rows, num_kv_heads, -1, head_dim).transpose(0, 1)
    scores = grouped.reshape(num_kv_heads, -1, head_dim) @ keys.transpose(1, 2) * scale
    scores = scores.view(num_kv_heads, num_rows, -1, context_len)
    if hidden is not None:
        scores.masked_fill_(hidden[:, None], float("-inf"))
    mixed = scores.softmax(-1).view(num_kv_heads, -1, context_len) @ values
    return mixed.view(num_kv_heads, num_rows, -1, head_dim).transpose(0, 1).reshape(query.shape).to(query.dtype)


def _hidden(num_rows: int, context_len: int, window: int | None, device: torch.device) -> Tensor | None:
    """True where a row may not look: [R, context], the last row at the last position. None when nothing is hidden."""
    if num_rows == 1:
        return None
    own = torch.arange(context_len - num_rows, context_len, device=device)[:, None]
    seen = torch.arange(context_len, device=device)[None]
    return seen > own if window is None else (seen > own) | (seen <= own - window)
