"""The block that Qwen3, Qwen2 and Llama share: attention, then a gated MLP, each behind a norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from kiln_engine.cache import AttentionCache
from kiln_engine.kernels.facade import HeadNorms, Heads

if TYPE_CHECKING:
    from kiln_engine.batch import Batch
    from kiln_engine.cache import CacheShape
    from kiln_engine.config import ModelConfig
    from kiln_engine.kernels.facade import Kernels, RotaryTable
    from kiln_engine.weights import LayerWeights, Weights


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """One attention layer. What differs between families is in the weights: head norms and biases are there or not."""

    weights: LayerWeights
    heads: Heads
    head_norms: HeadNorms | None
    rope: RotaryTable
    kernels: Kernels
    eps: float
    window: int | None
    """Positions that a row sees, itself included; None sees all."""

    @classmethod
    def create(
        cls, config: ModelConfig, weights: Weights, index: int, kernels: Kernels, rope: RotaryTable
    ) -> AttentionLayer:
        layer = weights.layers[index]
        norms = None
        if layer.q_norm is not None and layer.k_norm is not None:
            norms = HeadNorms(layer.q_norm, layer.k_norm, config.rms_norm_eps)
        heads = Heads(config.num_heads, config.num_kv_heads, config.head_dim)
        return cls(layer, heads, norms, rope, kernels, config.rms_norm_eps, config.windows[index])

    def new_cache(self, shape: CacheShape) -> AttentionCache:
        return AttentionCache.create(self.heads, shape)

    def forward(self, x: Tensor, residual: Tensor | None, batch: Batch, cache: AttentionCache) -> tuple[Tensor, Tensor]:
        weights, kernels = self.weights, self.kernels
        x, residual = kernels.add_norm(x, residual, weights.attn_norm, self.eps)
        qkv = kernels.linear(x, weights.qkv, batch.segments)
        query = kernels.qk_norm_rope_write(qkv, self.heads, self.head_norms, self.rope, cache.kv, batch)
        mixed = kernels.paged_attention(query, cache.kv, batch, scale=self.heads.head_dim**-0.5, window=self.window)
        x, residual = kernels.add_norm(
            kernels.linear(mixed, weights.o, batch.segments), residual, weights.mlp_norm, self.eps
        )
        hidden = kernels.act_mul(kernels.linear(x, weights.gate_up, batch.segments))
        return kernels.linear(hidden, weights.down, batch.segments), residual
