"""Random checkpoints: Hugging Face folders written by transformers, GGUF files written by the gguf package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Kind
from numpy.typing import NDArray
from transformers import PreTrainedConfig, PreTrainedModel

transformers.utils.logging.disable_progress_bar()

SMALL: Final[dict[str, Any]] = {
    "vocab_size": 96,
    "hidden_size": 64,
    "intermediate_size": 80,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
"""Sizes that are all different, with three query heads to a key head; a head size of its own comes with a config."""


def random_model(config: PreTrainedConfig, seed: int = 0) -> PreTrainedModel:
    """A causal model with every parameter random, norms and biases too."""
    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0 if parameter.dim() > 1 else 1.0, 0.2)
    return model


def saved(folder: Path, config: PreTrainedConfig, **options: Any) -> PreTrainedModel:
    """A random model, saved into a folder as transformers does; `options` go to its save_pretrained."""
    model = random_model(config)
    model.save_pretrained(folder, **options)
    return model


def qwen3(**changes: Any) -> PreTrainedConfig:
    return transformers.Qwen3Config(**SMALL | {"head_dim": 16} | changes)


def qwen2(**changes: Any) -> PreTrainedConfig:
    return transformers.Qwen2Config(**SMALL | {"hidden_size": 96} | changes)


def llama(**changes: Any) -> PreTrainedConfig:
    return transformers.LlamaConfig(**SMALL | {"hidden_size": 96} | changes)


_GGUF_NAMES: Final = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    """What llama.cpp calls a tensor of transformers."""
    name = name.replace("model.layers.", "blk.")
    for theirs, own in _GGUF_NAMES.items():
        name = name.replace(theirs, own)
    return name


def write_gguf(
    path: Path,
    model: PreTrainedModel,
    *,
    kind: Kind = Kind.F32,
    metadata: Mapping[str, Any] | None = None,
    extra: Mapping[str, NDArray[np.float32]] | None = None,
) -> Mapping[str, NDArray[np.float32]]:
    """Write a model as llama.cpp's converter does, its matrices in one quantisation, and return what was stored.

    `metadata` are further entries, `extra` further float32 tensors. The result has transformers' names and rows.
    """
    config = model.config
    arch = config.model_type
    entries = described(config, arch) | dict(metadata or {})
    writer = gguf.GGUFWriter(path, entries.pop("general.architecture", arch))
    for key, value in entries.items():
        add(writer, key, value)
    stored = {}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        data = tensor.numpy()
        raw = _quantised(data, kind if data.ndim == 2 else Kind.F32)
        stored[name] = dequantised(raw, kind if data.ndim == 2 else Kind.F32)
        if arch == "llama" and (".q_proj." in name or ".k_proj." in name):
            raw = permuted(raw, config.num_attention_heads if "q_proj" in name else config.num_key_value_heads)
        writer.add_tensor(gguf_name(name), raw, raw_dtype=kind if data.ndim == 2 else Kind.F32)
    for name, data in (extra or {}).items():
        writer.add_tensor(name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return stored


def add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    """Add an entry of metadata under the type that llama.cpp gives it."""
    types = gguf.GGUFValueType
    if isinstance(value, bool):
        writer.add_key_value(key, value, types.BOOL)
    elif isinstance(value, int):
        writer.add_key_value(key, value, types.UINT32)
    elif isinstance(value, float):
        writer.add_key_value(key, value, types.FLOAT32)
    elif isinstance(value, str):
        writer.add_key_value(key, value, types.STRING)
    else:
        writer.add_array(key, value)


def permuted(rows: NDArray[Any], num_heads: int) -> NDArray[Any]:
    """llama.cpp's order of q and k rows: in each head, row i of the first half, then row i of the second, and so on."""
    halves = rows.reshape(num_heads, 2, -1, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(rows.shape)


def dequantised(raw: NDArray[Any], kind: Kind) -> NDArray[np.float32]:
    return np.array(gguf.quants.dequantize(raw, kind))


def _quantised(data: NDArray[np.float32], kind: Kind) -> NDArray[Any]:
    if kind in (Kind.Q4_K, Kind.Q6_K):  # the gguf package reads these but does not write them
        return _random_blocks(data.shape, kind)
    return np.array(gguf.quants.quantize(data, kind))


def _random_blocks(shape: tuple[int, ...], kind: Kind) -> NDArray[np.uint8]:
    """Blocks of random weights whose scales are small numbers."""
    block, block_bytes = gguf.GGML_QUANT_SIZES[kind]
    random = np.random.default_rng(0)
    blocks = random.integers(0, 256, (shape[0], shape[1] // block, block_bytes), dtype=np.uint8)
    scales = random.uniform(0.001, 0.01, (*blocks.shape[:2], 2)).astype(np.float16).view(np.uint8)
    if kind is Kind.Q4_K:
        blocks[..., :4] = scales
    else:
        blocks[..., -2:] = scales[..., :2]
    return blocks.reshape(shape[0], -1)


def described(config: PreTrainedConfig, arch: str) -> dict[str, Any]:
    """The metadata of a model's sizes."""
    return {
        f"{arch}.block_count": config.num_hidden_layers,
        f"{arch}.context_length": config.max_position_embeddings,
        f"{arch}.embedding_length": config.hidden_size,
        f"{arch}.feed_forward_length": config.intermediate_size,
        f"{arch}.attention.head_count": config.num_attention_heads,
        f"{arch}.attention.head_count_kv": config.num_key_value_heads,
        f"{arch}.attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        f"{arch}.rope.freq_base": config.rope_parameters["rope_theta"],
        f"{arch}.vocab_size": config.vocab_size,
    } | ({f"{arch}.attention.key_length": config.head_dim} if arch == "qwen3" else {})
