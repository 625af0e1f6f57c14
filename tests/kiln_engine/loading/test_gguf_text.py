"""Tests of tokenizers rebuilt from a GGUF file's metadata: splitting, merging, control tokens, ends of answers."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from typing import Any

import pytest
import regex
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from kiln_engine.loading import LoadError
from kiln_engine.loading.gguf_text import read_gguf_text
from kiln_server.backend import TextAssets
from kiln_server.text.hf_tokenizer import HfTokenizer
from tests.kiln_engine.loading.vocabularies import TEXT, byte_level, sentencepiece

CHARACTERS = st.text(st.sampled_from([*"".join(TEXT), "'", "\n", "\r", " ", "½", "٣", "\u00a0", "\u0301", "Å", "𝒳"]))
STRETCHES = st.builds(
    lambda text, start, length: text[start : start + length],
    st.sampled_from(TEXT),
    st.integers(0, 80),
    st.integers(1, 30),
)
SAMPLES = st.lists(st.one_of(CHARACTERS, STRETCHES), max_size=4).map("".join)
"""Text with much that merges, since the vocabularies were learned from it, and much that does not."""
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
ENDINGS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS = {
    "gpt-2": GPT2,
    "smollm": rf"\p{{N}}|{GPT2}",
    "qwen2": rf"{ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{REST}",
    "llama-bpe": rf"{ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}{REST}",
}
"""Words of each kind of splitting, as public descriptions of these models spell them."""


def read(metadata: dict[str, Any]) -> TextAssets:
    return read_gguf_text(metadata, "m.gguf")


def tokenizer(metadata: dict[str, Any]) -> HfTokenizer:
    found = read(metadata).tokenizer
    assert isinstance(found, HfTokenizer)
    return found


@functools.cache
def of_kind(pre: str) -> HfTokenizer:
    return tokenizer(byte_level(pre))


def words(pre: str, text: str) -> list[str]:
    """A text cut into words by its regular expression; numerals that are cut out first end the words around them."""
    if pre != "smollm":
        return regex.findall(WORDS[pre], text)
    parts = [part for part in regex.split(r"(\p{N})", text) if part]
    return [word for part in parts for word in regex.findall(GPT2, part)]


@pytest.mark.parametrize("pre", WORDS)
@settings(deadline=None)
@given(text=SAMPLES)
def test_words_are_encoded_one_by_one(pre: str, text: str) -> None:
    kind = of_kind(pre)
    composed = unicodedata.normalize("NFC", text) if pre == "qwen2" else text
    assert kind.encode(text) == [token for word in words(pre, composed) for token in kind.encode(word)]


@pytest.mark.parametrize(
    ("pre", "text", "expected"),
    [
        ("gpt-2", "a 123's IT'S  x\n\ny", ["a", " 123", "'s", " IT", "'", "S", " ", " x", "\n", "\n", "y"]),
        ("smollm", "a 123's", ["a", " ", "1", "2", "3", "'s"]),
        ("starcoder", "v2.05", ["v", "2", ".", "0", "5"]),
        ("qwen2", "a 123 IT'S\n\n x", ["a", " ", "1", "2", "3", " IT", "'S", "\n\n", " x"]),
        ("llama-bpe", "a 12345 (x)\n", ["a", " ", "123", "45", " (", "x", ")\n"]),
        ("llama3", "12345", ["123", "45"]),
        ("llama-v3", "12345", ["123", "45"]),
    ],
)
def test_words(pre: str, text: str, expected: list[str]) -> None:
    kind = of_kind(pre)
    steps = Tokenizer.from_str(kind.json).pre_tokenizer.pre_tokenize_str(text)
    assert [text[start:stop] for _, (start, stop) in steps] == expected
    assert kind.encode(text) == [token for word in expected for token in kind.encode(word)]


@settings(deadline=None)
@given(SAMPLES)
def test_qwen2_equals_transformers(text: str) -> None:
    assert of_kind("qwen2").encode(text) == _qwen2_of_transformers().encode(text, add_special_tokens=False)


@functools.cache
def _qwen2_of_transformers() -> Any:
    metadata = byte_level("qwen2")
    tokens = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
    return transformers.Qwen2Tokenizer(vocab={token: index for index, token in enumerate(tokens)}, merges=merges)


def test_a_whole_word_that_is_a_token_wins_over_merges() -> None:
    metadata = byte_level("llama-bpe")
    metadata["tokenizer.ggml.tokens"][-1] = "zqzq"
    metadata["tokenizer.ggml.token_type"][-1] = 1
    last = len(metadata["tokenizer.ggml.tokens"]) - 1
    assert tokenizer(metadata).encode("zqzq") == [last]
    assert last not in tokenizer(metadata | {"tokenizer.ggml.pre": "qwen2"}).encode("zqzq")


def test_control_and_added_tokens() -> None:
    kind = of_kind("qwen2")
    ids = kind.special_ids
    assert set(ids) == {"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>"}
    text = "<|im_start|>x<think>"
    assert kind.encode_rendered(text, ((0, len(text)),)) == [ids["<|im_start|>"], *kind.encode("x"), ids["<think>"]]
    assert not set(ids.values()) & set(kind.encode(text))
    assert kind.token_bytes(ids["<|im_end|>"]) == b""
    assert kind.token_bytes(ids["<think>"]) == b"<think>"


def test_unused_ids_are_no_tokens() -> None:
    assert "[PAD]" not in of_kind("qwen2").vocab


def test_ends_of_answers() -> None:
    ids = of_kind("qwen2").special_ids
    assert of_kind("qwen2").eos_ids == {ids["<|endoftext|>"], ids["<|im_end|>"]}
    more = byte_level("qwen2", **{"tokenizer.ggml.eot_token_id": 3, "tokenizer.ggml.eom_token_id": 5})
    assert tokenizer(more).eos_ids == {ids["<|endoftext|>"], ids["<|im_end|>"], 3, 5}


def test_a_name_ends_an_answer_only_as_control_token() -> None:
    metadata = byte_level("qwen2")
    place = metadata["tokenizer.ggml.tokens"].index("<|endoftext|>")
    metadata["tokenizer.ggml.token_type"][place] = 1
    assert place not in tokenizer(metadata).eos_ids


@pytest.mark.parametrize(
    ("pre", "entries", "bos", "eos"),
    [
        ("qwen2", {}, False, False),
        ("llama-bpe", {}, True, False),
        ("llama-bpe", {"tokenizer.ggml.add_bos_token": False}, False, False),
        ("qwen2", {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": True}, True, True),
    ],
)
def test_what_stands_around_a_raw_prompt(pre: str, entries: dict[str, Any], bos: bool, eos: bool) -> None:
    kind = tokenizer(byte_level(pre, **entries))
    ids = kind.special_ids
    assert kind.encode_prompt("fox") == [
        *[ids["<|im_start|>"]] * bos,
        *kind.encode("fox"),
        *[ids["<|im_end|>"]] * eos,
    ]
    assert not {ids["<|im_start|>"], ids["<|im_end|>"]} & set(kind.encode("fox"))


def test_template_and_named_tokens() -> None:
    text = read(byte_level("qwen2", **{"tokenizer.chat_template": "{{ messages }}"}))
    assert (text.chat_template, text.bos_token, text.eos_token) == ("{{ messages }}", "<|im_start|>", "<|im_end|>")
    assert read(byte_level("qwen2")).chat_template is None


def test_a_byte_without_a_token_is_an_error() -> None:
    metadata = byte_level("qwen2")
    tokens = metadata["tokenizer.ggml.tokens"]
    metadata["tokenizer.ggml.token_type"][tokens.index("z")] = 5
    merges = [merge for merge in metadata["tokenizer.ggml.merges"] if "z" not in merge]
    kind = tokenizer(metadata | {"tokenizer.ggml.merges": merges})
    with pytest.raises(ValueError, match="cannot express"):
        kind.encode("fuzzy")


@settings(deadline=None)
@given(SAMPLES)
def test_sentencepiece_merges_best_score_first_leftmost_first(text: str) -> None:
    assert _sentencepiece().encode(text) == _by_scores(text)


@functools.cache
def _sentencepiece() -> HfTokenizer:
    return tokenizer(sentencepiece())


def _by_scores(text: str) -> list[int]:
    """SentencePiece's own rule, done slowly."""
    if not text:
        return []
    metadata = sentencepiece()
    tokens = metadata["tokenizer.ggml.tokens"]
    ids = {token: index for index, token in enumerate(tokens)}
    scores = metadata["tokenizer.ggml.scores"]
    symbols = list("▁" + text.replace(" ", "▁"))
    while True:
        pairs = [(scores[ids[a + b]], -at) for at, (a, b) in enumerate(itertools.pairwise(symbols)) if a + b in ids]
        if not pairs:
            break
        at = -max(pairs)[1]
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
    encoded = [[ids[each]] if each in ids else [ids[f"<0x{byte:02X}>"] for byte in each.encode()] for each in symbols]
    return [token_id for ids_ in encoded for token_id in ids_]


