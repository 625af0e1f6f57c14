"""Random checkpoints of every family, made by transformers: the oracle and our own model read the same files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

_SIZES: Final = {
    "vocab_size": 263,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "max_position_embeddings": 256,
}


def _qwen3(**changes: Any) -> PreTrainedModel:
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 16}
    return Qwen3ForCausalLM(Qwen3Config(**(_SIZES | heads | changes)))


def _qwen2(**changes: Any) -> PreTrainedModel:
    heads = {"num_attention_heads": 6, "num_key_value_heads": 3}
    return Qwen2ForCausalLM(Qwen2Config(**(_SIZES | heads | changes)))


def _llama(**changes: Any) -> PreTrainedModel:
    heads = {"num_attention_heads": 3, "num_key_value_heads": 1}
    return LlamaForCausalLM(LlamaConfig(**(_SIZES | heads | changes)))


def _rope(kind: str, **values: Any) -> dict[str, Any]:
    return {"rope_type": kind, "rope_theta": 10_000.0, "original_max_position_embeddings": 64, **values}


_WINDOWS: Final = ["sliding_attention", "full_attention", "sliding_attention"]

MAKERS: Final[dict[str, Callable[[], PreTrainedModel]]] = {
    "qwen3": _qwen3,
    "qwen3-tied": lambda: _qwen3(tie_word_embeddings=True),
    "qwen3-yarn": lambda: _qwen3(rope_parameters=_rope("yarn", factor=4.0)),
    "qwen3-windows": lambda: _qwen3(use_sliding_window=True, sliding_window=9, layer_types=_WINDOWS),
    "qwen3-biases": lambda: _qwen3(attention_bias=True),
    "qwen3-wide-heads": lambda: _qwen3(head_dim=256, num_attention_heads=2, num_key_value_heads=1),
    "qwen2": _qwen2,
    "qwen2-seven-heads": lambda: _qwen2(hidden_size=56, num_attention_heads=7, num_key_value_heads=1),
    "qwen2-windows": lambda: _qwen2(use_sliding_window=True, sliding_window=9, max_window_layers=1),
    "llama": _llama,
    "llama-one-group": lambda: _llama(num_attention_heads=3, num_key_value_heads=3, tie_word_embeddings=True),
    "llama-3": lambda: _llama(rope_parameters=_rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0)),
    "llama-linear": lambda: _llama(rope_parameters=_rope("linear", factor=2.0)),
    "llama-biases": lambda: _llama(attention_bias=True, mlp_bias=True),
}
"""Small models by what is special about each."""


def random_model(name: str, folder: Path) -> PreTrainedModel:
    """Make a model, save it in the folder, and return it: float32, with logits of standard deviation 1 or more."""
    torch.manual_seed(sum(map(ord, name)))
    model = MAKERS[name]().eval()
    with torch.no_grad():
        for tensor_name, tensor in model.named_parameters():
            if "norm" in tensor_name:
                tensor.copy_(1 + 0.3 * torch.randn_like(tensor))
            elif tensor_name.endswith("bias"):
                tensor.copy_(0.2 * torch.randn_like(tensor))
            else:
                # Much larger, and both sides' rounding grows from layer to layer beyond what is compared here.
                tensor.copy_(torch.randn_like(tensor) * 1.25 / tensor.shape[-1] ** 0.5)
    config: PreTrainedConfig = model.config
    config.bos_token_id = config.eos_token_id = None
    model.save_pretrained(folder)
    return model
