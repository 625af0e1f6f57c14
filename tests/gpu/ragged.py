"""Random work for kernels: ragged batches over a shuffled cache whose other slots hold poison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from kiln_engine.batch import Batch, Extent
from kiln_engine.kernels.facade import HeadNorms, Heads, PagedKV, RotaryTable


class Span(NamedTuple):
    """The rows of one sequence in a batch: its last `num_rows` positions of `context_len`."""

    num_rows: int
    context_len: int


class Place(NamedTuple):
    """Where tensors are, and of which format."""

    device: torch.device
    dtype: torch.dtype


@dataclass(frozen=True)
class Contexts:
    """Sequences' keys and values, sequence by sequence and in order, and the queries of all their positions."""

    heads: Heads
    queries: tuple[Tensor, ...]
    """[context, heads, D] each"""
    keys: tuple[Tensor, ...]
    """[context, KV heads, D] each"""
    values: tuple[Tensor, ...]

    @classmethod
    def random(cls, heads: Heads, context_lens: Sequence[int], place: Place, seed: int = 0) -> Contexts:
        draw = Draw(seed, place)
        sizes = ((length, heads) for length in context_lens)
        rows = [
            (draw(n, h.num_heads, h.head_dim), *(draw(n, h.num_kv_heads, h.head_dim) for _ in "kv")) for n, h in sizes
        ]
        queries, keys, values = zip(*rows, strict=True)
        return cls(heads, queries, keys, values)


class Draw:
    """Normal numbers of one generator, the same on every device."""

    def __init__(self, seed: int, place: Place) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self._place = place

    def __call__(self, *shape: int) -> Tensor:
        numbers = torch.randn(*shape, generator=self._generator)
        return numbers.to(device=self._place.device, dtype=self._place.dtype)

    def head_norms(self, head_dim: int) -> HeadNorms:
        return HeadNorms(self(head_dim), self(head_dim), 1e-6)

    def rotary(self, num_positions: int, head_dim: int) -> RotaryTable:
        angles = torch.rand(num_positions, head_dim // 2, generator=self._generator) * 6.28
        return RotaryTable(angles.cos().to(self._place.device), angles.sin().to(self._place.device))


def ragged_batch(spans: Sequence[Span], block_size: int, device: torch.device, seed: int = 0) -> tuple[Batch, int]:
    """A batch of these spans over blocks in random order, and how many blocks a cache for it has (some stay free)."""
    sizes = [-(-span.context_len // block_size) for span in spans]
    num_blocks = sum(sizes) + 3
    order = torch.randperm(num_blocks, generator=torch.Generator().manual_seed(seed)).tolist()
    extents, positions, slots = [], [], []
    first_row = first_block = 0
    for span, size in zip(spans, sizes, strict=True):
        extents.append(Extent(first_row, span.num_rows, span.context_len, first_block, size, 0))
        for position in range(span.context_len - span.num_rows, span.context_len):
            positions.append(position)
            slots.append(order[first_block + position // block_size] * block_size + position % block_size)
        first_row, first_block = first_row + span.num_rows, first_block + size
    numbers: Sequence[Sequence[int]] = (
        [0] * first_row,
        positions,
        slots,
        [extent.first_row for extent in extents] + [first_row],
        [span.context_len for span in spans],
        [extent.first_block for extent in extents] + [first_block],
        order[:first_block],
        [0] * len(spans),
    )
    tensors = tuple(torch.tensor(values, dtype=torch.int32, device=device) for values in numbers)
    return Batch(*tensors, extents=tuple(extents), segments=()), num_blocks


def poisoned_cache(num_blocks: int, block_size: int, heads: Heads, place: Place) -> PagedKV:
    """A cache of NaN: a kernel that reads a slot that nobody wrote shows it."""
    shape = (num_blocks, heads.num_kv_heads, block_size, heads.head_dim)
    return PagedKV(*(torch.full(shape, float("nan"), dtype=place.dtype, device=place.device) for _ in range(2)))


def fill(kv: PagedKV, batch: Batch, contexts: Contexts, chosen: Sequence[int]) -> None:
    """Write the contexts of the chosen sequences, one for each of a batch's, to where its table says."""
    for extent, index in zip(batch.extents, chosen, strict=True):
        table = batch.block_ids[extent.first_block : extent.first_block + extent.num_blocks].long()
        at = torch.arange(extent.context_len, device=table.device)
        blocks, offsets = table[at // kv.block_size], at % kv.block_size
        kv.keys[blocks, :, offsets] = contexts.keys[index][: extent.context_len].to(kv.keys.dtype)
        kv.values[blocks, :, offsets] = contexts.values[index][: extent.context_len].to(kv.values.dtype)


def queries_of(spans: Sequence[Span], contexts: Contexts, chosen: Sequence[int]) -> Tensor:
    """The rows of a batch: [N, heads, D]."""
    pairs = zip(spans, chosen, strict=True)
    return torch.cat([contexts.queries[i][span.context_len - span.num_rows : span.context_len] for span, i in pairs])
