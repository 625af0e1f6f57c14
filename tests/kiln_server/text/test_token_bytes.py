"""What a tokenizer's decoder says about the bytes of a token."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import pre_tokenizers

from kiln_server.text.token_bytes import BYTE_OF, TokenDecoder

METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
FALLBACK = {"type": "ByteFallback"}


def decoder(*steps: dict[str, Any]) -> TokenDecoder:
    return TokenDecoder({"type": "Sequence", "decoders": list(steps)})


def test_the_byte_level_alphabet_is_the_library_s() -> None:
    assert set(BYTE_OF) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(BYTE_OF.values()) == list(range(256))


@pytest.mark.parametrize("text", ["Hello", " world\n", "é你🙂", "\x00\x7f\xa0\xad", "\u0301"])
def test_byte_level_tokens_are_their_bytes(text: str) -> None:
    mapped = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)[0][0]
    assert TokenDecoder({"type": "ByteLevel"}).bytes_of(mapped) == text.encode()


def test_a_token_outside_the_byte_level_alphabet_is_its_own_text() -> None:
    assert TokenDecoder({"type": "ByteLevel"}).bytes_of("a b") == b"a b"


@pytest.mark.parametrize(
    ("token", "value"), [("<0x0A>", b"\n"), ("<0xf0>", b"\xf0"), ("<0x0A>x", b"<0x0A>x"), ("▁a▁", b" a ")]
)
def test_byte_fallback_tokens_are_one_byte(token: str, value: bytes) -> None:
    assert decoder(REPLACE, FALLBACK, {"type": "Fuse"}, STRIP).bytes_of(token) == value


def test_byte_tokens_are_text_where_there_is_no_byte_fallback() -> None:
    assert decoder(METASPACE).bytes_of("<0x0A>") == b"<0x0A>"


@pytest.mark.parametrize(
    ("steps", "strips"),
    [
        ([METASPACE], True),
        ([METASPACE | {"prepend_scheme": "first"}], True),
        ([METASPACE | {"prepend_scheme": "never"}], False),
        ([REPLACE, STRIP], True),
        ([REPLACE], False),
        ([REPLACE, STRIP | {"start": 0}], False),
        ([{"type": "ByteLevel"}], False),
    ],
)
def test_a_leading_space_is_stripped_as_the_decoder_says(steps: list[dict[str, Any]], strips: bool) -> None:
    assert decoder(*steps).leading_space is strips


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (None, "has no decoder"),
        ({"type": "WordPiece"}, "not supported: WordPiece"),
        ({"type": "Sequence", "decoders": [FALLBACK, {"type": "BPEDecoder"}]}, "not supported: BPEDecoder"),
        (STRIP | {"start": 2}, "not supported: Strip"),
        (REPLACE | {"pattern": {"Regex": "x"}}, "not supported: Replace"),
    ],
)
def test_other_decoders_are_refused(spec: dict[str, Any] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenDecoder(spec)
