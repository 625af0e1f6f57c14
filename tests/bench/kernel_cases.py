"""What is measured of the kernels: the same work for ours and for torch, and how many bytes it has to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, Generic, TypeVar

import torch
from torch import Tensor

from kiln_engine.batch import Batch, build_batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.config import ModelConfig, Rope
from kiln_engine.kernels.facade import Heads, Kernels, PagedKV, RotaryTable
from kiln_engine.models.decoder import Decoder
from kiln_engine.sampling import Sampler, SamplerState
from kiln_engine.weights import Linear, Part, Weights
from kiln_server.backend import Sampling

CPU: Final = torch.device("cpu")
BLOCK: Final = 16
VOCABULARY: Final = 49_152
TOP_K: Final = Sampling(temperature=0.7, top_p=0.9, top_k=20)
OPEN: Final = Sampling(temperature=1.0)

T = TypeVar("T")
Work = Callable[[Kernels], object]


@dataclass(frozen=True)
class Case:
    """Some work that any kernels do. `num_bytes` must come from memory and bounds its speed, or None where sums do."""

    title: str
    work: Work
    num_bytes: int | None = None
    to_probe: float | None = None
    """Goal: bytes over time, to what the probe reads in that time."""
    to_torch: float | None = None
    """Goal: how many times longer torch takes."""


class ForEach(Generic[T]):
    """Something that kernels need in a form of their own, made once for each of them."""

    def __init__(self, create: Callable[[Kernels], T]) -> None:
        self._create = create
        self._made: dict[str, T] = {}

    def of(self, kernels: Kernels) -> T:
        if kernels.name not in self._made:
            self._made[kernels.name] = self._create(kernels)
        return self._made[kernels.name]


def cases(dtype: torch.dtype) -> Iterator[Callable[[], Case]]:
    """What makes each case: its tensors are large, so one is made at a time."""
    for inputs, outputs in ((1024, 65536), (3072, 16384), (576, 49152)):
        yield from (partial(linear, dtype, rows, inputs, outputs) for rows in (1, 2, 4, 8))
    for inputs, outputs in ((1024, 3072), (3072, 1024), (576, 1536), (2048, 2048)):
        yield from (partial(linear, dtype, rows, inputs, outputs) for rows in (64, 512))
    for sequences, context, rows in ((16, 2048, 1), (1, 8192, 1), (1, 512, 512), (1, 2048, 2048)):
        yield partial(attention, dtype, sequences, context, rows)
    for rows in (1, 512):
        yield from (partial(each, dtype, rows) for each in (add_norm, act_mul, rope_write))
    if dtype == torch.float32:
        yield from (partial(draw, rows, sampling) for rows in (1, 8) for sampling in (TOP_K, OPEN))
    for streams, start, rows in ((1, 127, 1), (8, 127, 1), (1, 0, 512)):
        yield partial(step, dtype, streams, start, rows)


def linear(dtype: torch.dtype, rows: int, inputs: int, outputs: int) -> Case:
    """One product; few rows are bound by reading the weight, many by arithmetic."""
    x, matrix = torch.randn(rows, inputs).to(dtype), torch.randn(outputs, inputs).to(dtype)
    weights = ForEach(lambda kernels: Linear(kernels.pack(matrix.clone()), None, (Part("o", 0, outputs),)))
    num_bytes = matrix.nbytes if rows <= 8 else None
    goal = 0.9 if rows == 1 else None
    title = f"linear, {rows} x {inputs} to {outputs}"
    return Case(
        title, lambda kernels: kernels.linear(x, weights.of(kernels)), num_bytes, goal, 0.9 if rows == 512 else None
    )


def draw(rows: int, sampling: Sampling) -> Case:
    """Draws from logits that are spread as those of a model which is rarely sure."""
    logits = 3 * torch.randn(rows, VOCABULARY)
    states = [SamplerState(sampling, seed=row, choice=0) for row in range(rows)]
    samplers = ForEach(lambda kernels: Sampler(VOCABULARY, CPU, drawer=kernels.drawer()))

    def work(kernels: Kernels) -> object:
        return samplers.of(kernels).draw(logits, states, logprobs=[False] * rows)

    title = f"draw, {rows} x {VOCABULARY}, {'top-k ' + str(sampling.top_k) if sampling.top_k else 'all tokens'}"
    return Case(title, work)


def paged(dtype: torch.dtype, heads: Heads, sequences: int, context: int, rows: int) -> tuple[PagedKV, Batch]:
    """A cache with sequences of one length, in blocks at random places; the last `rows` of each are the batch's."""
    each = context // BLOCK
    places = torch.randperm(sequences * each).tolist()
    shape = (len(places), heads.num_kv_heads, BLOCK, heads.head_dim)
    kv = PagedKV(*(torch.randn(shape).to(dtype) for _ in range(2)))
    own = [places[index * each : (index + 1) * each] for index in range(sequences)]
    return kv, build_batch([_rows(blocks, context - rows, context) for blocks in own], block_size=BLOCK, device=CPU)


