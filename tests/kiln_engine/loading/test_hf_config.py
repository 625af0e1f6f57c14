"""Tests of reading a config.json: what each architecture means, and what is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import transformers

from kiln_engine.config import ModelConfig
from kiln_engine.loading import LoadError
from kiln_engine.loading.hf_config import KINDS, read_config
from tests.kiln_engine.loading.checkpoints import SMALL, llama, qwen2, qwen3, random_model

WIDE: dict[str, Any] = SMALL | {"hidden_size": 96}


def values(config: transformers.PreTrainedConfig, **changes: Any) -> dict[str, Any]:
    """A config.json as transformers writes it, with changes; a change to None takes a field out."""
    names = {"qwen3": "Qwen3", "qwen2": "Qwen2", "llama": "Llama", "mistral": "Mistral"}
    written = msgspec.json.decode(config.to_json_string())
    named = {"architectures": [f"{names[config.model_type]}ForCausalLM"]}
    return {key: value for key, value in (written | named | changes).items() if value is not None}


def read(config: dict[str, Any]) -> ModelConfig:
    return read_config(config, "config.json", stored="float32")


def mistral(**changes: Any) -> transformers.PreTrainedConfig:
    return transformers.MistralConfig(**WIDE | changes)


def test_families_and_their_differences() -> None:
    flags = {
        name: (config.family, config.qk_norm, config.qkv_bias, config.o_bias, config.mlp_bias)
        for name, config in (
            ("qwen3", read(values(qwen3()))),
            ("qwen3 with biases", read(values(qwen3(attention_bias=True)))),
            ("qwen2", read(values(qwen2()))),
            ("llama", read(values(llama()))),
            ("llama with biases", read(values(llama(attention_bias=True, mlp_bias=True)))),
            ("mistral", read(values(mistral()))),
        )
    }
    assert flags == {
        "qwen3": ("qwen3", True, False, False, False),
        "qwen3 with biases": ("qwen3", True, True, True, False),
        "qwen2": ("qwen2", False, True, False, False),
        "llama": ("llama", False, False, False, False),
        "llama with biases": ("llama", False, True, True, True),
        "mistral": ("llama", False, False, False, False),
    }


def test_sizes() -> None:
    config = read(values(qwen3(tie_word_embeddings=True)))
    assert (config.hidden_size, config.intermediate_size, config.vocab_size, config.num_layers) == (64, 80, 96, 2)
    assert (config.num_heads, config.num_kv_heads, config.head_dim, config.q_size, config.kv_size) == (6, 2, 16, 96, 32)
    assert (config.context_length, config.tied, config.layer_kinds) == (256, True, ("attention", "attention"))


def test_fields_that_old_checkpoints_leave_out() -> None:
    config = read(values(llama(), head_dim=None, num_key_value_heads=None, rms_norm_eps=None, rope_parameters=None))
    assert (config.head_dim, config.num_kv_heads, config.rms_norm_eps, config.rope.theta) == (16, 6, 1e-6, 10_000.0)
    assert read(values(qwen3(), head_dim=None)).head_dim == 128


def test_the_stored_dtype() -> None:
    assert read(values(llama(), dtype="bfloat16")).dtype == "bfloat16"
    assert read(values(llama(), dtype=None, torch_dtype="float16")).dtype == "float16"
    assert read(values(llama(), dtype=None)).dtype == "float32"


def test_yarn_reaches_as_far_as_it_stretches() -> None:
    rope = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256, "rope_theta": 1e6}
    assert read(values(qwen2(), rope_parameters=rope)).context_length == 1024
    assert read(values(qwen2(), rope_parameters=rope, max_position_embeddings=2048)).context_length == 2048


@pytest.mark.parametrize(
    "config",
    [
        qwen2(use_sliding_window=True, sliding_window=24, max_window_layers=1),
        qwen2(use_sliding_window=True, sliding_window=24, max_window_layers=0),
        qwen2(use_sliding_window=False, sliding_window=24, max_window_layers=0),
        qwen2(use_sliding_window=True, sliding_window=None, max_window_layers=0),
        qwen3(use_sliding_window=True, sliding_window=9, layer_types=["sliding_attention", "full_attention"]),
        mistral(sliding_window=12),
        mistral(sliding_window=None),
    ],
)
def test_windows_are_those_of_transformers(config: transformers.PreTrainedConfig) -> None:
    model = random_model(config)
    theirs = (
        tuple(layer.self_attn.sliding_window for layer in model.model.layers)
        if config.model_type != "mistral"
        else ((config.sliding_window,) * 2)
    )
    written = msgspec.json.decode(config.to_json_string())
    written["architectures"] = [type(model).__name__]
    assert read(written).windows == theirs
    if config.model_type == "qwen2":  # without the list, the older fields say the same
        del written["layer_types"]
        assert read(written).windows == theirs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architectures": ["Qwen3MoeForCausalLM"]}, r"`architectures` is \['Qwen3MoeForCausalLM'\].*Qwen3ForCausalLM"),
        ({"architectures": None}, "`architectures` is missing"),
        ({"quantization_config": {"quant_method": "fp8"}}, "`quantization_config` is .*fp8.*bfloat16"),
        ({"hidden_act": "gelu"}, "`hidden_act` is 'gelu': it must be `silu`"),
        ({"vocab_size": None}, "`vocab_size` is missing"),
        ({"hidden_size": "96"}, "`hidden_size` is '96': it must be a whole number of at least 1"),
        ({"num_hidden_layers": 0}, "`num_hidden_layers` is 0"),
        ({"rms_norm_eps": -1.0}, "`rms_norm_eps` is -1.0: it must be a positive number"),
        ({"tie_word_embeddings": "yes"}, "`tie_word_embeddings` is 'yes': it must be true or false"),
        ({"num_key_value_heads": 4}, "6 heads are no multiple of 4"),
        ({"head_dim": 512}, "heads of 512 elements are not supported; even sizes up to 256 are"),
        ({"head_dim": 15}, "heads of 15 elements"),
        ({"head_dim": None, "hidden_size": 97}, "`hidden_size` is 97: it must be a multiple of the 6 heads"),
        ({"rope_parameters": {"rope_type": "longrope"}}, "'longrope' is not supported; default, linear, llama3, yarn"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "'dynamic' is not supported"),
        ({"rope_parameters": {"rope_type": "linear"}}, "`rope_parameters.factor` is missing"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1e4}}}, "differs by layer type"),
        ({"partial_rotary_factor": 0.5}, "`partial_rotary_factor` is 0.5"),
    ],
)
def test_refusals_name_field_and_what_is_supported(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LoadError, match=f"config.json: .*{message}"):
        read(values(llama(), **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layer_types": ["chunked_attention", "full_attention"]}, "'chunked_attention' are not supported"),
        ({"layer_types": ["full_attention"]}, "each of the 2 layers"),
        ({"layer_types": ["sliding_attention", "full_attention"]}, "has sliding layers"),
    ],
)
def test_layer_types_that_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LoadError, match=message):
        read(values(qwen3(), **changes))


def test_every_architecture_is_one_of_transformers() -> None:
    assert all(hasattr(transformers, name) for name in KINDS)
