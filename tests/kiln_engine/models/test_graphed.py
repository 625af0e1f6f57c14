"""Recorded steps, without a GPU: a recording that does its work again shows what is read at replay, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kiln_engine.batch import Batch, Segment
from kiln_engine.cache import Cache, CachedLayer, CacheShape
from kiln_engine.models.graphed import LEAST_CONTEXT, GraphedModel
from tests.gpu.again import AgainRecorder
from tests.gpu.ragged import Span, ragged_batch

CPU = torch.device("cpu")
BLOCK_SIZE = 4
MAX_ROWS = 8


class Summing:
    """A model whose rows are sums over all that a batch says about them, from its tensors and its size alone."""

    vocab_size = 7
    layers: Sequence[CachedLayer] = ()

    def __init__(self) -> None:
        self.num_calls = 0
        self.written: set[int] = set()

    def forward(self, batch: Batch, cache: Cache) -> Tensor:
        self.num_calls += 1
        self.written |= {slot for slot in batch.slots.tolist() if slot >= 0}
        num_blocks = -(-max(extent.context_len for extent in batch.extents) // cache.shape.block_size)
        places = batch.block_offsets[:-1, None] + torch.arange(num_blocks)
        inside = torch.arange(num_blocks) * cache.shape.block_size < batch.context_lens[:, None]
        blocks = torch.where(inside, batch.block_ids[places.clamp(max=len(batch.block_ids) - 1)], 0).sum(1)
        per_sequence = torch.stack((batch.context_lens, batch.state_slots, blocks), dim=1)
        mine = torch.searchsorted(batch.row_offsets, torch.arange(batch.num_rows), right=True) - 1
        per_row = torch.stack((batch.token_ids, batch.positions, batch.slots), dim=1)
        return torch.cat((per_row, per_sequence[mine]), dim=1).float()

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden.sum(1, keepdim=True)


def cache() -> Cache:
    return Cache((), CacheShape(num_blocks=512, block_size=BLOCK_SIZE, dtype=torch.float32, device=CPU))


def batch_of(context_lens: Sequence[int], seed: int = 0, **changes: Any) -> Batch:
    batch, _ = ragged_batch([Span(1, length) for length in context_lens], BLOCK_SIZE, CPU, seed)
    batch.token_ids.copy_(torch.arange(3, 3 + batch.num_rows))
    batch.state_slots.copy_(torch.arange(5, 5 + batch.num_rows))
    return replace(batch, **changes)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(1, 600), min_size=1, max_size=MAX_ROWS), min_size=1, max_size=5))
def test_a_graph_computes_what_the_step_does(steps: list[list[int]]) -> None:
    plain, inner, room = Summing(), Summing(), cache()
    graphed = GraphedModel(inner, max_rows=MAX_ROWS, recorder=AgainRecorder())
    for seed, context_lens in enumerate(steps):
        batch = batch_of(context_lens, seed)
        assert torch.equal(graphed.forward(batch, room), plain.forward(batch, room))
    assert inner.written == plain.written


def test_sizes_share_graphs() -> None:
    graphed, room = GraphedModel(Summing(), max_rows=MAX_ROWS, recorder=AgainRecorder()), cache()
    for lengths, num_graphs in (([5], 1), ([LEAST_CONTEXT], 1), ([9] * 3, 2), ([9, 200, 1, 4], 2), ([257], 3)):
        graphed.forward(batch_of(lengths), room)
        assert graphed.num_graphs == num_graphs, lengths


@pytest.mark.parametrize(
    "batch",
    [
        batch_of([3] * (MAX_ROWS + 1)),
        ragged_batch([Span(2, 9), Span(1, 4)], BLOCK_SIZE, CPU)[0],
        batch_of([4], segments=(Segment(0, 1, 1),)),
    ],
    ids=["many rows", "a prompt", "an adapter"],
)
def test_what_is_no_plain_decode_step_is_not_recorded(batch: Batch) -> None:
    inner = Summing()
    graphed = GraphedModel(inner, max_rows=MAX_ROWS, recorder=AgainRecorder())
    assert graphed.forward(batch, cache()).shape[0] == batch.num_rows
    assert (graphed.num_graphs, inner.num_calls) == (0, 1)


def test_another_cache_needs_graphs_of_its_own() -> None:
    seen: list[Cache] = []

    class Noting(Summing):
        def forward(self, batch: Batch, cache: Cache) -> Tensor:
            seen.append(cache)
            return super().forward(batch, cache)

    graphed, first, second = GraphedModel(Noting(), max_rows=MAX_ROWS, recorder=AgainRecorder()), cache(), cache()
    for room in (first, second):
        graphed.forward(batch_of([3]), room)
        assert seen[-1] is room


def test_the_rest_is_the_models_own() -> None:
    inner = Summing()
    graphed = GraphedModel(inner, max_rows=MAX_ROWS, recorder=AgainRecorder())
    assert (graphed.vocab_size, graphed.layers) == (7, ())
    assert graphed.logits(torch.ones(2, 3)).tolist() == [[3.0], [3.0]]
