"""Compile every kernel, without a GPU: `python ahead_of_time.py 90 bfloat16 128` prints a line of JSON for each.

The kernels are taken down as the facade starts them, on tensors without memory, so what is compiled is what would run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

import torch
import triton
from torch import Tensor
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kiln_engine.batch import Batch
from kiln_engine.kernels.facade import Heads, PagedKV
from kiln_engine.kernels.triton.kernels import TritonKernels
from kiln_engine.kernels.triton.launch import Launch
from kiln_engine.weights import Linear
from tests.gpu.ragged import Draw, Place, Span, poisoned_cache, ragged_batch

_META: Final = torch.device("meta")
_POINTERS: Final = {torch.float32: "*fp32", torch.bfloat16: "*bf16", torch.int32: "*i32"}


def launches(dtype: torch.dtype, head_dim: int) -> list[Launch]:
    """Every start of a kernel that a step of one-row and longer sequences leads to."""
    taken: list[Launch] = []
    kernels, place = TritonKernels(taken.append), Place(_META, dtype)
    heads, draw = Heads(16, 8, head_dim), Draw(0, place)
    for spans in ([Span(1, 2048), Span(1, 600)], [Span(512, 512)]):
        batch, num_blocks = ragged_batch(spans, 16, _META)
        kv = poisoned_cache(num_blocks, 16, heads, place)
        query = draw(batch.num_rows, heads.num_heads, head_dim)
        kernels.paged_attention(query, kv, batch, scale=1.0)
    _rest(kernels, heads, kv, batch, draw)
    return taken


def _rest(kernels: TritonKernels, heads: Heads, kv: PagedKV, batch: Batch, draw: Draw) -> None:
    qkv = draw(batch.num_rows, 32 * heads.head_dim)
    for norms in (draw.head_norms(heads.head_dim), None):
        kernels.qk_norm_rope_write(qkv, heads, norms, draw.rotary(4096, heads.head_dim), kv, batch)
    for width, outputs, num_rows in ((4096, 4096, 1), (4096, 16384, 512)):
        x = draw(num_rows, width)
        kernels.linear(x, Linear(draw(outputs, width), draw(outputs), ()))
        kernels.add_norm(x, x, draw(width), 1e-6)
    kernels.act_mul(qkv)


def compiled(launch: Launch, target: GPUTarget) -> Any:
    """As Triton would compile it at its first start: addresses and sizes that 16 divides are known to be so."""
    signature, hints = {}, {}
    for index, name in enumerate(launch.kernel.arg_names):
        signature[name] = _type_of(launch.args[name]) if name in launch.args else "constexpr"
        value = launch.args.get(name)
        if isinstance(value, Tensor) or (isinstance(value, int) and value % 16 == 0):
            hints[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=launch.kernel, signature=signature, constexprs=launch.constants, attrs=hints)
    return triton.compile(source, target=target, options=launch.options)


def _type_of(value: Tensor | int | float) -> str:
    if isinstance(value, Tensor):
        return _POINTERS[value.dtype]
    return "i32" if isinstance(value, int) else "fp32"


def _distinct(taken: list[Launch]) -> Iterator[Launch]:
    seen = set()
    for launch in taken:
        kind = (launch.kernel.__name__, *sorted(launch.constants.items()))
        if kind not in seen:
            seen.add(kind)
            yield launch


def main(capability: int, dtype: torch.dtype, head_dim: int) -> None:
    target = GPUTarget("cuda", capability, 32)
    for launch in _distinct(launches(dtype, head_dim)):
        binary = compiled(launch, target)
        line = {"kernel": launch.kernel.__name__, "shared": binary.metadata.shared}
        line |= {"tensor_cores": any(word in binary.asm["ptx"] for word in ("mma.sync", "wgmma", "tcgen05.mma"))}
        line |= {"fused": "fma.rn.f32" in binary.asm["ptx"]}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), getattr(torch, sys.argv[2]), int(sys.argv[3]))
