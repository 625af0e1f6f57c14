"""Whether decode steps that run as graphs leave the bits that plain ones do, and what they save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from kiln_engine.batch import Batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.config import ModelConfig
from kiln_engine.kernels.facade import Kernels
from kiln_engine.kernels.recording import Recorder
from kiln_engine.models.decoder import Decoder
from kiln_engine.models.graphed import GraphedModel
from kiln_engine.weights import Weights
from tests.gpu.finding import Finding, same
from tests.gpu.ragged import Place, Span, ragged_batch
from tests.gpu.timing import Stopwatch, Timing
from tests.gpu.workload import Workload

_BLOCK_SIZE = 16
_STEP = (1000,) * 8


def graphs(kernels: Kernels, place: Place, workload: Workload, recorder: Recorder) -> Iterator[Finding]:
    """Run each step plainly and as a graph, from equal caches, and compare rows and caches."""
    decoder = _decoder(kernels, place, workload.model)
    steps = [_batch(context_lens, place) for context_lens in workload.steps]
    plain, graphed = (_cache(decoder, place, max(num_blocks for _, num_blocks in steps)) for _ in range(2))
    model = GraphedModel(decoder, max_rows=max(map(len, workload.steps)), recorder=recorder)
    for context_lens, (batch, _) in zip(workload.steps, steps, strict=True):
        case = f"{len(context_lens)} rows to {max(context_lens)}"
        yield same("decode step", f"{case}, graph", model.forward(batch, graphed), decoder.forward(batch, plain))
        for layer, (mine, theirs) in enumerate(zip(graphed.layers, plain.layers, strict=True)):
            pairs = zip(mine.kv, theirs.kv, strict=True)  # type: ignore[attr-defined]
            yield from (same("decode step", f"{case}, cache of layer {layer}", *pair) for pair in pairs)


def graph_timing(kernels: Kernels, place: Place, workload: Workload, recorder: Recorder, watch: Stopwatch) -> Timing:
    """A decode step as a graph, beside the same step without: few layers, so that starts weigh what they do."""
    decoder = _decoder(kernels, place, workload.model)
    batch, num_blocks = _batch(_STEP, place)
    cache = _cache(decoder, place, num_blocks)
    model = GraphedModel(decoder, max_rows=len(_STEP), recorder=recorder)
    num_bytes = sum(tensor.nbytes for layer in decoder.layers for tensor in layer.weights.tensors())  # type: ignore[attr-defined]
    return Timing(
        "decode step",
        f"{len(_STEP)} x {_STEP[0]}, as a graph",
        watch.micros(lambda: model.forward(batch, cache)),
        watch.micros(lambda: decoder.forward(batch, cache)),
        num_bytes,
        0,
    )


def _decoder(kernels: Kernels, place: Place, config: ModelConfig) -> Decoder:
    generator = torch.Generator().manual_seed(1)
    weights = Weights.empty(config, dtype=place.dtype, device=place.device)
    for tensor in weights.tensors():
        scale = tensor.shape[-1] ** -0.5 if tensor.dim() > 1 else 1.0
        tensor.copy_(torch.randn(tensor.shape, generator=generator) * scale)
    return Decoder(config, weights, kernels, max_positions=config.context_length)


def _batch(context_lens: Sequence[int], place: Place) -> tuple[Batch, int]:
    batch, num_blocks = ragged_batch([Span(1, length) for length in context_lens], _BLOCK_SIZE, place.device)
    batch.token_ids.copy_(torch.arange(len(context_lens)) % 97)
    return batch, num_blocks


def _cache(decoder: Decoder, place: Place, num_blocks: int) -> Cache:
    shape = CacheShape(num_blocks=num_blocks, block_size=_BLOCK_SIZE, dtype=place.dtype, device=place.device)
    cache = Cache(decoder.layers, shape)
    for number, layer in enumerate(cache.layers):
        for tensor in layer.kv:  # type: ignore[attr-defined]
            tensor.copy_(torch.randn(tensor.shape, generator=torch.Generator().manual_seed(number)))
    return cache
