"""The tensors that hold what computed positions left behind, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from kiln_engine.kernels.facade import Heads, PagedKV


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheShape:
    """How much a cache holds, and where."""

    num_blocks: int
    block_size: int
    """Positions in a block."""
    num_state_slots: int = 1
    dtype: torch.dtype
    device: torch.device


class LayerCache(Protocol):
    """What one layer keeps between steps."""

    @property
    def num_bytes(self) -> int:
        """Memory of all of it."""

    def copy_blocks(self, sources: Tensor, targets: Tensor) -> None:
        """Copy whole blocks; int64 [n] each, no block is in both."""

    def copy_states(self, sources: Tensor, targets: Tensor) -> None:
        """Copy recurrent states; int64 [n] each. All sources are read before any target is written."""


class CachedLayer(Protocol):
    """A layer that keeps something between steps."""

    def new_cache(self, shape: CacheShape) -> LayerCache:
        """Room for a whole pool of blocks and states. Its content is undefined."""


class AttentionCache(NamedTuple):
    """Keys and values of an attention layer; it has no recurrent state."""

    kv: PagedKV

    @classmethod
    def create(cls, heads: Heads, shape: CacheShape) -> AttentionCache:
        size = (shape.num_blocks, heads.num_kv_heads, shape.block_size, heads.head_dim)
        # Not filled: pages that no position has used yet cost no memory.
        keys, values = (torch.empty(size, dtype=shape.dtype, device=shape.device) for _ in range(2))
        return cls(PagedKV(keys, values))

    @property
    def num_bytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.kv)

    def copy_blocks(self, sources: Tensor, targets: Tensor) -> None:
        for tensor in self.kv:
            tensor[targets] = tensor[sources]

    def copy_states(self, sources: Tensor, targets: Tensor) -> None:
        pass


class Cache:
    """The caches of all layers of a model, in their order."""

    def __init__(self, layers: Sequence[CachedLayer], shape: CacheShape) -> None:
        self.shape = shape
        self.layers = tuple(layer.new_cache(shape) for layer in layers)

    @property
    def num_bytes(self) -> int:
        """Memory of all layers' caches."""
        return sum(layer.num_bytes for layer in self.layers)

    def copy_blocks(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy blocks in every layer; `pairs` are (source, target)."""
        if pairs:
            sources, targets = self._indices(pairs)
            for layer in self.layers:
                layer.copy_blocks(sources, targets)

    def copy_states(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy recurrent states in every layer; `pairs` are (source, target) slots."""
        if pairs:
            sources, targets = self._indices(pairs)
            for layer in self.layers:
                layer.copy_states(sources, targets)

    def _indices(self, pairs: Sequence[tuple[int, int]]) -> tuple[Tensor, Tensor]:
        sources, targets = torch.tensor(pairs, dtype=torch.int64, device=self.shape.device).unbind(1)
        return sources, targets
