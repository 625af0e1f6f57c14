"""Tests of GGUF files as checkpoints, against the weights they were written from and against transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from gguf import GGMLQuantizationType as Kind

from kiln_engine.loading import LoadError, load, open_source, pieces
from kiln_engine.loading.layout import destinations
from kiln_engine.weights import Weights
from tests.kiln_engine.loading.checkpoints import llama, qwen2, qwen3, random_model, write_gguf

FAMILIES = [
    llama(),
    llama(tie_word_embeddings=True, attention_bias=True, mlp_bias=True),
    qwen2(),
    qwen3(tie_word_embeddings=True),
]
KINDS = [Kind.F32, Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0, Kind.Q4_1, Kind.Q4_K, Kind.Q6_K]
WIDE = {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 8, "num_key_value_heads": 2}
"""Sizes that blocks of 256 weights fit into."""


def loaded(path: Path, dtype: torch.dtype = torch.float32) -> Weights:
    return load(open_source(path), dtype=dtype, device=torch.device("cpu"))


@pytest.mark.parametrize("config", FAMILIES, ids=["llama", "llama-biases", "qwen2", "qwen3"])
def test_loads_what_a_converter_wrote(config: Any, tmp_path: Path) -> None:
    model = random_model(config)
    write_gguf(tmp_path / "m.gguf", model)
    weights = loaded(tmp_path / "m.gguf")
    expected = model.state_dict()
    found = destinations(weights)
    assert expected.keys() - found.keys() <= {"lm_head.weight"}
    assert all(torch.equal(view, expected[name]) for name, view in found.items())
    assert weights.tied == config.tie_word_embeddings


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_dequantises_as_transformers_does(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # transformers asks for this package before it reads any GGUF file, but does not need it for one that fits on a CPU.
    monkeypatch.setattr("transformers.modeling_utils.is_accelerate_available", lambda: True)
    model = random_model(llama(**WIDE))
    stored = write_gguf(tmp_path / "m.gguf", model, kind=kind)
    oracle = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file="m.gguf", dtype=torch.float32)
    theirs = oracle.state_dict()
    found = destinations(loaded(tmp_path / "m.gguf"))
    assert found.keys() == theirs.keys()
    for name, view in found.items():
        assert torch.equal(view, torch.from_numpy(stored[name])), name
        assert torch.equal(view, theirs[name]), name


@pytest.mark.parametrize("elements", [1, 100, 2000, 10_000])
def test_rows_are_put_in_order_in_pieces_of_any_size(
    elements: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model(llama(attention_bias=True))
    write_gguf(tmp_path / "m.gguf", model)
    monkeypatch.setattr(pieces, "PIECE_ELEMENTS", elements)
    expected = model.state_dict()
    assert all(torch.equal(view, expected[name]) for name, view in destinations(loaded(tmp_path / "m.gguf")).items())


def test_tensors_go_by_the_names_of_the_file(tmp_path: Path) -> None:
    model = random_model(llama())
    write_gguf(tmp_path / "m.gguf", model, extra={"blk.0.attn_sinks.weight": np.ones(6, dtype=np.float32)})
    names: list[str] = []
    source = open_source(tmp_path / "m.gguf")
    assert source.spelled("model.layers.1.mlp.down_proj.weight") == "blk.1.ffn_down.weight"
    with pytest.raises(LoadError, match=r"1 is not part of such a model: blk.0.attn_sinks.weight."):
        load(source, dtype=torch.float32, device=torch.device("cpu"))
    write_gguf(tmp_path / "m.gguf", model, metadata={"llama.block_count": 3})
    with pytest.raises(LoadError, match=r"9 are missing: blk.2.attn_k.weight; blk.2.attn_norm.weight; .*; and 1 more"):
        loaded(tmp_path / "m.gguf")
    write_gguf(tmp_path / "m.gguf", model)
    source = open_source(tmp_path / "m.gguf")
    load(source, dtype=torch.float32, device=torch.device("cpu"), progress=lambda _, name: names.append(name))
    assert {"token_embd.weight", "output.weight", "blk.0.attn_q.weight"} <= set(names)
