"""A Hugging Face folder of a small random model, written without transformers: every byte is a token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from kiln_engine.loading.hf_config import read_config
from kiln_engine.loading.layout import destinations
from kiln_engine.weights import Weights

CONTROL: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
NUM_UNUSED_ROWS: Final = 5
"""Rows of the output layer without a token."""


def random_folder(folder: Path, *, seed: int = 0, context_length: int = 512) -> Path:
    """Write the folder and return it. Its logits are far enough apart that answers do not hang on rounding."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>"}))
    config = _config(tokenizer.get_vocab_size(), context_length)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [256, 258]}))
    save_file(_tensors(config, seed), folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def _tokenizer() -> Tokenizer:
    vocab = {token: index for index, token in enumerate(sorted(ByteLevel.alphabet()))}
    tokenizer = Tokenizer(BPE(vocab=vocab, merges=[]))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROL])
    return tokenizer


def _config(num_tokens: int, context_length: int) -> dict[str, object]:
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": num_tokens + NUM_UNUSED_ROWS,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "hidden_act": "silu",
        "max_position_embeddings": context_length,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10_000.0,
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
    }


def _tensors(description: dict[str, object], seed: int) -> dict[str, torch.Tensor]:
    config = read_config(description, "config.json", stored="float32")
    shapes = destinations(Weights.empty(config, dtype=torch.float32, device=torch.device("meta")))
    random = torch.Generator().manual_seed(seed)
    return {
        name: torch.ones(target.shape) if target.dim() == 1 else torch.randn(target.shape, generator=random) * 0.4
        for name, target in shapes.items()
    }
