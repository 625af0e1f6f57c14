"""Tests of fused weights: shapes, parts, and what is shared."""

from __future__ import annotations

import msgspec
import pytest
import torch

from kiln_engine.config import ModelConfig
from kiln_engine.loading.hf_config import read_config
from kiln_engine.weights import Part, Weights
from tests.kiln_engine.loading.checkpoints import qwen3

META = torch.device("meta")


def config(**changes: object) -> ModelConfig:
    values = msgspec.json.decode(qwen3(architectures=["Qwen3ForCausalLM"]).to_json_string(use_diff=False))
    return msgspec.structs.replace(read_config(values, "config.json", stored="float32"), **changes)


def test_parts_name_the_fused_rows() -> None:
    layer = Weights.empty(config(), dtype=torch.float32, device=META).layers[0]
    assert layer.qkv.parts == (Part("q", 0, 96), Part("k", 96, 128), Part("v", 128, 160))
    assert layer.gate_up.parts == (Part("gate", 0, 80), Part("up", 80, 160))
    assert layer.qkv.weight.shape == (160, 64)
    assert layer.o.weight.shape == (64, 96)
    assert layer.gate_up.weight.shape == (160, 64)
    assert layer.down.weight.shape == (64, 80)
    assert layer.q_norm is not None
    assert layer.q_norm.shape == (16,)


@pytest.mark.parametrize("name", ["qkv_bias", "o_bias", "mlp_bias"])
def test_biases_are_there_where_the_config_says_so(name: str) -> None:
    layer = Weights.empty(config(**{name: True}), dtype=torch.float32, device=META).layers[0]
    has = {
        "qkv_bias": layer.qkv.bias is not None,
        "o_bias": layer.o.bias is not None,
        "mlp_bias": layer.gate_up.bias is not None and layer.down.bias is not None,
    }
    assert {key for key, there in has.items() if there} == {name}


def test_a_tied_output_layer_is_the_embedding_and_counts_once() -> None:
    tied = Weights.empty(config(tied=True), dtype=torch.bfloat16, device=META)
    separate = Weights.empty(config(tied=False), dtype=torch.bfloat16, device=META)
    assert tied.tied
    assert tied.lm_head.weight is tied.embedding
    assert not separate.tied
    assert separate.num_bytes - tied.num_bytes == 96 * 64 * 2
    assert {tensor.dtype for tensor in separate.tensors()} == {torch.bfloat16}


def test_no_norm_of_heads_without_qk_norm() -> None:
    layer = Weights.empty(config(qk_norm=False), dtype=torch.float32, device=META).layers[0]
    assert layer.q_norm is None
    assert layer.k_norm is None


@pytest.mark.parametrize("is_tied", [True, False])
def test_every_matrix_is_packed_once_and_nothing_else(is_tied: bool) -> None:
    weights = Weights.empty(config(tied=is_tied), dtype=torch.float32, device=META)
    seen: list[torch.Tensor] = []

    def pack(matrix: torch.Tensor) -> torch.Tensor:
        seen.append(matrix)
        return matrix.unsqueeze(0)

    packed = weights.packed(pack)
    matrices = {id(tensor) for tensor in weights.tensors() if tensor.dim() == 2}
    assert {id(tensor) for tensor in seen} == matrices
    assert len(seen) == len(matrices)
    assert packed.tied is is_tied
    assert {tensor.dim() for tensor in packed.tensors()} == {1, 3}
    assert packed.num_bytes == weights.num_bytes
    assert packed.layers[0].qkv.parts == weights.layers[0].qkv.parts
