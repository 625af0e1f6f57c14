from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.backends.bytes_tokenizer import EOS_ID, EOS_TEXT, MAX_ID, BytesTokenizer


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    tokenizer = BytesTokenizer()
    ids = tokenizer.encode(text)
    assert b"".join(map(tokenizer.token_bytes, ids)).decode() == text
    assert ids == tokenizer.encode_prompt(text) == list(text.encode())


def test_a_lone_surrogate_has_no_encoding() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        BytesTokenizer().encode("cut \ud83d")


def test_fixed_ids() -> None:
    tokenizer = BytesTokenizer({"</think>": 300})
    assert tokenizer.eos_ids == {EOS_ID} == {256}
    assert tokenizer.special_ids == {EOS_TEXT: 256, "</think>": 300}
    assert tokenizer.token_bytes(65) == b"A"
    assert tokenizer.token_bytes(256) == tokenizer.token_bytes(300) == b""
    assert tokenizer.vocab_size == 301
    assert not tokenizer.leading_space


def test_text_that_spells_a_control_token_is_text() -> None:
    tokenizer = BytesTokenizer({"</think>": 300})
    assert tokenizer.encode("</think><eos>") == list(b"</think><eos>")


def test_pieces_take_the_free_ids_in_order_and_keep_them() -> None:
    tokenizer = BytesTokenizer({"<a>": 258, "<b>": 259})
    assert tokenizer.vocab_size == 260
    assert tokenizer.add_piece(b"Hi") == 257
    assert tokenizer.add_piece(b" you") == 260
    assert tokenizer.vocab_size == 261
    assert tokenizer.add_piece(b"Hi") == 257
    assert tokenizer.add_piece(b"!") == ord("!")
    assert tokenizer.add_special("<c>") == 261
    assert tokenizer.add_special("<a>") == 258
    assert [tokenizer.token_bytes(i) for i in (257, 260, 261)] == [b"Hi", b" you", b""]
    assert tokenizer.vocab_size == 262


def test_entries() -> None:
    tokenizer = BytesTokenizer({"<a>": 400})
    tokenizer.add_piece(b"Hi")
    assert [i for i in range(500) if tokenizer.has_entry(i)] == [*range(257), 257, 400]
    assert tokenizer.token_bytes(399) == b""


@pytest.mark.parametrize(
    ("special", "complaint"),
    [
        ({"": 300}, "'' cannot be a control token"),
        ({"<eos>": 300}, "'<eos>' cannot be a control token"),
        ({"<a>": 256}, "'<a>' has id 256; ids 257 to"),
        ({"<a>": 7}, "'<a>' has id 7"),
        ({"<a>": MAX_ID + 1}, "has id 1048576"),
        ({"<a>": 300, "<b>": 300}, "'<b>' has id 300, which another"),
    ],
)
def test_control_tokens_that_cannot_be(special: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BytesTokenizer(special)
