"""Tests of content hashes: what they are made of, and what they do not depend on."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from kiln_contract import canonical
from kiln_contract.identity import vocab_sha256
from kiln_engine.identity import ModelIdentity, identify
from kiln_engine.loading import open_source
from kiln_server.text.hf_tokenizer import HfTokenizer
from tests.kiln_engine.loading.checkpoints import qwen3, random_model, saved, write_gguf
from tests.kiln_engine.loading.folders import TEMPLATE, whole_folder
from tests.kiln_engine.loading.vocabularies import byte_level


def identity(path: Path) -> ModelIdentity:
    return identify(open_source(path))


def sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def base(*shards: bytes) -> str:
    """The identity of a base model as it is defined: domain, count, then size and digest of each shard."""
    records = sorted((hashlib.sha256(shard).digest(), len(shard)) for shard in shards)
    parts = (size.to_bytes(8, "little") + digest for digest, size in records)
    return sha256(b"kiln.base-model-content.v1\0" + len(shards).to_bytes(8, "little") + b"".join(parts))


def test_what_a_folder_is_made_of(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "m")
    found = identity(folder)
    tokenizer = open_source(folder).text.tokenizer
    assert isinstance(tokenizer, HfTokenizer)
    assert found.base_model_sha256 == base((folder / "model.safetensors").read_bytes())
    assert found.chat_template_sha256 == sha256(TEMPLATE.encode())
    assert found.model_config_sha256 == sha256(canonical.dumps(json.loads((folder / "config.json").read_text())))
    assert found.tokenizer_config_sha256 == sha256(tokenizer.json.encode())
    assert found.tokenizer_vocab_sha256 == vocab_sha256(tokenizer.vocab)


def test_the_name_of_a_folder_does_not_matter(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "m")
    shutil.copytree(folder, tmp_path / "other")
    assert identity(tmp_path / "other") == identity(folder)


def test_every_shard_counts(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    saved(folder, qwen3(), max_shard_size="40KB")
    shards = [path.read_bytes() for path in folder.glob("*.safetensors")]
    assert len(shards) > 2
    assert identity(folder).base_model_sha256 == base(*shards)


def test_a_gguf_file_is_one_shard(tmp_path: Path) -> None:
    metadata = byte_level("qwen2")
    write_gguf(tmp_path / "m.gguf", random_model(qwen3(vocab_size=512)), metadata=metadata)
    found = identity(tmp_path / "m.gguf")
    assert found.base_model_sha256 == base((tmp_path / "m.gguf").read_bytes())
    assert found.chat_template_sha256 is None
    write_gguf(tmp_path / "m.gguf", random_model(qwen3(vocab_size=512)), metadata=metadata | {"general.name": "x"})
    assert identity(tmp_path / "m.gguf").model_config_sha256 != found.model_config_sha256
    assert identity(tmp_path / "m.gguf").tokenizer_vocab_sha256 == found.tokenizer_vocab_sha256


def test_progress_goes_from_start_to_end(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "m")
    saved(folder, qwen3(vocab_size=30_000))
    reports: list[float] = []
    identify(open_source(folder), reports.append)
    assert reports == sorted(reports)
    assert len(reports) > 10
    assert reports[-1] == 1.0
