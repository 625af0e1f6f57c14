"""The shipped tokenizer, by itself and through the server's reading of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.export import read_tokenizer
from kiln_engine.tiny.lexicon import MARKUP, SPECIAL, VOCAB_SIZE, token_id, train_tokenizer
from kiln_server.text.hf_tokenizer import HfTokenizer

TOKENIZER = read_tokenizer(CHECKPOINT)
SERVER = HfTokenizer(
    (CHECKPOINT / "tokenizer.json").read_text(encoding="utf-8"),
    json.loads((CHECKPOINT / "tokenizer_config.json").read_text(encoding="utf-8")),
)
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts)
def test_any_text_comes_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text).ids, skip_special_tokens=False) == text


def test_every_byte_has_a_token() -> None:
    decoded = {SERVER.token_bytes(id_) for id_ in range(VOCAB_SIZE)}
    assert all(bytes([byte]) in decoded for byte in range(256))


@given(st.integers(0, 10**9))
def test_every_digit_is_a_token(number: int) -> None:
    assert TOKENIZER.encode(str(number)).tokens == list(str(number))


@given(texts)
def test_the_server_encodes_alike(text: str) -> None:
    if not any(control in text for control in (*SPECIAL, *MARKUP)):
        assert SERVER.encode(text) == TOKENIZER.encode(text).ids


@pytest.mark.parametrize("control", [*SPECIAL, *MARKUP])
def test_control_tokens_are_single_ids_of_trusted_text_only(control: str) -> None:
    assert len(TOKENIZER.encode(control).ids) == 1
    assert control in SERVER.special_ids
    assert SERVER.special_ids[control] not in SERVER.encode(control)


def test_the_vocabulary_has_the_size_that_the_network_has() -> None:
    assert TOKENIZER.get_vocab_size() == VOCAB_SIZE


def test_a_token_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no token '<none>'"):
        token_id(TOKENIZER, "<none>")


def test_too_few_words_are_refused() -> None:
    with pytest.raises(ValueError, match="pass more of them"):
        train_tokenizer(["a few words", "only a few"])
