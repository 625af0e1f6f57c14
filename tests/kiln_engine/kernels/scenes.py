"""Sequences with known queries, keys and values, laid out in a paged cache whose free slots are poisoned."""

from __future__ import annotations

import random
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

import torch
from torch import Tensor

from kiln_engine.batch import Batch, build_batch
from kiln_engine.kernels.facade import Heads, PagedKV

CPU: Final = torch.device("cpu")
SPARE_BLOCKS: Final = 5


@dataclass(frozen=True, repr=False)
class Story:
    """One sequence: queries [L, heads, D], keys and values [L, KV heads, D]."""

    queries: Tensor
    keys: Tensor
    values: Tensor

    @classmethod
    def create(cls, length: int, heads: Heads, dtype: torch.dtype, seed: int) -> Story:
        own = torch.Generator().manual_seed(seed)
        counts = (heads.num_heads, heads.num_kv_heads, heads.num_kv_heads)
        return cls(*(torch.randn(length, count, heads.head_dim, generator=own).to(dtype) for count in counts))


@dataclass(frozen=True)
class Span:
    """Positions start to stop - 1 of a story are the rows of a step; those before are in the cache already."""

    story: Story
    start: int
    stop: int


@dataclass(frozen=True)
class Scene:
    """A step's inputs for attention: everything up to each span's end is in the cache."""

    query: Tensor
    kv: PagedKV
    batch: Batch


def lay_out(spans: Sequences[Span], *, block_size: int, placement: int = 0, poison: float = float("nan")) -> Scene:
    """Spans in blocks at random places; every slot that no position has holds `poison`."""
    needed = [-(-span.stop // block_size) for span in spans]
    num_blocks = sum(needed) + SPARE_BLOCKS
    free = list(range(num_blocks))
    random.Random(placement).shuffle(free)  # noqa: S311 - a place, no secret
    story = spans[0].story
    shape = (num_blocks, story.keys.shape[1], block_size, story.keys.shape[2])
    kv = PagedKV(*(torch.full(shape, poison, dtype=story.keys.dtype) for _ in range(2)))
    rows: list[Any] = []
    for span, count in zip(spans, needed, strict=True):
        blocks = [free.pop() for _ in range(count)]
        for source, cache in zip((span.story.keys, span.story.values), kv, strict=True):
            for index, block in enumerate(blocks):
                part = source[index * block_size : min((index + 1) * block_size, span.stop)]
                cache[block, :, : len(part)] = part.transpose(0, 1)
        tokens = [index % 7 for index in range(span.stop)]
        sequence = SimpleNamespace(token_ids=tokens, block_ids=blocks, state_slot=0, adapter_slot=0)
        rows.append(SimpleNamespace(sequence=sequence, start=span.start, stop=span.stop))
    query = torch.cat([span.story.queries[span.start : span.stop] for span in spans])
    return Scene(query.contiguous(), kv, build_batch(rows, block_size=block_size, device=CPU))


def expected_attention(spans: Sequences[Span], scale: float, window: int | None) -> Tensor:
    """Row by row, head by head, in float64, straight from the definition: [N, heads * D]."""
    rows = []
    for span in spans:
        queries, keys, values = (x.double() for x in (span.story.queries, span.story.keys, span.story.values))
        group = queries.shape[1] // keys.shape[1]
        keys, values = keys.repeat_interleave(group, 1), values.repeat_interleave(group, 1)
        for position in range(span.start, span.stop):
            low = 0 if window is None else max(0, position - window + 1)
            seen = slice(low, position + 1)
            scores = torch.einsum("hd,phd->hp", queries[position], keys[seen]) * scale
            rows.append(torch.einsum("hp,phd->hd", scores.softmax(-1), values[seen]).flatten())
    return torch.stack(rows)