def _rows(blocks: list[int], start: int, stop: int) -> Any:
    sequence = SimpleNamespace(token_ids=[0] * stop, block_ids=blocks, state_slot=0, adapter_slot=0)
    return SimpleNamespace(sequence=sequence, start=start, stop=stop)


def attention(dtype: torch.dtype, sequences: int, context: int, rows: int) -> Case:
    """16 query heads and 8 key-value heads of 128."""
    heads = Heads(16, 8, 128)
    kv, batch = paged(dtype, heads, sequences, context, rows)
    query = torch.randn(batch.num_rows, heads.num_heads, heads.head_dim).to(dtype)
    title = f"attention, {sequences} x {rows} after {context - rows}"
    num_bytes = kv.keys.nbytes + kv.values.nbytes if rows == 1 else None
    goal = 0.85 if sequences == 16 else None
    return Case(title, lambda kernels: kernels.paged_attention(query, kv, batch, scale=128**-0.5), num_bytes, goal)


def add_norm(dtype: torch.dtype, rows: int) -> Case:
    x, residual, weight = (torch.randn(rows, 1024).to(dtype) for _ in range(3))
    return Case(f"add_norm, {rows} x 1024", lambda kernels: kernels.add_norm(x, residual, weight[0], 1e-6))


def act_mul(dtype: torch.dtype, rows: int) -> Case:
    gate_up = torch.randn(rows, 6144).to(dtype)
    return Case(f"act_mul, {rows} x 3072", lambda kernels: kernels.act_mul(gate_up))


def rope_write(dtype: torch.dtype, rows: int) -> Case:
    heads = Heads(16, 8, 128)
    kv, batch = paged(dtype, heads, 1, max(rows, BLOCK), rows)
    qkv, rope = torch.randn(rows, 32 * 128).to(dtype), RotaryTable(torch.randn(1024, 64), torch.randn(1024, 64))
    title = f"rotation and cache write, {rows} x 16/8 heads"
    return Case(title, lambda kernels: kernels.qk_norm_rope_write(qkv, heads, None, rope, kv, batch))


SMOLLM2: Final = ModelConfig(
    family="llama",
    vocab_size=49152,
    hidden_size=576,
    intermediate_size=1536,
    num_layers=30,
    num_heads=9,
    num_kv_heads=3,
    head_dim=64,
    rms_norm_eps=1e-5,
    rope=Rope(theta=100_000.0),
    context_length=8192,
    tied=True,
    windows=(None,) * 30,
    layer_kinds=("attention",) * 30,
    dtype="float32",
    source={},
)


def step(dtype: torch.dtype, streams: int, start: int, rows: int) -> Case:
    """A whole step of a model with random weights: all layers, and the logits of each stream's last row."""
    each = -(-(start + rows) // BLOCK)
    blocks = torch.randperm(streams * each).tolist()
    plan = [_rows(blocks[index * each : (index + 1) * each], start, start + rows) for index in range(streams)]
    batch = build_batch(plan, block_size=BLOCK, device=CPU)
    shape = CacheShape(num_blocks=len(blocks), block_size=BLOCK, dtype=dtype, device=CPU)
    last = batch.row_offsets[1:].long() - 1

    def create(kernels: Kernels) -> tuple[Decoder, Cache]:
        model = Decoder(SMOLLM2, _random_weights(dtype), kernels, max_positions=1024)
        return model, Cache(model.layers, shape)

    models = ForEach(create)

    def work(kernels: Kernels) -> Tensor:
        model, cache = models.of(kernels)
        return model.logits(model.forward(batch, cache)[last])

    title = f"SmolLM2 shape, step of {streams} x {rows} after {start}"
    num_bytes = Weights.empty(SMOLLM2, dtype=dtype, device=torch.device("meta")).num_bytes
    return Case(title, work, num_bytes if rows == 1 else None)


def _random_weights(dtype: torch.dtype) -> Weights:
    weights = Weights.empty(SMOLLM2, dtype=dtype, device=CPU)
    for tensor in weights.tensors():
        tensor.copy_(torch.randn_like(tensor) * (tensor.shape[-1] ** -0.5 if tensor.dim() > 1 else 1.0))
    return weights
