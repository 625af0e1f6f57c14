"""A decoder-only transformer: one loop over layers of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from torch import Tensor

from kiln_engine.errors import EngineError
from kiln_engine.models.attention import AttentionLayer
from kiln_engine.models.rotary import rotary_table

if TYPE_CHECKING:
    from kiln_engine.batch import Batch
    from kiln_engine.cache import Cache, CacheShape, LayerCache
    from kiln_engine.config import ModelConfig
    from kiln_engine.kernels.facade import Kernels, RotaryTable
    from kiln_engine.weights import Weights


class Layer(Protocol):
    """One layer, of any kind."""

    def new_cache(self, shape: CacheShape) -> LayerCache: ...

    def forward(self, x: Tensor, residual: Tensor | None, batch: Batch, cache: Any) -> tuple[Tensor, Tensor]:
        """From (output of the last layer, residual stream before it) to the same of this one; [N, H] each."""


LayerFactory = Callable[["ModelConfig", "Weights", int, "Kernels", "RotaryTable"], Layer]

LAYER_KINDS: Final[Mapping[str, LayerFactory]] = MappingProxyType({"attention": AttentionLayer.create})
"""What makes a layer of each kind, from the whole model's parts and the layer's index."""


class Decoder:
    """Implements `models.model.Model` for a loaded checkpoint. `max_positions` bounds how long a context may get.

    Takes the weights over: its kernels put them into the order that they read.

    Raises EngineError for a layer of a kind that `kinds` does not have.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        kernels: Kernels,
        *,
        max_positions: int,
        kinds: Mapping[str, LayerFactory] = LAYER_KINDS,
    ) -> None:
        unknown = set(config.layer_kinds) - set(kinds)
        if unknown:
            raise EngineError(f"layers of kind {', '.join(sorted(unknown))} are not supported; {', '.join(kinds)} are")
        weights = weights.packed(kernels.pack)
        self.vocab_size = config.vocab_size
        self._weights = weights
        self._kernels = kernels
        self._eps = config.rms_norm_eps
        rope = rotary_table(config, max_positions, weights.embedding.device)
        self.layers: Sequence[Layer] = tuple(
            kinds[kind](config, weights, index, kernels, rope) for index, kind in enumerate(config.layer_kinds)
        )

    def forward(self, batch: Batch, cache: Cache) -> Tensor:
        x, residual = self._kernels.embed(batch.token_ids, self._weights.embedding), None
        for layer, layer_cache in zip(self.layers, cache.layers, strict=True):
            x, residual = layer.forward(x, residual, batch, layer_cache)
        return self._kernels.add_norm(x, residual, self._weights.norm, self._eps)[0]

    def logits(self, hidden: Tensor) -> Tensor:
        return self._kernels.linear(hidden, self._weights.lm_head).float()