def test_sentencepiece_text_and_prompt() -> None:
    kind = _sentencepiece()
    assert kind.leading_space
    assert b"".join(map(kind.token_bytes, kind.encode("the fox 🦊"))) == " the fox 🦊".encode()
    assert kind.encode_prompt("the") == [1, *kind.encode("the")]
    assert kind.eos_ids == {2}
    bare = tokenizer(sentencepiece(**{"tokenizer.ggml.add_space_prefix": False}))
    assert not bare.leading_space
    assert b"".join(map(bare.token_bytes, bare.encode("the"))) == b"the"


def test_scores_that_do_not_decide_are_refused() -> None:
    metadata = sentencepiece()
    metadata["tokenizer.ggml.scores"] = [0.0] * len(metadata["tokenizer.ggml.scores"])
    with pytest.raises(LoadError, match="have the same score"):
        read(metadata)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"model": "t5"}, "`tokenizer.ggml.model` is 't5'.*gpt2.*llama"),
        ({"pre": "deepseek-v3"}, "`tokenizer.ggml.pre` is 'deepseek-v3'.*gpt-2, smollm, starcoder, qwen2, llama-bpe"),
        ({"pre": None}, "`tokenizer.ggml.pre` is missing"),
        ({"merges": None}, "`tokenizer.ggml.merges` is missing"),
        ({"merges": ["a b c"]}, "the merge 'a b c' does not join tokens to a token"),
        ({"merges": ["a 😀"]}, "does not join"),
        ({"token_type": [1, 1]}, "2 token types do not fit"),
        ({"tokens": ["a", "a"], "token_type": [1, 1]}, "the same token twice"),
        ({"eos_token_id": 100_000}, "`tokenizer.ggml.eos_token_id` is 100000: it must be the id of a token"),
    ],
)
def test_refusals(entries: dict[str, Any], message: str) -> None:
    changes = {f"tokenizer.ggml.{key}": value for key, value in entries.items()}
    metadata = {key: value for key, value in (byte_level("qwen2") | changes).items() if value is not None}
    with pytest.raises(LoadError, match=f"m.gguf: .*{message}"):
        read(metadata)


@pytest.mark.parametrize("key", ["precompiled_charsmap", "remove_extra_whitespaces"])
def test_sentencepiece_rules_that_are_refused(key: str) -> None:
    with pytest.raises(LoadError, match=f"`tokenizer.ggml.{key}` is .* is not supported"):
        read(sentencepiece(**{f"tokenizer.ggml.{key}": True}))


def test_sentencepiece_needs_scores() -> None:
    with pytest.raises(LoadError, match=r"`tokenizer.ggml.scores` is missing, or no list of float"):
        read({key: value for key, value in sentencepiece().items() if not key.endswith("scores")})
