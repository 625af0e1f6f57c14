"""Tests of reading a GGUF file's metadata as a model's config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kiln_engine.config import ModelConfig
from kiln_engine.loading import LoadError, open_source
from kiln_engine.loading.hf_rope import yarn_magnitude
from kiln_engine.rope import inverse_frequencies
from tests.kiln_engine.loading.checkpoints import described, llama, qwen3, random_model, write_gguf

MODEL = random_model(llama())


def read(folder: Path, *, extra: Any = None, **metadata: Any) -> ModelConfig:
    entries = {key.replace("__", "."): value for key, value in metadata.items()}
    write_gguf(folder / "m.gguf", MODEL, metadata=entries, extra=extra)
    return open_source(folder / "m.gguf").config


def test_sizes_come_from_the_metadata(tmp_path: Path) -> None:
    config = read(tmp_path)
    sizes = (config.vocab_size, config.hidden_size, config.intermediate_size, config.num_layers, config.num_heads)
    assert sizes == (96, 96, 80, 2, 6)
    assert (config.num_kv_heads, config.head_dim, config.context_length) == (2, 16, 256)
    assert (config.family, config.qk_norm, config.qkv_bias, config.tied) == ("llama", False, False, False)
    assert config.rms_norm_eps == pytest.approx(1e-6)
    assert config.dtype == "float32"
    assert config.windows == (None, None)


def test_a_head_size_of_its_own(tmp_path: Path) -> None:
    write_gguf(tmp_path / "m.gguf", random_model(qwen3()))
    config = open_source(tmp_path / "m.gguf").config
    assert (config.head_dim, config.qk_norm, config.family) == (16, True, "qwen3")


def test_biases_are_those_that_the_file_has(tmp_path: Path) -> None:
    write_gguf(tmp_path / "m.gguf", random_model(llama(attention_bias=True)))
    config = open_source(tmp_path / "m.gguf").config
    assert (config.qkv_bias, config.o_bias, config.mlp_bias) == (True, True, False)
    write_gguf(tmp_path / "m.gguf", MODEL, metadata={"general.architecture": "qwen2"} | _renamed("llama", "qwen2"))
    assert open_source(tmp_path / "m.gguf").config.qkv_bias  # always, so that missing ones are named


def _renamed(old: str, new: str) -> dict[str, Any]:
    """The metadata of the small model under another architecture's names."""
    return {key.replace(f"{old}.", f"{new}."): value for key, value in described(MODEL.config, old).items()}


def test_the_description_leaves_out_the_vocabulary(tmp_path: Path) -> None:
    config = read(tmp_path, tokenizer__ggml__model="gpt2", general__name="a model")
    assert config.source["general.name"] == "a model"
    assert config.source["llama.block_count"] == 2
    assert not [key for key in config.source if key.startswith("tokenizer")]


def test_frequency_factors_are_read(tmp_path: Path) -> None:
    factors = np.linspace(1, 8, 8, dtype=np.float32)
    config = read(tmp_path, extra={"rope_freqs.weight": factors})
    plain, _ = inverse_frequencies(read(tmp_path))
    assert torch.equal(inverse_frequencies(config)[0], plain / torch.from_numpy(factors))


@pytest.mark.parametrize(
    "entries",
    [
        {"llama__rope__scaling__type": "linear", "llama__rope__scaling__factor": 4.0},
        {"llama__rope__scale_linear": 4.0},
    ],
)
def test_linear_scaling(entries: dict[str, Any], tmp_path: Path) -> None:
    rope = read(tmp_path, **entries).rope
    assert (rope.kind, rope.factor, rope.theta) == ("linear", 4.0, 10_000.0)


def test_yarn_scaling(tmp_path: Path) -> None:
    entries = {"type": "yarn", "factor": 4.0, "original_context_length": 64, "attn_factor": 0.5}
    rope = read(tmp_path, **{f"llama__rope__scaling__{key}": value for key, value in entries.items()}).rope
    assert (rope.kind, rope.factor, rope.original_max_position_embeddings) == ("yarn", 4.0, 64)
    assert rope.attention_factor == 0.5 * yarn_magnitude(4.0)
    assert (rope.beta_fast, rope.beta_slow) == (32.0, 1.0)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"general__architecture": "gemma"}, "`general.architecture` is 'gemma'.*llama, qwen2, qwen3"),
        ({"split__count": 3}, "`split.count` is 3.*gguf-split --merge"),
        ({"llama__expert_count": 8}, "`llama.expert_count` is 8: it is not supported"),
        ({"llama__attention__sliding_window": 512}, "`llama.attention.sliding_window` is 512"),
        (
            {"llama__rope__scaling__type": "longrope"},
            "'longrope': it must be one that is supported: none, linear, yarn",
        ),
        (
            {"llama__rope__dimension_count": 8},
            "`llama.rope.dimension_count` is 8: it must be the size of a key head, 16",
        ),
        ({"llama__attention__value_length": 32}, "`llama.attention.value_length` is 32"),
        ({"llama__attention__head_count_kv": 4}, "6 heads are no multiple of 4"),
    ],
)
def test_refusals(entries: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=f"m.gguf: .*{message}"):
        read(tmp_path, **entries)
