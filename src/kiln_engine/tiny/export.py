"""Checkpoint folders: the network and its tokenizer as Hugging Face lays out Qwen3 models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save
from tokenizers import Tokenizer

from kiln_engine.tiny.chat import TEMPLATE
from kiln_engine.tiny.lexicon import END, END_OF_TEXT, token_id
from kiln_engine.tiny.network import Network, Shape

WEIGHTS: Final = "model.safetensors"
MAX_POSITIONS: Final = 2048


def write_checkpoint(folder: Path, network: Network, tokenizer: Tokenizer, training: Mapping[str, Any]) -> None:
    """Write all files of a model; `training` says how it came about and is kept in training.json.

    Weights are written in bfloat16. Existing files of these names are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{name}": p.detach().to(torch.bfloat16) for name, p in network.named_parameters()}
    (folder / WEIGHTS).write_bytes(save(tensors, metadata={"format": "pt"}))
    ids = {name: token_id(tokenizer, text) for name, text in (("eos", END), ("pad", END_OF_TEXT))}
    _write_json(folder / "config.json", _config(network.shape, ids))
    _write_json(
        folder / "generation_config.json", {"eos_token_id": [ids["eos"], ids["pad"]], "pad_token_id": ids["pad"]}
    )
    _write_json(folder / "tokenizer_config.json", _tokenizer_config())
    _write_json(folder / "training.json", {**training, "weights_sha256": weights_sha256(folder)})
    (folder / "tokenizer.json").write_text(tokenizer.to_str(pretty=False), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")


def read_network(folder: Path) -> Network:
    """The network of a checkpoint folder, in float32. Raises OSError, or KeyError or RuntimeError for other models."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    network = Network(
        Shape(
            vocab_size=config["vocab_size"],
            width=config["hidden_size"],
            num_layers=config["num_hidden_layers"],
            num_heads=config["num_attention_heads"],
            num_kv_heads=config["num_key_value_heads"],
            head_size=config["head_dim"],
            inner_width=config["intermediate_size"],
            rope_theta=config["rope_parameters"]["rope_theta"],
            norm_epsilon=config["rms_norm_eps"],
        )
    )
    tensors = load_file(folder / WEIGHTS)
    network.load_state_dict({name.removeprefix("model."): tensor.float() for name, tensor in tensors.items()})
    return network.eval()


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a checkpoint folder."""
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def weights_sha256(folder: Path) -> str:
    """The hash of the weights file, in hexadecimal."""
    return sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def _config(shape: Shape, ids: Mapping[str, int]) -> dict[str, Any]:
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": shape.vocab_size,
        "hidden_size": shape.width,
        "intermediate_size": shape.inner_width,
        "num_hidden_layers": shape.num_layers,
        "num_attention_heads": shape.num_heads,
        "num_key_value_heads": shape.num_kv_heads,
        "head_dim": shape.head_size,
        "hidden_act": "silu",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "use_sliding_window": False,
        "max_position_embeddings": MAX_POSITIONS,
        "rope_theta": shape.rope_theta,
        "rope_parameters": {"rope_type": "default", "rope_theta": shape.rope_theta},
        "rms_norm_eps": shape.norm_epsilon,
        "tie_word_embeddings": True,
        "dtype": "bfloat16",
        "torch_dtype": "bfloat16",
        "eos_token_id": ids["eos"],
        "pad_token_id": ids["pad"],
    }


def _tokenizer_config() -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "pad_token": END_OF_TEXT,
        "clean_up_tokenization_spaces": False,
        "model_max_length": MAX_POSITIONS,
    }


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
