"""What comes between the product of queries, keys and values and attention: norms, rotation, the write to the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from kiln_engine.kernels.triton.launch import Launch, padded
from kiln_engine.kernels.triton.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from kiln_engine.batch import Batch
    from kiln_engine.kernels.facade import HeadNorms, Heads, PagedKV, RotaryTable


def rope_write_launches(
    qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch, query: Tensor
) -> Iterator[Launch]:
    """What normalises and rotates the rows of qkv, puts queries into `query` and writes keys and values to `kv`."""
    num_rows, num_heads, num_kv_heads = qkv.shape[0], heads.num_heads, heads.num_kv_heads
    args: dict[str, Tensor | int | float] = {"qkv": qkv, "query": query, "keys": kv.keys, "values": kv.values}
    args |= {"cos": rope.cos, "sin": rope.sin, "positions": batch.positions, "slots": batch.slots}
    # Where there are no norms, their pointers are there but not followed.
    args |= {"query_norm": norms.query if norms else qkv, "key_norm": norms.key if norms else qkv}
    args |= {"eps": norms.eps if norms else 0.0}
    constants: dict[str, int | bool] = {"num_heads": num_heads, "num_kv_heads": num_kv_heads}
    constants |= {"block_size": kv.block_size, "half": heads.head_dim // 2}
    constants |= {"tile": padded(heads.head_dim // 2), "normed": norms is not None}
    yield Launch(_rope_write, (num_rows, num_heads + 2 * num_kv_heads), args, constants, num_warps=1)


@triton.jit
def _normed(first, second, weight, columns, inside, eps, half: tl.constexpr):
    """RMS norm of one head, which is given as its two halves."""
    scale = tl.rsqrt(tl.sum(first * first + second * second, axis=0) / (2 * half) + eps)
    low = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    high = tl.load(weight + half + columns, mask=inside, other=0.0).to(tl.float32)
    first = rounded(low * rounded(first * scale, weight), weight)
    second = rounded(high * rounded(second * scale, weight), weight)
    return first, second


@triton.jit
def _rope_write(
    qkv, query, keys, values, cos, sin, positions, slots, query_norm, key_norm, eps,
    num_heads: tl.constexpr, num_kv_heads: tl.constexpr, block_size: tl.constexpr, half: tl.constexpr,
    tile: tl.constexpr, normed: tl.constexpr,
):  # fmt: skip
    """One head of one row: heads are the queries', then the keys', then the values'. A negative slot is not written."""
    row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    columns = tl.arange(0, tile)
    inside = columns < half
    source = qkv + (row * (num_heads + 2 * num_kv_heads) + head) * 2 * half + columns
    first = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(source + half, mask=inside, other=0.0).to(tl.float32)
    if head < num_heads + num_kv_heads:
        if normed:
            if head < num_heads:
                first, second = _normed(first, second, query_norm, columns, inside, eps, half)
            else:
                first, second = _normed(first, second, key_norm, columns, inside, eps, half)
        angle = tl.load(positions + row).to(tl.int64) * half + columns
        c = tl.load(cos + angle, mask=inside, other=0.0)
        s = tl.load(sin + angle, mask=inside, other=0.0)
        first, second = rounded(first * c - second * s, qkv), rounded(second * c + first * s, qkv)
    if head < num_heads:
        target = query + (row * num_heads + head) * 2 * half + columns
        tl.store(target, first.to(query.dtype.element_ty), mask=inside)
        tl.store(target + half, second.to(query.dtype.element_ty), mask=inside)
    else:
        kv_head = (head - num_heads) % num_kv_heads
        slot = tl.load(slots + row)
        block = (slot // block_size).to(tl.int64)
        place = ((block * num_kv_heads + kv_head) * block_size + slot % block_size) * 2 * half + columns
        if slot >= 0:
            if head < num_heads + num_kv_heads:
                tl.store(keys + place, first.to(keys.dtype.element_ty), mask=inside)
                tl.store(keys + place + half, second.to(keys.dtype.element_ty), mask=inside)
            else:
                tl.store(values + place, first.to(values.dtype.element_ty), mask=inside)
                tl.store(values + place + half, second.to(values.dtype.element_ty), mask=inside)
