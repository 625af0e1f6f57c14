"""Decode steps as graphs: what a step starts is recorded once for a size, and started as one from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import torch
from torch import Tensor

from kiln_engine.batch import Batch, Extent

if TYPE_CHECKING:
    from kiln_engine.cache import Cache, CachedLayer, CacheShape
    from kiln_engine.kernels.recording import Recorder
    from kiln_engine.models.model import Model

LEAST_CONTEXT: Final = 256
"""Contexts up to here share their graphs; from here on sizes double."""


class GraphedModel:
    """Implements `models.model.Model` around another one. Steps in which every sequence has one row run as graphs.

    Contexts are rounded up to powers of two, and rows too where recordings are padded; a graph is recorded when its
    size first comes: a server meets few sizes. What is added changes no bit, as rows do not depend on their neighbours;
    added rows need kernels that write nothing for a negative slot. Nothing may depend on the host's view of a batch but
    its size. Steps with more rows of a sequence, with more rows than `max_rows`, or with adapters, run as they would
    without graphs.
    """

    def __init__(self, model: Model, *, max_rows: int, recorder: Recorder) -> None:
        self._model = model
        self._max_rows = max_rows
        self._recorder = recorder
        self._cache: Cache | None = None
        self._graphs: dict[_Size, _Graph] = {}

    @property
    def vocab_size(self) -> int:
        return self._model.vocab_size

    @property
    def layers(self) -> Sequence[CachedLayer]:
        return self._model.layers

    @property
    def num_graphs(self) -> int:
        """How many were recorded."""
        return len(self._graphs)

    def forward(self, batch: Batch, cache: Cache) -> Tensor:
        """As of the model; the result holds until the next call."""
        if batch.segments or batch.num_rows > self._max_rows or batch.num_rows != len(batch.extents):
            return self._model.forward(batch, cache)
        if cache is not self._cache:
            # A graph reads and writes the cache that it was recorded with.
            self._cache = cache
            self._graphs.clear()
        size = _Size.of(batch, padded=self._recorder.padded)
        graph = self._graphs.get(size)
        if graph is None:
            graph = self._graphs[size] = _Graph(self._model, cache, size, self._recorder, batch)
        return graph.run(batch)

    def logits(self, hidden: Tensor) -> Tensor:
        return self._model.logits(hidden)


class _Size(NamedTuple):
    """What a graph is recorded for: sequences of one row each, and the longest of their contexts."""

    num_rows: int
    context_len: int

    @classmethod
    def of(cls, batch: Batch, *, padded: bool) -> _Size:
        longest = max(extent.context_len for extent in batch.extents)
        return cls(
            _power_of_two(batch.num_rows) if padded else batch.num_rows, max(LEAST_CONTEXT, _power_of_two(longest))
        )


class _Graph:
    """One size's recording with the tensors that it reads."""

    def __init__(self, model: Model, cache: Cache, size: _Size, recorder: Recorder, first: Batch) -> None:
        """Recorded with a step of this size as its inputs, which is to be run next."""
        self._inputs = _Inputs(size, cache.shape)
        self._inputs.fill(first)
        own = self._inputs.batch
        self._recording = recorder.record(lambda: model.forward(own, cache))

    def run(self, batch: Batch) -> Tensor:
        self._inputs.fill(batch)
        return self._recording.replay()[: batch.num_rows]


class _Inputs:
    """A batch that stays where it is, and is filled anew for each step.

    Rows beyond those of a step are sequences of their own without a context, whose slots are negative.
    """

    def __init__(self, size: _Size, shape: CacheShape) -> None:
        num_rows, num_blocks = size.num_rows, size.num_rows * -(-size.context_len // shape.block_size)
        sizes = [num_rows, num_rows, num_rows, num_rows + 1, num_rows, num_rows + 1, num_rows, num_blocks]
        self._flat = torch.zeros(sum(sizes), dtype=torch.int32, device=shape.device)
        self._zeros = self._flat.new_zeros(num_rows)
        self._none = self._flat.new_full((num_rows,), -1)
        self._offsets = torch.arange(num_rows + 1, dtype=torch.int32, device=shape.device)
        *rows, state_slots, block_ids = torch.split(self._flat, sizes)
        extents = tuple(Extent(row, 1, size.context_len, 0, 0, -1) for row in range(num_rows))
        self.batch = Batch(*[*rows, block_ids, state_slots], extents=extents, segments=())
        self.batch.row_offsets.copy_(self._offsets)
        for absent in (self.batch.slots, self.batch.state_slots):
            absent.fill_(-1)

    def fill(self, batch: Batch) -> None:
        """Take over a step's batch, of as many rows at most, in one copy on the device."""
        zeros, none = self._zeros[batch.num_rows :], self._none[batch.num_rows :]
        parts = [batch.token_ids, zeros, batch.positions, zeros, batch.slots, none, self._offsets]
        parts += [batch.context_lens, zeros, batch.block_offsets, zeros, batch.state_slots, none, batch.block_ids]
        # The rest of the table keeps what was there: no context reaches it.
        torch.cat(parts, out=self._flat[: sum(map(len, parts))])


def _power_of_two(number: int) -> int:
    """The smallest that is not below."""
    return 1 << (number - 1).bit_length()
