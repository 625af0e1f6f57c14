"""How far each operation is from float64."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from kiln_engine.kernels.facade import HeadNorms, Heads, Kernels
from kiln_engine.weights import Linear
from tests.gpu import oracle
from tests.gpu.finding import Finding, near
from tests.gpu.ragged import (
    Contexts,
    Draw,
    Place,
    Span,
    fill,
    poisoned_cache,
    queries_of,
    ragged_batch,
)
from tests.gpu.workload import AttentionCase, Workload


def parity(kernels: Kernels, place: Place, workload: Workload) -> Iterator[Finding]:
    """Compare every operation over a workload."""
    for num_rows, width, outputs in workload.products:
        yield from _products(kernels, place, num_rows, width, outputs)
    for width in workload.widths:
        yield from _rows(kernels, place, width)
    for case in workload.attention:
        yield _attention(kernels, place, case)
        yield from _projection(kernels, place, case)


def _products(kernels: Kernels, place: Place, num_rows: int, width: int, outputs: int) -> Iterator[Finding]:
    draw = Draw(num_rows + width, place)
    x, weight, bias = draw(num_rows, width), draw(outputs, width), draw(outputs)
    for each in (None, bias):
        result = kernels.linear(x, Linear(weight, each, ()))
        case = f"{num_rows} x {width} x {outputs}{', bias' if each is not None else ''}"
        yield near("linear", case, result, oracle.product(x, weight, each), place.dtype)


def _rows(kernels: Kernels, place: Place, width: int) -> Iterator[Finding]:
    draw = Draw(width, place)
    x, residual, weight, gate_up = draw(5, width), draw(5, width), draw(width), draw(5, 2 * width)
    normed, total = kernels.add_norm(x, None, weight, 1e-5)
    yield near("add_norm", f"{width} wide, first", normed, oracle.rms_norm(x, weight, 1e-5), place.dtype)
    yield near("add_norm", f"{width} wide, first sum", total, x, place.dtype)
    normed, total = kernels.add_norm(x, residual, weight, 1e-5)
    both = x.double() + residual.double()
    yield near("add_norm", f"{width} wide", normed, oracle.rms_norm(both, weight, 1e-5), place.dtype)
    yield near("add_norm", f"{width} wide, sum", total, both, place.dtype)
    yield near("act_mul", f"{width} wide", kernels.act_mul(gate_up), oracle.gated(gate_up), place.dtype)


def _attention(kernels: Kernels, place: Place, case: AttentionCase) -> Finding:
    contexts = Contexts.random(case.heads, [span.context_len for span in case.spans], place)
    batch, num_blocks = ragged_batch(case.spans, case.block_size, place.device)
    kv, chosen = poisoned_cache(num_blocks, case.block_size, case.heads, place), range(len(case.spans))
    fill(kv, batch, contexts, chosen)
    scale = case.heads.head_dim**-0.5
    query = queries_of(case.spans, contexts, chosen)
    result = kernels.paged_attention(query, kv, batch, scale=scale, window=case.window)
    wanted = [
        oracle.attention(
            query[extent.first_row : extent.first_row + extent.num_rows],
            *(contexts.keys[index], contexts.values[index], case.heads),
            *(extent.context_len - extent.num_rows, scale, case.window),
        )
        for index, extent in enumerate(batch.extents)
    ]
    return near("paged_attention", case.name, result, torch.cat(wanted), place.dtype)


def _projection(kernels: Kernels, place: Place, case: AttentionCase) -> Iterator[Finding]:
    """With and without norms; the slots that were written, and that no other was."""
    heads, draw = case.heads, Draw(1, place)
    spans = [Span(min(2, span.num_rows), span.context_len) for span in case.spans]
    batch, num_blocks = ragged_batch(spans, case.block_size, place.device)
    rope = draw.rotary(max(span.context_len for span in spans), heads.head_dim)
    qkv = draw(batch.num_rows, (heads.num_heads + 2 * heads.num_kv_heads) * heads.head_dim)
    for norms in (None, draw.head_norms(heads.head_dim)):
        kv = poisoned_cache(num_blocks, case.block_size, heads, place)
        query = kernels.qk_norm_rope_write(qkv, heads, norms, rope, kv, batch)
        written = (batch.slots.long() // case.block_size, batch.slots.long() % case.block_size)
        results = (query, *(cache[written[0], :, written[1]] for cache in kv))
        wanted = _projected(qkv, heads, norms)
        turned = (*(oracle.rotated(part, rope, batch.positions) for part in wanted[:2]), wanted[2])
        for name, result, want in zip(("queries", "keys", "values"), results, turned, strict=True):
            yield near("qk_norm_rope_write", f"{case.name}, {name}", result, want, place.dtype)
        others = sum(int(cache.isfinite().sum()) for cache in kv) - 2 * results[1].numel()
        yield Finding("qk_norm_rope_write", f"{case.name}, slots written by mistake", float(others), 0.0)


def _projected(
    qkv: torch.Tensor, heads: Heads, norms: HeadNorms | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    sizes = [heads.num_heads, heads.num_kv_heads, heads.num_kv_heads]
    query, key, value = qkv.double().view(qkv.shape[0], -1, heads.head_dim).split(sizes, dim=1)
    if norms is not None:
        query, key = oracle.rms_norm(query, norms.query, norms.eps), oracle.rms_norm(key, norms.key, norms.eps)
    return query, key, value
