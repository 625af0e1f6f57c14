"""Tests of rotary frequencies: equal to the bit to those of transformers, read from configs in both spellings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from kiln_engine.config import ModelConfig
from kiln_engine.loading.hf_config import read_config
from kiln_engine.rope import inverse_frequencies

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512}
KINDS: list[dict[str, Any]] = [
    {"rope_type": "default"},
    {"rope_type": "linear", "factor": 2.5},
    LLAMA3 | {"original_max_position_embeddings": 512},
    LLAMA3,
    YARN,
    YARN | {"attention_factor": 1.25, "beta_fast": 24, "beta_slow": 2.0},
    YARN | {"truncate": False},
    YARN | {"mscale": 0.7, "mscale_all_dim": 1.3},
    YARN | {"factor": None},
    YARN | {"beta_fast": 0, "mscale": 0.7},
]


def described(head_dim: int, **changes: Any) -> dict[str, Any]:
    sizes = {"vocab_size": 8, "hidden_size": 4 * head_dim, "intermediate_size": 8, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": head_dim, "max_position_embeddings": 2048}
    return {"architectures": ["LlamaForCausalLM"]} | sizes | heads | changes


def read(values: dict[str, Any]) -> ModelConfig:
    return read_config(values, "config.json", stored="float32")


def assert_equal(values: dict[str, Any]) -> None:
    theirs = LlamaRotaryEmbedding(LlamaConfig(**msgspec.json.decode(msgspec.json.encode(values))))
    frequencies, factor = inverse_frequencies(read(values))
    assert frequencies.dtype == torch.float32
    assert torch.equal(frequencies, theirs.inv_freq)
    assert factor == theirs.attention_scaling


@pytest.mark.parametrize("head_dim", [64, 96, 256])
@pytest.mark.parametrize("rope", KINDS)
def test_equals_transformers(rope: dict[str, Any], head_dim: int) -> None:
    assert_equal(described(head_dim, rope_parameters=rope | {"rope_theta": 500_000.0}))


@pytest.mark.parametrize("rope", KINDS[1:])
def test_older_configs_mean_the_same(rope: dict[str, Any]) -> None:
    old = described(64, rope_scaling=rope, rope_theta=1e6)
    assert_equal(old)
    spelled = described(64, rope_scaling={"type" if key == "rope_type" else key: rope[key] for key in rope})
    assert read(spelled | {"rope_theta": 1e6}).rope == read(old).rope


@settings(deadline=None)
@given(
    factor=st.floats(1.0, 64.0),
    trained=st.integers(64, 40_000),
    theta=st.sampled_from([1e4, 5e5, 1e6]),
    fast=st.floats(8.0, 64.0),
    slow=st.floats(0.5, 4.0),
    truncate=st.booleans(),
)
def test_yarn_equals_transformers(
    factor: float, trained: int, theta: float, fast: float, slow: float, truncate: bool
) -> None:
    rope = {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": trained, "rope_theta": theta}
    borders = {"beta_fast": fast, "beta_slow": slow, "truncate": truncate}
    assert_equal(described(64, rope_parameters=rope | borders))


def test_frequency_factors_divide() -> None:
    config = read(described(8))
    rope = msgspec.structs.replace(config.rope, frequency_factors=(1.0, 2.0, 4.0, 8.0))
    plain, _ = inverse_frequencies(config)
    divided, factor = inverse_frequencies(msgspec.structs.replace(config, rope=rope))
    assert torch.equal(divided, plain / torch.tensor([1.0, 2.0, 4.0, 8.0]))
    assert factor == 1.0


def test_frequency_factors_must_fit() -> None:
    config = read(described(8))
    rope = msgspec.structs.replace(config.rope, frequency_factors=(1.0, 2.0))
    with pytest.raises(ValueError, match="2 frequency factors do not fit 4 rotated pairs"):
        inverse_frequencies(msgspec.structs.replace(config, rope=rope))
