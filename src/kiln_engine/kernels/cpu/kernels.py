"""The facade on the CPU: arguments are checked, outputs made, and the library called with addresses."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import Array, addressof
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor

from kiln_engine.errors import EngineError
from kiln_engine.kernels.cpu.arguments import (
    Indices,
    check_angles,
    check_batch,
    check_extras,
    check_heads,
    last_position,
    require,
    type_code,
)
from kiln_engine.kernels.cpu.library import WISH, CallStruct, Function, HeadsStruct, Library
from kiln_engine.kernels.cpu.program import CpuRecorder
from kiln_engine.kernels.cpu.tape import Call, Tape
from kiln_engine.kernels.deltas import add_deltas
from kiln_engine.kernels.drawing import Drawn
from kiln_engine.kernels.facade import Heads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kiln_engine.batch import Batch, Segment
    from kiln_engine.kernels.drawing import Drawer, Wish
    from kiln_engine.kernels.facade import HeadNorms, PagedKV, RotaryTable
    from kiln_engine.kernels.recording import Recorder
    from kiln_engine.weights import Linear

PANEL: Final = 16
"""Outputs that packed weights have side by side."""

_BAD_INDEX: Final = 3


class CpuKernels:
    """Implements the facade for float32 and bfloat16, in float32 inside. Raises ValueError for other arguments.

    Exact: sums are taken in one order for each output, and threads share out outputs, never a sum.
    """

    exact: Final = True

    def __init__(self, library: Library, name: str) -> None:
        self.name = name
        self.path = library.path
        self._library = library
        self._batch: Batch | None = None
        self._limits = (0, 0)
        self._last_position = 0
        self._tape: Tape | None = None

    def recorder(self) -> Recorder:
        return CpuRecorder(self)

    @contextmanager
    def taped(self) -> Iterator[Tape]:
        """Keep on a tape what is done meanwhile."""
        self._tape = tape = Tape()
        try:
            yield tape
        finally:
            self._tape = None

    def run(self, calls: Array[CallStruct]) -> None:
        """Make calls as one."""
        self._check_code(self._library.run(calls))

    def drawer(self) -> Drawer:
        return self.draw

    def draw(
        self,
        logits: Tensor,
        wishes: Sequence[Wish],
        extra_ids: NDArray[np.int64],
        extra_values: NDArray[np.float64],
    ) -> Drawn:
        num_rows, num_tokens = logits.shape
        address = require("the logits", logits, torch.float32, len(wishes), num_tokens)
        check_extras(wishes, extra_ids, extra_values, num_tokens)
        rows = np.array(wishes, dtype=WISH)
        drawn = Drawn(np.empty(num_rows, dtype=np.int64), np.empty(num_rows))
        self._check_code(
            self._library.draw(
                *(address, num_rows, num_tokens, rows.ctypes.data, extra_ids.ctypes.data, extra_values.ctypes.data),
                *(drawn.token_ids.ctypes.data, drawn.logprobs.ctypes.data, torch.get_num_threads()),
            )
        )
        return drawn

    def pack(self, matrix: Tensor) -> Tensor:
        """Panels [out / 16, in, 16] of a matrix [out, in], in its own memory where its rows fill all of them.

        Panels are in an order that is the library's own (panel.h); missing rows of the last one are 0.
        """
        outputs, inputs = matrix.shape
        code, address = type_code(matrix), require("the matrix", matrix, matrix.dtype, outputs, inputs)
        shape = (_panels(outputs), inputs, PANEL)
        packed = matrix.new_empty(shape) if outputs % PANEL else matrix.view(shape)
        arguments = (code, address, packed.data_ptr(), outputs, inputs, torch.get_num_threads())
        self._check_code(self._library.pack(*arguments))
        matrix.set_()  # type: ignore[call-overload]  # whoever goes on using it is told at once
        return packed

    def embed(self, token_ids: Tensor, table: Tensor) -> Tensor:
        num_panels, width, _ = table.shape
        (num_rows,) = token_ids.shape
        code, dtype = type_code(table), table.dtype
        source = require("the table", table, dtype, num_panels, width, PANEL)
        ids = require("token_ids", token_ids, torch.int32, num_rows)
        y = self._new(table, num_rows, width)
        self._call(self._library.embed, code, ids, source, y.data_ptr(), num_rows, width, num_panels * PANEL)
        return y

    def linear(self, x: Tensor, weight: Linear, segments: Sequence[Segment] = ()) -> Tensor:
        num_rows, inputs = x.shape
        outputs = weight.outputs
        code, dtype = type_code(x), x.dtype
        panels = require("the packed weight", weight.weight, dtype, _panels(outputs), inputs, PANEL)
        addresses = (require("x", x, dtype, num_rows, inputs), panels)
        bias = None if weight.bias is None else require("bias", weight.bias, dtype, outputs)
        y = self._new(x, num_rows, outputs)
        arguments = (code, *addresses, bias, y.data_ptr(), num_rows, inputs, outputs, torch.get_num_threads())
        self._call(self._library.linear, *arguments)
        add_deltas(y, x, weight, segments)
        return y

    def add_norm(self, x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        num_rows, width = x.shape
        code, dtype = type_code(x), x.dtype
        source, weights = require("x", x, dtype, num_rows, width), require("weight", weight, dtype, width)
        other = None if residual is None else require("residual", residual, dtype, num_rows, width)
        y = self._new(x, num_rows, width)
        total = x if residual is None else self._new(x, num_rows, width)
        self._call(
            self._library.add_norm,
            *(code, source, other, weights, eps, y.data_ptr(), total.data_ptr(), num_rows, width),
            torch.get_num_threads(),
        )
        return y, total

    def qk_norm_rope_write(
        self, qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch
    ) -> Tensor:
        code, dtype = type_code(qkv), qkv.dtype
        num_rows, dim = batch.num_rows, heads.head_dim
        columns = (heads.num_heads + 2 * heads.num_kv_heads) * dim
        source = require("qkv", qkv, dtype, num_rows, columns)
        self._check(batch, kv, heads, dtype, rope)
        query_weight, key_weight, eps = None, None, 0.0
        if norms is not None:
            query_weight = require("the query norm", norms.query, dtype, dim)
            key_weight, eps = require("the key norm", norms.key, dtype, dim), norms.eps
        query = self._new(qkv, num_rows, heads.num_heads, dim)
        self._call(
            self._library.rope_write,
            *(code, source, addressof(_struct(heads, kv.block_size)), query_weight, key_weight, eps),
            *(rope.cos.data_ptr(), rope.sin.data_ptr(), batch.positions.data_ptr(), batch.slots.data_ptr()),
            *(query.data_ptr(), kv.keys.data_ptr(), kv.values.data_ptr(), num_rows, torch.get_num_threads()),
        )
        return query

    def paged_attention(
        self, query: Tensor, kv: PagedKV, batch: Batch, *, scale: float, window: int | None = None
    ) -> Tensor:
        code, dtype = type_code(query), query.dtype
        num_rows, num_heads, dim = query.shape
        heads = Heads(num_heads, kv.keys.shape[1], dim)
        source = require("query", query, dtype, batch.num_rows, num_heads, dim)
        self._check(batch, kv, heads, dtype)
        if window is not None and window < 1:
            raise ValueError(f"a window of {window}; a row sees at least itself")
        out = self._new(query, num_rows, num_heads * dim)
        self._call(
            self._library.attention,
            *(code, source, kv.keys.data_ptr(), kv.values.data_ptr(), addressof(_struct(heads, kv.block_size))),
            *(batch.row_offsets.data_ptr(), batch.context_lens.data_ptr()),
            *(batch.block_offsets.data_ptr(), batch.block_ids.data_ptr(), batch.context_lens.shape[0]),
            *(scale, window or 0, out.data_ptr(), torch.get_num_threads()),
        )
        return out

    def act_mul(self, gate_up: Tensor) -> Tensor:
        num_rows, columns = gate_up.shape
        if columns % 2:
            raise ValueError(f"{columns} columns are not a gate and as much to be gated")
        code, dtype = type_code(gate_up), gate_up.dtype
        source = require("gate_up", gate_up, dtype, num_rows, columns)
        y = self._new(gate_up, num_rows, columns // 2)
        self._call(self._library.act_mul, code, source, y.data_ptr(), num_rows, columns // 2, torch.get_num_threads())
        return y

    def read(self, memory: Tensor) -> int:
        """Go through memory as fast as it can be read, for measuring against; the exclusive or of its words."""
        return self._library.read(memory.data_ptr(), memory.nbytes, torch.get_num_threads())

    def _check(
        self, batch: Batch, kv: PagedKV, heads: Heads, dtype: torch.dtype, rope: RotaryTable | None = None
    ) -> None:
        check_heads(heads)
        shape = (kv.keys.shape[0], heads.num_kv_heads, kv.block_size, heads.head_dim)
        require("the cache's keys", kv.keys, dtype, *shape)
        require("the cache's values", kv.values, dtype, *shape)
        if rope is not None:
            angles = (rope.cos.shape[0], heads.head_dim // 2)
            require("the cosines", rope.cos, torch.float32, *angles)
            require("the sines", rope.sin, torch.float32, *angles)
        # Every layer has the same batch, and a cache of one size: its indices are gone through once.
        limits = (kv.keys.shape[0], kv.block_size)
        if batch is not self._batch or limits != self._limits:
            check_batch(batch)
            self._last_position = last_position(batch, *limits)
            self._batch, self._limits = batch, limits
        num_angles = None if rope is None else rope.cos.shape[0]
        if num_angles is not None:
            check_angles(self._last_position, num_angles)
        if self._tape is not None:
            self._tape.rely_on(Indices(batch, *limits, num_angles))

    def _new(self, like: Tensor, *shape: int) -> Tensor:
        """Memory for an output, of the dtype and on the device of an input."""
        made = like.new_empty(shape)
        if self._tape is not None:
            self._tape.buffers.append(made)
        return made

    def _call(self, function: Function, *arguments: Any) -> None:
        self._check_code(function(*arguments))
        if self._tape is not None:
            self._tape.calls.append(Call(function.__name__, arguments))

    def _check_code(self, code: int) -> None:
        if code == _BAD_INDEX:
            raise ValueError("an index lies outside its table")
        if code:
            raise EngineError("the CPU kernels have no memory to work in: lower kv_cache_memory or max_num_seqs")


def _panels(outputs: int) -> int:
    return -(-outputs // PANEL)


@cache
def _struct(heads: Heads, block_size: int) -> HeadsStruct:
    """One that stays where it is: a recorded call may hold its address."""
    return HeadsStruct(*heads, block_size)
