"""Tests of the text side of a Hugging Face folder: which template wins, and which ids end an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from kiln_engine.loading import LoadError
from kiln_engine.loading.hf_text import read_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a byte-level tokenizer whose ids are 0 to 255, and then `<eos>` and `<pad>`."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    library = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(alphabet)}, merges=[]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens([AddedToken("<eos>"), AddedToken("<pad>")])
    library.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def put(folder: Path, name: str, value: Any) -> None:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def test_the_template_of_its_own_file_wins(folder: Path) -> None:
    assert read_text(folder, {}, None).chat_template is None
    put(folder, "tokenizer_config.json", {"chat_template": "config"})
    assert read_text(folder, {}, None).chat_template == "config"
    put(folder, "chat_template.json", {"chat_template": "json"})
    assert read_text(folder, {}, None).chat_template == "json"
    put(folder, "chat_template.jinja", "jinja — größer")
    assert read_text(folder, {}, None).chat_template == "jinja — größer"


@pytest.mark.parametrize(
    ("config", "generation", "expected"),
    [
        ({}, None, {256}),
        ({"eos_token_id": 7}, None, {7, 256}),
        ({"eos_token_id": 7}, {"eos_token_id": 8}, {8, 256}),
        ({"eos_token_id": 7}, {"eos_token_id": [8, 9]}, {8, 9, 256}),
        ({"eos_token_id": 7}, {}, {256}),
    ],
)
def test_ends_of_answers(config: Any, generation: Any, expected: set[int], folder: Path) -> None:
    put(folder, "tokenizer_config.json", {"eos_token": {"content": "<eos>"}})
    assert read_text(folder, config, generation).tokenizer.eos_ids == expected


@pytest.mark.parametrize("eos", ["8", [True], [-1]])
def test_ends_that_are_no_ids(eos: Any, folder: Path) -> None:
    with pytest.raises(LoadError, match=r"`eos_token_id` is .*: it must be a token id or a list"):
        read_text(folder, {"eos_token_id": eos}, None)


def test_damaged_files(folder: Path) -> None:
    put(folder, "chat_template.json", {"chat_template": 5})
    with pytest.raises(LoadError, match=r"chat_template.json: `chat_template` must be a string"):
        read_text(folder, {}, None)
    put(folder, "chat_template.json", {})
    put(folder, "tokenizer_config.json", "{")
    with pytest.raises(LoadError, match=r"tokenizer_config.json: holds no JSON object"):
        read_text(folder, {}, None)
    put(folder, "tokenizer_config.json", {})
    put(folder, "tokenizer.json", {})
    with pytest.raises(LoadError, match=r"tokenizer.json: this is no tokenizer.json that can be read"):
        read_text(folder, {}, None)
