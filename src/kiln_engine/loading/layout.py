"""Where each tensor of a checkpoint goes in the fused weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from torch import Tensor

from kiln_engine.weights import LayerWeights, Linear, Weights

EMBEDDING: Final = "model.embed_tokens.weight"
LM_HEAD: Final = "lm_head.weight"
NORM: Final = "model.norm.weight"

_MODULES: Final[Mapping[str, str]] = {
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
"""The module of transformers for each part of a fused product."""


def destinations(weights: Weights) -> dict[str, Tensor]:
    """A view into the weights for each tensor that a checkpoint must have, by its name in transformers."""
    found = {EMBEDDING: weights.embedding, NORM: weights.norm}
    if not weights.tied:
        found[LM_HEAD] = weights.lm_head.weight
    for index, layer in enumerate(weights.layers):
        found |= {f"model.layers.{index}.{name}": view for name, view in _of_layer(layer)}
    return found


def _of_layer(layer: LayerWeights) -> Iterator[tuple[str, Tensor]]:
    yield "input_layernorm.weight", layer.attn_norm
    yield "post_attention_layernorm.weight", layer.mlp_norm
    if layer.q_norm is not None and layer.k_norm is not None:
        yield "self_attn.q_norm.weight", layer.q_norm
        yield "self_attn.k_norm.weight", layer.k_norm
    for linear in (layer.qkv, layer.o, layer.gate_up, layer.down):
        yield from _of_linear(linear)


def _of_linear(linear: Linear) -> Iterator[tuple[str, Tensor]]:
    for name, start, stop in linear.parts:
        yield f"{_MODULES[name]}.weight", linear.weight[start:stop]
        if linear.bias is not None:
            yield f"{_MODULES[name]}.bias", linear.bias[start:stop]
