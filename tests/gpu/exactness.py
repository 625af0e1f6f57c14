"""Whether a row's bits depend on its neighbours, on how a prompt was cut, or on where its blocks lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from kiln_engine.kernels.facade import Kernels
from kiln_engine.weights import Linear
from tests.gpu.finding import Finding, same
from tests.gpu.ragged import Contexts, Draw, Place, Span, fill, poisoned_cache, queries_of, ragged_batch
from tests.gpu.workload import AttentionCase, Workload


def exactness(kernels: Kernels, place: Place, workload: Workload) -> Iterator[Finding]:
    """Compare every operation with itself over a workload."""
    for num_rows, width, outputs in workload.products:
        yield from _products(kernels, place, num_rows, width, outputs)
    for width in workload.widths:
        yield from _rows(kernels, place, width)
    for case, chunk in workload.chunks:
        yield from _projection(kernels, place, case)
        yield from _attention(kernels, place, case, chunk)


def _products(kernels: Kernels, place: Place, num_rows: int, width: int, outputs: int) -> Iterator[Finding]:
    """The rows among others: alone, one place further on, and with so many that no split is computed on its own."""
    draw = Draw(num_rows, place)
    weight = Linear(draw(outputs, width), draw(outputs), ())
    x = draw(num_rows, width)
    wanted, case = kernels.linear(x, weight), f"{num_rows} x {width} x {outputs}"
    alone = torch.cat([kernels.linear(x[i : i + 1], weight) for i in range(0, num_rows, max(1, num_rows // 4))])
    yield same("linear", f"{case}, alone", alone, wanted[:: max(1, num_rows // 4)])
    moved = kernels.linear(torch.cat((draw(3, width), x)), weight)[3:]
    yield same("linear", f"{case}, after others", moved, wanted)
    tiles_for_one_pass = -(-256 // -(-outputs // 128)) * 64
    if num_rows * outputs < 2**24 and place.device.type == "cuda":
        many = kernels.linear(torch.cat((x, draw(tiles_for_one_pass, width))), weight)[:num_rows]
        yield same("linear", f"{case}, before {tiles_for_one_pass} others", many, wanted)


def _rows(kernels: Kernels, place: Place, width: int) -> Iterator[Finding]:
    draw = Draw(width, place)
    x, residual, weight = draw(9, width), draw(9, width), draw(width)
    wanted = kernels.add_norm(x, residual, weight, 1e-5)
    alone = [kernels.add_norm(x[i : i + 1], residual[i : i + 1], weight, 1e-5) for i in range(9)]
    for name, results, want in zip(("norm", "sum"), zip(*alone, strict=True), wanted, strict=True):
        yield same("add_norm", f"{width} wide, alone, {name}", torch.cat(results), want)
    gate_up = draw(9, 2 * width)
    single = torch.cat([kernels.act_mul(gate_up[i : i + 1]) for i in range(9)])
    yield same("act_mul", f"{width} wide, alone", single, kernels.act_mul(gate_up))


def _projection(kernels: Kernels, place: Place, case: AttentionCase) -> Iterator[Finding]:
    """Three rows against each on its own: the queries, and what was written."""
    heads, draw, stop = case.heads, Draw(2, place), case.spans[0].context_len
    rope, norms = draw.rotary(stop, heads.head_dim), draw.head_norms(heads.head_dim)
    qkv = draw(3, (heads.num_heads + 2 * heads.num_kv_heads) * heads.head_dim)
    results = []
    for first, last in ((0, 3), (0, 1), (1, 2), (2, 3)):
        batch, num_blocks = ragged_batch([Span(last - first, stop - 3 + last)], case.block_size, place.device, last)
        kv = poisoned_cache(num_blocks, case.block_size, heads, place)
        query = kernels.qk_norm_rope_write(qkv[first:last], heads, norms, rope, kv, batch)
        slots = batch.slots.long()
        results.append((query, *(cache[slots // case.block_size, :, slots % case.block_size] for cache in kv)))
    alone = [torch.cat(parts) for parts in zip(*results[1:], strict=True)]
    for name, wanted, parts in zip(("queries", "keys", "values"), results[0], alone, strict=True):
        yield same("qk_norm_rope_write", f"{case.name}, alone, {name}", parts, wanted)


def _attention(kernels: Kernels, place: Place, case: AttentionCase, chunk: int) -> Iterator[Finding]:
    """Whole prompts in one batch against chunks of one prompt, and against each of the last rows on its own."""
    contexts = Contexts.random(case.heads, [span.context_len for span in case.spans], place)
    together = _attend(kernels, place, case, contexts, case.spans, range(len(case.spans)), seed=1)
    first = 0
    for index, span in enumerate(case.spans):
        wanted = together[first : first + span.num_rows]
        cuts = [*range(0, span.context_len, chunk), span.context_len]
        pieces = [Span(stop - start, stop) for start, stop in pairwise(cuts)]
        chunked = [
            _attend(kernels, place, case, contexts, [piece], [index], seed=piece.context_len) for piece in pieces
        ]
        yield same("paged_attention", f"{case.name}, [{index}] by {chunk}", torch.cat(chunked), wanted)
        first += span.num_rows
    yield from _decoded(kernels, place, case, contexts, together)


def _decoded(
    kernels: Kernels, place: Place, case: AttentionCase, contexts: Contexts, together: Tensor
) -> Iterator[Finding]:
    """Single rows of the first prompt in one batch, as decode steps are, and one of them with no other."""
    length = case.spans[0].context_len
    spans = [Span(1, stop) for stop in range(length, 0, -(length // 9))]
    rows = torch.tensor([span.context_len - 1 for span in spans], device=place.device)
    batched = _attend(kernels, place, case, contexts, spans, [0] * len(spans), seed=7)
    yield same("paged_attention", f"{case.name}, single rows", batched, together[rows])
    alone = _attend(kernels, place, case, contexts, spans[:1], [0], seed=8)
    yield same("paged_attention", f"{case.name}, one row", alone, together[length - 1 : length])
    mixed = _attend(kernels, place, case, contexts, [spans[0], Span(5, length - 2)], [0, 0], seed=9)
    wanted = torch.cat((together[length - 1 : length], together[length - 7 : length - 2]))
    yield same("paged_attention", f"{case.name}, one row beside five", mixed, wanted)


def _attend(
    kernels: Kernels,
    place: Place,
    case: AttentionCase,
    contexts: Contexts,
    spans: Sequence[Span],
    chosen: Sequence[int],
    *,
    seed: int,
) -> Tensor:
    """One call over blocks that lie where the seed puts them."""
    batch, num_blocks = ragged_batch(spans, case.block_size, place.device, seed)
    kv = poisoned_cache(num_blocks, case.block_size, case.heads, place)
    fill(kv, batch, contexts, chosen)
    query = queries_of(spans, contexts, chosen)
    return kernels.paged_attention(query, kv, batch, scale=case.heads.head_dim**-0.5, window=case.window)
