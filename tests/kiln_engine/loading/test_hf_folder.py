"""Tests of Hugging Face folders: loaded weights equal those of transformers, and damage is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedConfig

from kiln_engine.loading import LoadError, load, open_source, pieces
from kiln_engine.loading.layout import destinations
from kiln_engine.weights import Weights
from tests.kiln_engine.loading.checkpoints import llama, qwen2, qwen3, saved

CPU = torch.device("cpu")
FAMILIES = {
    "qwen3": qwen3(),
    "qwen3-tied-biased": qwen3(tie_word_embeddings=True, attention_bias=True),
    "qwen2": qwen2(),
    "llama": llama(),
    "llama-biased": llama(attention_bias=True, mlp_bias=True, head_dim=256),
}


def loaded(folder: Path, dtype: torch.dtype = torch.float32) -> Weights:
    return load(open_source(folder), dtype=dtype, device=CPU)


def changed(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    """Rewrite the tensors of a folder."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize("config", FAMILIES.values(), ids=FAMILIES)
def test_loads_what_transformers_saved(config: PreTrainedConfig, tmp_path: Path) -> None:
    expected = saved(tmp_path, config).state_dict()
    weights = loaded(tmp_path)
    found = destinations(weights)
    assert expected.keys() - found.keys() == ({"lm_head.weight"} if config.tie_word_embeddings else set())
    assert all(torch.equal(view, expected[name]) for name, view in found.items())
    assert weights.num_bytes == sum(tensor.nbytes for tensor in weights.tensors())


def test_loads_shards(tmp_path: Path) -> None:
    expected = saved(tmp_path, qwen3(), max_shard_size="40KB").state_dict()
    assert not (tmp_path / "model.safetensors").exists()
    assert all(torch.equal(view, expected[name]) for name, view in destinations(loaded(tmp_path)).items())
    assert len(open_source(tmp_path).shards) > 2


def test_converts_to_the_wanted_dtype(tmp_path: Path) -> None:
    expected = saved(tmp_path, qwen3()).state_dict()
    for name, view in destinations(loaded(tmp_path, torch.bfloat16)).items():
        assert torch.equal(view, expected[name].to(torch.bfloat16))


def test_progress_ends_at_one_and_names_tensors(tmp_path: Path) -> None:
    saved(tmp_path, qwen3())
    reports: list[tuple[float, str]] = []
    load(open_source(tmp_path), dtype=torch.float32, device=CPU, progress=lambda *report: reports.append(report))
    fractions = [fraction for fraction, _ in reports]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert "model.layers.1.mlp.down_proj.weight" in {name for _, name in reports}


def test_a_tied_checkpoint_may_carry_its_output_layer(tmp_path: Path) -> None:
    saved(tmp_path, qwen3(tie_word_embeddings=True))
    changed(tmp_path, lambda t: t.update({"lm_head.weight": t["model.embed_tokens.weight"].clone()}))
    assert loaded(tmp_path).tied


def test_an_output_layer_that_differs_in_one_place_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_ELEMENTS", 640)
    head = saved(tmp_path, qwen3(tie_word_embeddings=True)).state_dict()["model.embed_tokens.weight"].clone()
    head[50, 3] += 1
    changed(tmp_path, lambda t: t.update({"lm_head.weight": head}))
    weights = loaded(tmp_path)
    assert not weights.tied
    assert torch.equal(weights.lm_head.weight, head)


def test_frequencies_that_older_checkpoints_carry_are_ignored(tmp_path: Path) -> None:
    saved(tmp_path, llama())
    changed(tmp_path, lambda t: t.update({"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(8)}))
    loaded(tmp_path)


def test_one_error_names_every_tensor_that_does_not_fit(tmp_path: Path) -> None:
    saved(tmp_path, qwen3())

    def spoil(tensors: dict[str, torch.Tensor]) -> None:
        del tensors["model.norm.weight"]
        tensors["model.layers.0.self_attn.q_proj.bias"] = torch.ones(96)
        tensors["lm_head.weight"] = torch.ones(95, 64)

    changed(tmp_path, spoil)
    with pytest.raises(LoadError) as caught:
        loaded(tmp_path)
    message = str(caught.value)
    assert "1 is missing: model.norm.weight." in message
    assert "1 is not part of such a model: model.layers.0.self_attn.q_proj.bias." in message
    assert "1 is of a wrong shape: lm_head.weight [95, 64] instead of [96, 64]." in message


def test_the_list_of_tensors_is_bounded(tmp_path: Path) -> None:
    saved(tmp_path, qwen3())
    changed(tmp_path, lambda t: [t.pop(name) for name in list(t) if "layers" in name])
    with pytest.raises(LoadError, match=r"22 are missing: .*; and 14 more"):
        loaded(tmp_path)


@pytest.mark.parametrize(("dtype", "kind"), [(torch.int8, "I8"), (torch.float8_e4m3fn, "F8_E4M3")])
def test_quantised_tensors_are_refused(dtype: torch.dtype, kind: str, tmp_path: Path) -> None:
    saved(tmp_path, qwen3())
    changed(tmp_path, lambda t: t.update({"model.norm.weight": torch.ones(64).to(dtype)}))
    with pytest.raises(LoadError, match=f"tensor model.norm.weight is {kind}; supported are F64, F32, F16, BF16"):
        open_source(tmp_path)


def rewritten_index(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    change(index["weight_map"])
    path.write_text(json.dumps(index))


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("model-00009-of-00009.safetensors", "model-00009-of-00009.safetensors of .* is not there"),
        ("../model.safetensors", "a file of the same folder"),
        (7, "a file of the same folder"),
    ],
)
def test_an_index_that_does_not_fit(place: Any, message: str, tmp_path: Path) -> None:
    saved(tmp_path, qwen3(), max_shard_size="40KB")
    rewritten_index(tmp_path, lambda places: places.update({"model.norm.weight": place}))
    with pytest.raises(LoadError, match=message):
        open_source(tmp_path)


def test_an_index_that_names_the_wrong_shard(tmp_path: Path) -> None:
    saved(tmp_path, qwen3(), max_shard_size="40KB")
    rewritten_index(tmp_path, lambda places: places.update({"absent": places["model.norm.weight"]}))
    with pytest.raises(LoadError, match="has no tensor absent"):
        open_source(tmp_path)


def test_folders_that_are_not_complete(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"config.json: cannot be read: No such file"):
        open_source(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(LoadError, match=r"config.json: holds no JSON object"):
        open_source(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(LoadError, match=r"has neither model.safetensors nor"):
        open_source(tmp_path)
    saved(tmp_path, qwen3())
    source = open_source(tmp_path)
    with pytest.raises(LoadError, match=r"has no tokenizer.json"):
        _ = source.text


def test_suggested_sampling_values(tmp_path: Path) -> None:
    saved(tmp_path, qwen3())
    (tmp_path / "generation_config.json").write_text('{"temperature": 0.6, "top_k": 20, "eos_token_id": [1, 2]}')
    assert open_source(tmp_path).sampling == {"temperature": 0.6, "top_k": 20}
