"""A row's bits are its own: whatever is computed beside it, however it is cut up, wherever its blocks lie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.facade import HeadNorms, Heads, RotaryTable
from tests.kiln_engine.kernels.product import product
from tests.kiln_engine.kernels.scenes import Span, Story, lay_out

BOTH = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
DTYPES = st.sampled_from([torch.float32, torch.bfloat16])

pytestmark = pytest.mark.usefixtures("threads")


@given(
    dtype=DTYPES,
    rows=st.integers(2, 90),
    inputs=st.integers(1, 300),
    outputs=st.integers(1, 150),
    seed=st.integers(0, 99),
)
@settings(max_examples=50, deadline=None)
def test_linear_beside_any_rows(
    kernels: CpuKernels, dtype: torch.dtype, rows: int, inputs: int, outputs: int, seed: int
) -> None:
    own = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, inputs, generator=own).to(dtype)
    weight = product(kernels, torch.randn(outputs, inputs, generator=own).to(dtype), torch.randn(outputs).to(dtype))
    together = kernels.linear(x, weight)
    first, count = seed % rows, 1 + seed % 7
    assert torch.equal(together[first : first + count], kernels.linear(x[first : first + count], weight))
    assert torch.equal(together[first : first + 1], kernels.linear(x[first : first + 1], weight))


@BOTH
@pytest.mark.parametrize("inputs", [576, 1100])
def test_linear_of_every_number_of_rows(kernels: CpuKernels, dtype: torch.dtype, inputs: int) -> None:
    x, weight = torch.randn(1100, inputs).to(dtype), product(kernels, torch.randn(50, inputs).to(dtype))
    alone = torch.cat([kernels.linear(row[None], weight) for row in x[:40]])
    for rows in [*range(1, 26), 63, 64, 65, 129, 1025, 1100]:
        assert torch.equal(kernels.linear(x[:rows], weight)[:40], alone[:rows])


@BOTH
def test_any_number_of_threads(kernels: CpuKernels, dtype: torch.dtype) -> None:
    results = []
    for count in (1, 2, 3):
        torch.set_num_threads(count)
        results.append(everything(kernels, dtype))
    for result in results[1:]:
        assert all(torch.equal(*pair) for pair in zip(results[0], result, strict=True))


def everything(kernels: CpuKernels, dtype: torch.dtype) -> list[Tensor]:
    """The results of every operation, large enough to be shared out among threads."""
    torch.manual_seed(3)
    own = Heads(6, 2, 64)
    stories = [Story.create(length, own, dtype, length) for length in (150, 33, 90)]
    scene = lay_out([Span(story, 0, len(story.keys)) for story in stories], block_size=16)
    rows = scene.batch.num_rows
    x, residual = (torch.randn(rows, 640).to(dtype) for _ in range(2))
    norms = HeadNorms(torch.randn(64).to(dtype), torch.randn(64).to(dtype), 1e-6)
    rope = RotaryTable(torch.randn(200, 32), torch.randn(200, 32))
    mixed = kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=0.125)
    many = kernels.linear(x, product(kernels, torch.randn(700, 640).to(dtype)))
    one = kernels.linear(x[:1], product(kernels, torch.randn(700, 640).to(dtype)))
    query = kernels.qk_norm_rope_write(x, own, norms, rope, scene.kv, scene.batch)
    normed, total = kernels.add_norm(x, residual, torch.randn(640).to(dtype), 1e-6)
    kept = [cache.nan_to_num() for cache in scene.kv]
    return [mixed, many, one, query, normed, total, kernels.act_mul(x), *kept]


@given(
    data=st.data(),
    dtype=DTYPES,
    group=st.integers(1, 16),
    size=st.sampled_from([8, 16, 64, 80]),
    window=st.sampled_from([None, None, 5, 16, 40]),
)
@settings(max_examples=50, deadline=None)
def test_attention_of_any_chunks_beside_any_sequences_in_any_blocks(
    kernels: CpuKernels,
    data: st.DataObject,
    dtype: torch.dtype,
    group: int,
    size: int,
    window: int | None,
) -> None:
    own = Heads(2 * group, 2, size)
    story = Story.create(data.draw(st.integers(1, 130)), own, dtype, 1)
    length = len(story.keys)
    others = [
        Story.create(data.draw(st.integers(1, 60)), own, dtype, seed) for seed in range(2, data.draw(st.integers(2, 6)))
    ]
    whole = _attend(kernels, [Span(story, 0, length)], 16, 0, window)
    cuts = sorted(data.draw(st.sets(st.integers(1, length), max_size=5)) | {0, length})
    pieces = []
    for placement, (start, stop) in enumerate(pairwise(cuts)):
        beside = [Span(other, data.draw(st.integers(0, len(other.keys) - 1)), len(other.keys)) for other in others]
        before = data.draw(st.integers(0, len(beside)))
        spans = [*beside[:before], Span(story, start, stop), *beside[before:]]
        first = sum(span.stop - span.start for span in beside[:before])
        block_size = data.draw(st.sampled_from([1, 4, 5, 16, 32, 64]))
        pieces.append(_attend(kernels, spans, block_size, placement, window)[first : first + stop - start])
    assert torch.equal(torch.cat(pieces), whole)


def _attend(kernels: CpuKernels, spans: Sequence[Span], block_size: int, placement: int, window: int | None) -> Tensor:
    scene = lay_out(spans, block_size=block_size, placement=placement)
    return kernels.paged_attention(scene.query, scene.kv, scene.batch, scale=0.3, window=window)


@BOTH
def test_what_a_later_row_leaves_is_not_seen(kernels: CpuKernels, dtype: torch.dtype) -> None:
    """Values that are no numbers, at a position of the same tile that a row may not see, do not reach it."""
    own = Heads(4, 2, 32)
    story = Story.create(40, own, dtype, 1)
    before = _attend(kernels, [Span(story, 0, 40)], 16, 0, None)
    story.keys[20:], story.values[20:] = float("nan"), float("inf")
    after = _attend(kernels, [Span(story, 0, 40)], 16, 0, None)
    assert torch.equal(before[:20], after[:20])
    assert after[20:].isnan().all()


@BOTH
def test_rows_of_the_rest_one_by_one(kernels: CpuKernels, dtype: torch.dtype) -> None:
    x, residual = torch.randn(70, 300).to(dtype), torch.randn(70, 300).to(dtype)
    weight = torch.randn(300).to(dtype)
    normed, total = kernels.add_norm(x, residual, weight, 1e-6)
    gated = kernels.act_mul(x)
    for row in range(0, 70, 9):
        one = slice(row, row + 1)
        own_normed, own_total = kernels.add_norm(x[one], residual[one], weight, 1e-6)
        assert torch.equal(own_normed, normed[one])
        assert torch.equal(own_total, total[one])
        assert torch.equal(kernels.act_mul(x[one]), gated[one])
