"""The facade in Triton."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch
from torch import Tensor
from torch.nn import functional

from kiln_engine.kernels.deltas import add_deltas
from kiln_engine.kernels.triton.act_mul import act_mul_launches
from kiln_engine.kernels.triton.arguments import require, require_attention, require_projection
from kiln_engine.kernels.triton.attention_decode import decode_launches
from kiln_engine.kernels.triton.attention_prefill import prefill_launches
from kiln_engine.kernels.triton.attention_split import SPLIT, Attention
from kiln_engine.kernels.triton.cuda_graph import CudaGraphs
from kiln_engine.kernels.triton.launch import Launch
from kiln_engine.kernels.triton.linear import linear_launches, product_tile
from kiln_engine.kernels.triton.norms import add_norm_launches
from kiln_engine.kernels.triton.rope_write import rope_write_launches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kiln_engine.batch import Batch, Segment
    from kiln_engine.kernels.drawing import Drawer
    from kiln_engine.kernels.facade import HeadNorms, Heads, PagedKV, RotaryTable
    from kiln_engine.kernels.recording import Recorder
    from kiln_engine.weights import Linear


class TritonKernels:
    """Implements the facade for tensors on one NVIDIA GPU, or on the CPU in Triton's interpreter.

    Exact for all that it computes itself; an adapter's delta is as exact as the adapter's own product. Every method
    raises ValueError for arguments that do not fit together.
    """

    name: Final = "triton"
    exact: Final = True

    def __init__(self, launch: Callable[[Launch], None] = Launch.run) -> None:
        """`launch` is given each kernel start in order; other than to run it, one may take it down to compile it."""
        self._launch = launch

    def recorder(self) -> Recorder | None:
        return CudaGraphs() if torch.cuda.is_available() else None  # else it is the interpreter that runs

    def drawer(self) -> Drawer | None:
        return None

    def pack(self, matrix: Tensor) -> Tensor:
        return matrix

    def embed(self, token_ids: Tensor, table: Tensor) -> Tensor:
        return functional.embedding(token_ids, table)

    def linear(self, x: Tensor, weight: Linear, segments: Sequence[Segment] = ()) -> Tensor:
        require("x", x, None, weight.weight.shape[1])
        require("weight", weight.weight, None, None)
        if weight.bias is not None:
            require("bias", weight.bias, weight.weight.shape[0])
        y = x.new_empty(x.shape[0], weight.weight.shape[0])
        self._run(linear_launches(x, weight.weight, weight.bias, y, product_tile(weight.weight)))
        add_deltas(y, x, weight, segments)
        return y

    def add_norm(self, x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        require("x", x, None, None)
        require("weight", weight, x.shape[1], dtype=x.dtype)
        if residual is not None:
            require("residual", residual, *x.shape, dtype=x.dtype)
        normed = torch.empty_like(x)
        total = x if residual is None else torch.empty_like(x)
        self._run(add_norm_launches(x, residual, weight, eps, normed, total))
        return normed, total

    def qk_norm_rope_write(
        self, qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch
    ) -> Tensor:
        require_projection(qkv, heads, norms, rope, kv, batch)
        query = qkv.new_empty(qkv.shape[0], heads.num_heads, heads.head_dim)
        self._run(rope_write_launches(qkv, heads, norms, rope, kv, batch, query))
        return query

    def paged_attention(
        self, query: Tensor, kv: PagedKV, batch: Batch, *, scale: float, window: int | None = None
    ) -> Tensor:
        require_attention(query, kv, batch, window)
        call = Attention(query, kv, batch, scale, window, torch.empty_like(query))
        longest = max((extent.context_len for extent in batch.extents if extent.num_rows == 1), default=0)
        decodes = longest > SPLIT
        if decodes:
            self._run(decode_launches(call, longest))
        if not decodes or any(extent.num_rows > 1 for extent in batch.extents):
            self._run(prefill_launches(call, skip_single_rows=decodes))
        return call.out.view(query.shape[0], -1)

    def act_mul(self, gate_up: Tensor) -> Tensor:
        require("gate_up", gate_up, None, None)
        if gate_up.shape[1] % 2:
            raise ValueError(f"gate_up has {gate_up.shape[1]} columns; give an even number, the gate's before the rest")
        out = gate_up.new_empty(gate_up.shape[0], gate_up.shape[1] // 2)
        self._run(act_mul_launches(gate_up, out))
        return out

    def _run(self, launches: Iterable[Launch]) -> None:
        for launch in launches:
            self._launch(launch)
