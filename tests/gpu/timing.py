"""How long each operation takes on a GPU, beside torch's own and beside a plain copy of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from kiln_engine.batch import Batch
from kiln_engine.kernels.facade import Heads, Kernels, PagedKV
from kiln_engine.weights import Linear
from tests.gpu.ragged import Draw, Place, Span, poisoned_cache, ragged_batch

_CALLS: Final = 15
_FLUSHED: Final = 512 * 2**20
"""Bytes that are written before each call, more than any level-2 cache holds."""
_HEADS: Final = Heads(16, 8, 128)
_SCALE: Final = 128**-0.5
_BLOCK_SIZE: Final = 16
_SHAPES: Final = ((1024, 4096), (3072, 1024), (4096, 24576), (12288, 4096), (1024, 151936))
_ROWS: Final = (1, 16, 64, 512, 4096)
_CONTEXTS: Final = ((1, 2048), (16, 2048), (64, 1024), (1, 32768))
_PROMPTS: Final = (512, 2048, 8192)


@dataclass(frozen=True)
class Timing:
    """Median times of a call with cold caches. `num_bytes` have to be moved at least, and `num_flops` computed."""

    operation: str
    case: str
    micros: float
    peer_micros: float
    num_bytes: int
    num_flops: int

    @property
    def gigabytes_per_s(self) -> float:
        return self.num_bytes / self.micros / 1e3

    @property
    def teraflops(self) -> float:
        return self.num_flops / self.micros / 1e6

    def row(self, copy_gigabytes_per_s: float) -> dict[str, str | float]:
        """All of it, and what follows from it."""
        derived = {"speed_to_torch": self.peer_micros / self.micros, "gigabytes_per_s": self.gigabytes_per_s}
        share = self.gigabytes_per_s / copy_gigabytes_per_s
        return {**asdict(self), **derived, "to_copy": share, "teraflops": self.teraflops}


class Stopwatch:
    """Times calls on the current stream."""

    def __init__(self) -> None:
        self._flushed = torch.empty(_FLUSHED, dtype=torch.int8, device="cuda")

    def micros(self, call: Callable[[], object]) -> float:
        """The median of some calls, after two that compile and warm up."""
        for _ in range(2):
            call()
        return median(self._once(call) for _ in range(_CALLS))

    def copy_gigabytes_per_s(self) -> float:
        """What a copy within the GPU's memory reads and writes."""
        source = torch.empty(2**30, dtype=torch.int8, device="cuda")
        target = torch.empty_like(source)
        return 2 * source.nbytes / self.micros(lambda: target.copy_(source)) / 1e3

    def _once(self, call: Callable[[], object]) -> float:
        self._flushed.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) * 1e3


def timings(kernels: Kernels, place: Place, watch: Stopwatch) -> Iterator[Timing]:
    """Time everything that a step consists of."""
    for num_sequences, length in _CONTEXTS:
        yield _decode(kernels, place, watch, num_sequences, length)
    for length in _PROMPTS:
        yield _prefill(kernels, place, watch, length)
    for width, outputs in _SHAPES:
        weight = Draw(0, place)(outputs, width)
        for num_rows in _ROWS:
            yield _product(kernels, place, watch, num_rows, weight)
    for num_rows in (1, 64, 4096):
        yield from _rows(kernels, place, watch, num_rows)


def _product(kernels: Kernels, place: Place, watch: Stopwatch, num_rows: int, weight: Tensor) -> Timing:
    outputs, width = weight.shape
    linear, x = Linear(weight, None, ()), Draw(1, place)(num_rows, width)
    return Timing(
        "linear",
        f"{num_rows} x {width} x {outputs}",
        watch.micros(lambda: kernels.linear(x, linear)),
        watch.micros(lambda: functional.linear(x, weight)),
        (weight.numel() + x.numel() + num_rows * outputs) * weight.element_size(),
        2 * num_rows * width * outputs,
    )


def _decode(kernels: Kernels, place: Place, watch: Stopwatch, num_sequences: int, length: int) -> Timing:
    """Against torch's attention over keys and values that lie in one piece."""
    batch, kv, keys, values = _filled([Span(1, length)] * num_sequences, place)
    query = Draw(0, place)(num_sequences, _HEADS.num_heads, _HEADS.head_dim)
    whole = query.unsqueeze(2)
    return Timing(
        "decode attention",
        f"{num_sequences} x {length}",
        watch.micros(lambda: kernels.paged_attention(query, kv, batch, scale=_SCALE)),
        watch.micros(lambda: functional.scaled_dot_product_attention(whole, keys, values, enable_gqa=True)),
        keys.nbytes + values.nbytes,
        4 * num_sequences * length * _HEADS.num_heads * _HEADS.head_dim,
    )


def _prefill(kernels: Kernels, place: Place, watch: Stopwatch, length: int) -> Timing:
    batch, kv, keys, values = _filled([Span(length, length)], place)
    query = Draw(0, place)(length, _HEADS.num_heads, _HEADS.head_dim)
    whole = query.transpose(0, 1)[None]
    return Timing(
        "prefill attention",
        f"{length} rows",
        watch.micros(lambda: kernels.paged_attention(query, kv, batch, scale=_SCALE)),
        watch.micros(
            lambda: functional.scaled_dot_product_attention(whole, keys, values, is_causal=True, enable_gqa=True)
        ),
        keys.nbytes + values.nbytes + 2 * query.nbytes,
        2 * length * length * _HEADS.num_heads * _HEADS.head_dim,
    )


def _filled(spans: Sequence[Span], place: Place) -> tuple[Batch, PagedKV, Tensor, Tensor]:
    """A batch and its cache, and keys and values of the same sizes in one piece: [S, KV heads, context, D] each."""
    batch, num_blocks = ragged_batch(spans, _BLOCK_SIZE, place.device)
    kv = poisoned_cache(num_blocks, _BLOCK_SIZE, _HEADS, place)
    for cache in kv:
        cache.normal_()
    shape = (len(spans), _HEADS.num_kv_heads, spans[0].context_len, _HEADS.head_dim)
    keys, values = (torch.randn(shape, dtype=place.dtype, device=place.device) for _ in range(2))
    return batch, kv, keys, values


def _rows(kernels: Kernels, place: Place, watch: Stopwatch, num_rows: int) -> Iterator[Timing]:
    """What only moves memory. Torch has no such fused operations: its time is that of the same steps, one by one."""
    draw = Draw(0, place)
    x, residual, weight, gate_up = draw(num_rows, 4096), draw(num_rows, 4096), draw(4096), draw(num_rows, 24576)
    yield Timing(
        "add_norm",
        f"{num_rows} x 4096",
        watch.micros(lambda: kernels.add_norm(x, residual, weight, 1e-6)),
        watch.micros(lambda: functional.rms_norm(x + residual, (4096,), weight, 1e-6)),
        4 * x.nbytes,
        0,
    )
    yield Timing(
        "act_mul",
        f"{num_rows} x 24576",
        watch.micros(lambda: kernels.act_mul(gate_up)),
        watch.micros(lambda: functional.silu(gate_up[:, :12288]) * gate_up[:, 12288:]),
        gate_up.nbytes * 3 // 2,
        0,
    )
