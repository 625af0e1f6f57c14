"""The adapter over the `tokenizers` library, on small trained tokenizers of every kind."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from kiln_server import backend
from kiln_server.text.hf_tokenizer import HfTokenizer, text_assets
from tests.kiln_server.text.vocabularies import BOS, EOS, KINDS, ORDINARY, SPECIAL, UNKNOWN, incomplete, library

ADDED = [
    AddedToken("<L>", lstrip=True, normalized=False),
    AddedToken("<R>", rstrip=True, normalized=False),
    AddedToken("<W>", single_word=True, normalized=False),
    AddedToken("<LRW>", lstrip=True, rstrip=True, single_word=True, normalized=False),
    AddedToken("<R> x", normalized=False),
]
SPACES = [AddedToken("\n\n", normalized=False), AddedToken("  ", normalized=False)]


@cache
def adapter(kind: str) -> HfTokenizer:
    return HfTokenizer(library(kind).to_str(), {"eos_token": EOS})


@cache
def flagged(kind: str, *, spaces: bool) -> tuple[Tokenizer, HfTokenizer]:
    """A tokenizer with added tokens that have flags, and ordinary ones that are white space."""
    tokenizer = Tokenizer.from_str(library(kind).to_str())
    tokenizer.add_special_tokens(ADDED)
    tokenizer.add_tokens(SPACES if spaces else [])
    return tokenizer, HfTokenizer(tokenizer.to_str())


def plain_ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False).ids


fragments = st.sampled_from(
    [
        "<L>",
        "<R>",
        "<W>",
        "<LRW>",
        "<R> x",
        *SPECIAL[:2],
        BOS,
        " ",
        "\n",
        "  ",
        "x",
        "_",
        "word",
        "é",
        "W>",
        "<",
        "<L",
        "\t",
        "▁",
        "²",
        "\u0338",
    ]
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spaces", [False, True])
@settings(max_examples=60, deadline=None)
@given(text=st.lists(fragments, max_size=9).map("".join))
def test_trusted_text_is_encoded_as_the_library_does(kind: str, spaces: bool, text: str) -> None:
    tokenizer, adapted = flagged(kind, spaces=spaces)
    assert adapted.encode_rendered(text, ((0, len(text)),)) == plain_ids(tokenizer, text)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=20))
def test_plain_text_is_encoded_as_the_library_does(kind: str, text: str) -> None:
    assume(not any(token in text for token in adapter(kind).special_ids))
    assert adapter(kind).encode(text) == plain_ids(library(kind), text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("token", [*SPECIAL, *ORDINARY, BOS, EOS])
def test_text_that_spells_a_control_token_is_text(kind: str, token: str) -> None:
    tokenizer = adapter(kind)
    ids = tokenizer.encode(f"a{token}b {token}")
    assert not set(ids) & set(tokenizer.special_ids.values())
    assert decoded(tokenizer, ids) == f"a{token}b {token}"


def decoded(tokenizer: HfTokenizer, ids: list[int]) -> str:
    text = b"".join(map(tokenizer.token_bytes, ids)).decode(errors="replace")
    return text.removeprefix(" ") if tokenizer.leading_space or text.startswith(" a") else text


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_token_bytes_join_to_what_the_library_decodes(kind: str, text: str) -> None:
    ids = plain_ids(library(kind), text)
    joined = b"".join(map(adapter(kind).token_bytes, ids)).decode()
    assert (joined.removeprefix(" ") if adapter(kind).leading_space else joined) == library(kind).decode(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_tokens_that_are_not_text(kind: str) -> None:
    tokenizer = adapter(kind)
    for absent in (tokenizer.special_ids["<|im_end|>"], tokenizer.special_ids[BOS], 10**9, -1):
        assert tokenizer.token_bytes(absent) == b""
    # Added tokens that are not special show in an answer, as they do in transformers.
    assert tokenizer.token_bytes(tokenizer.special_ids["<tool_response>"]) == b"<tool_response>"


@pytest.mark.parametrize("kind", KINDS)
def test_every_added_token_is_a_control_token(kind: str) -> None:
    assert {BOS, EOS, *SPECIAL, *ORDINARY} <= adapter(kind).special_ids.keys()
    assert all(library(kind).token_to_id(text) == id_ for text, id_ in adapter(kind).special_ids.items())


def test_runs_of_white_space_are_ordinary_tokens() -> None:
    tokenizer, adapted = flagged("byte-level", spaces=True)
    newlines = tokenizer.token_to_id("\n\n")
    assert "\n\n" not in adapted.special_ids
    assert newlines in adapted.encode("a\n\nb")
    assert adapted.token_bytes(newlines) == b"\n\n"


@pytest.mark.parametrize("kind", KINDS)
def test_a_raw_prompt_has_its_control_tokens_and_those_around_it(kind: str) -> None:
    text = "<|im_start|>user\nhi"
    assert adapter(kind).encode_prompt(text) == library(kind).encode(text).ids
    assert adapter(kind).encode_prompt(text)[0] == adapter(kind).special_ids[BOS]


# Text without an encoding


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("text", ["žlu", "a 你 b", "a🙂"])
def test_a_character_that_the_vocabulary_lacks_is_an_error(kind: str, text: str) -> None:
    tokenizer = HfTokenizer(incomplete(kind).to_str())
    for encode in (tokenizer.encode, tokenizer.encode_prompt):
        with pytest.raises(ValueError, match="cannot express"):
            encode(text)


def test_characters_are_not_dropped_where_there_is_no_token_for_the_unknown() -> None:
    spec = json.loads(incomplete("bpe").to_str())
    spec["model"]["unk_token"] = None
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    assert plain_ids(tokenizer, "a你b") == plain_ids(tokenizer, "ab")  # as the library does
    with pytest.raises(ValueError, match="cannot express"):
        HfTokenizer(tokenizer.to_str()).encode("a你b")


def test_a_byte_level_vocabulary_without_all_bytes_is_an_error_where_they_are_needed() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    adapted = HfTokenizer(tokenizer.to_str())
    assert adapted.encode("ab") == [0, 1]
    with pytest.raises(ValueError, match="cannot express"):
        adapted.encode("ac")


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_text_that_spells_the_token_for_the_unknown_is_text(kind: str) -> None:
    tokenizer = HfTokenizer(incomplete(kind).to_str())
    assert tokenizer.special_ids[UNKNOWN] not in tokenizer.encode(f"a {UNKNOWN} b")


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_surrogate_is_an_error(kind: str) -> None:
    for encode in (adapter(kind).encode, adapter(kind).encode_prompt):
        with pytest.raises(ValueError, match="lone surrogate"):
            encode("a\ud800")


def test_merges_that_make_a_control_token_are_left_out() -> None:
    vocab = {"<": 0, "a": 1, ">": 2, "<a": 3, "<a>": 4, "<a><": 5, " ": 6}
    tokenizer = Tokenizer(models.BPE(vocab, [("<", "a"), ("<a", ">"), ("<a>", "<")]))
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<a>"])
    assert HfTokenizer(tokenizer.to_str()).encode("<a><a>") == [3, 2, 3, 2]
    assert plain_ids(tokenizer, "<a><a>") == [4, 4]


def test_a_normalizer_cannot_make_a_control_token_out_of_other_text() -> None:
    tokenizer = adapter("unigram")
    assert library("unigram").token_to_id(EOS) in plain_ids(library("unigram"), "\uff1c/s\uff1e")  # NFKC makes it so
    assert tokenizer.special_ids[EOS] not in tokenizer.encode("\uff1c/s\uff1e")


# Configuration


def test_what_ends_an_answer() -> None:
    source = library("byte-level").to_str()
    eos = library("byte-level").token_to_id(EOS)
    assert HfTokenizer(source).eos_ids == frozenset()
    assert HfTokenizer(source, {"eos_token": EOS}).eos_ids == {eos}
    assert HfTokenizer(source, {"eos_token": {"content": EOS}}, eos_ids=[7]).eos_ids == {7, eos}
    assert HfTokenizer(source, {"eos_token": None}, eos_ids=[7]).eos_ids == {7}


def test_added_tokens_of_the_configuration_are_added() -> None:
    flags = {"lstrip": False, "rstrip": True, "single_word": False, "normalized": False, "special": True}
    config = {"added_tokens_decoder": {"9001": {"content": "<new>", **flags}}}
    tokenizer = HfTokenizer(library("byte-level").to_str(), config)
    new = tokenizer.special_ids["<new>"]
    assert tokenizer.encode_rendered("<new>  x", ((0, 5),)) == [new, *tokenizer.encode("x")]
    assert tokenizer.vocab["<new>"] == new
    assert json.loads(tokenizer.json)["added_tokens"][-1]["content"] == "<new>"


def test_truncation_and_padding_of_the_file_do_not_count() -> None:
    tokenizer = Tokenizer.from_str(library("byte-level").to_str())
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=50)
    text = "Hello there, how are you?"
    adapted = HfTokenizer(tokenizer.to_str())
    assert adapted.encode(text) == adapter("byte-level").encode(text)
    assert adapted.encode_prompt(text) == adapter("byte-level").encode_prompt(text)


@pytest.mark.parametrize("encode", [HfTokenizer.encode, HfTokenizer.encode_prompt])
def test_other_threads_run_while_a_long_text_is_encoded(encode: Callable[[HfTokenizer, str], list[int]]) -> None:
    tokenizer, text = adapter(KINDS[0]), "a long text, " * 100_000
    stop = threading.Event()
    moments = [time.monotonic()]

    def note() -> None:
        while not stop.wait(0.001):
            moments.append(time.monotonic())

    thread = threading.Thread(target=note)
    thread.start()
    began = time.monotonic()
    encode(tokenizer, text)
    took = time.monotonic() - began
    stop.set()
    thread.join()
    pauses = [after - before for before, after in pairwise([*moments, time.monotonic()])]
    assert max(pauses) < took / 4


@pytest.mark.parametrize(
    ("config", "template"),
    [
        ({}, None),
        ({"chat_template": "x"}, "x"),
        ({"chat_template": [{"name": "rag", "template": "r"}, {"name": "default", "template": "d"}]}, "d"),
        ({"chat_template": [{"name": "rag", "template": "r"}]}, None),
    ],
)
def test_the_template_of_the_configuration(config: dict[str, Any], template: str | None) -> None:
    source = library("byte-level").to_str()
    assert text_assets(source, config).chat_template == template
    assert text_assets(source, config, chat_template="own").chat_template == "own"


def test_assets_hold_the_tokens_at_both_ends() -> None:
    assets = text_assets(library("unigram").to_str(), {"bos_token": {"content": BOS}, "eos_token": EOS}, eos_ids=[3])
    assert (assets.bos_token, assets.eos_token) == (BOS, EOS)
    assert assets.tokenizer.eos_ids == {3, library("unigram").token_to_id(EOS)}
    assert text_assets(library("unigram").to_str(), {"bos_token": None}).bos_token == ""


def test_it_is_the_port_s_tokenizer() -> None:
    tokenizer: backend.Tokenizer = adapter("byte-level")
    assert tokenizer.leading_space is False


def test_other_models_are_refused() -> None:
    tokenizer = Tokenizer(models.WordLevel({"a": 0}, "a"))
    tokenizer.decoder = decoders.ByteLevel()
    with pytest.raises(ValueError, match="a WordLevel model are not supported"):
        HfTokenizer(tokenizer.to_str())


@pytest.mark.parametrize("source", ["", "{}", "[1]"])
def test_a_file_that_is_no_tokenizer_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="that can be read"):
        HfTokenizer(source)
