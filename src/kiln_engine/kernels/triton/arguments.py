"""What the kernels read is checked before any address is passed on: they would read past a wrong shape's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from kiln_engine.batch import Batch
    from kiln_engine.kernels.facade import HeadNorms, Heads, PagedKV, RotaryTable

_FORMATS = (torch.float32, torch.bfloat16, torch.float16)


def require(name: str, tensor: Tensor, *shape: int | None, dtype: torch.dtype | None = None) -> None:
    """Raise ValueError unless a tensor is contiguous, of this shape (None is any) and this dtype (or any of floats)."""
    sizes = tuple(tensor.shape)
    if len(sizes) != len(shape) or any(want not in (None, size) for want, size in zip(shape, sizes, strict=True)):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(f"{name} is [{', '.join(map(str, sizes))}]; give it as [{wanted}]")
    if tensor.dtype not in ((dtype,) if dtype else _FORMATS):
        wanted = str(dtype) if dtype else "float32, bfloat16 or float16"
        raise ValueError(f"{name} is of {tensor.dtype}; give it as {wanted}")
    if not tensor.is_contiguous():
        raise ValueError(f"{name} has strides {tensor.stride()}; give it as a contiguous tensor")


def require_cache(kv: PagedKV, num_kv_heads: int, head_dim: int) -> None:
    """Raise ValueError unless keys and values are caches of these heads that lie alike."""
    require("kv.keys", kv.keys, None, num_kv_heads, None, head_dim)
    require("kv.values", kv.values, *kv.keys.shape, dtype=kv.keys.dtype)


def require_projection(
    qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch
) -> None:
    """Raise ValueError unless everything that `qk_norm_rope_write` takes fits together."""
    require("qkv", qkv, batch.num_rows, (heads.num_heads + 2 * heads.num_kv_heads) * heads.head_dim)
    if heads.head_dim % 2:
        raise ValueError(f"heads are of {heads.head_dim} columns; only an even number can be rotated in pairs")
    for name, weight in (("norms.query", norms.query), ("norms.key", norms.key)) if norms else ():
        require(name, weight, heads.head_dim, dtype=qkv.dtype)
    require("rope.cos", rope.cos, None, heads.head_dim // 2, dtype=torch.float32)
    require("rope.sin", rope.sin, *rope.cos.shape, dtype=torch.float32)
    require("batch.positions", batch.positions, batch.num_rows, dtype=torch.int32)
    require("batch.slots", batch.slots, batch.num_rows, dtype=torch.int32)
    require_cache(kv, heads.num_kv_heads, heads.head_dim)


def require_attention(query: Tensor, kv: PagedKV, batch: Batch, window: int | None) -> None:
    """Raise ValueError unless everything that `paged_attention` takes fits together."""
    num_kv_heads = kv.keys.shape[1]
    require("query", query, batch.num_rows, None, None)
    if query.shape[1] % num_kv_heads or query.shape[2] > 256:
        raise ValueError(
            f"{query.shape[1]} query heads of {query.shape[2]} columns over {num_kv_heads} key-value heads: give a "
            "multiple of these, of at most 256 columns each"
        )
    if window is not None and window < 1:
        raise ValueError(f"the window is {window}; give at least 1, or None to see everything")
    require_cache(kv, num_kv_heads, query.shape[2])
    num_sequences = len(batch.extents)
    require("batch.context_lens", batch.context_lens, num_sequences, dtype=torch.int32)
    for name in ("row_offsets", "block_offsets"):
        require(f"batch.{name}", getattr(batch, name), num_sequences + 1, dtype=torch.int32)
    require("batch.block_ids", batch.block_ids, None, dtype=torch.int32)
