"""Byte-level BPE from a GGUF file: the tokenizer that it calls `gpt2`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.gguf_vocabulary import Vocabulary


class Splitting(NamedTuple):
    """How text is prepared and cut into words before merging, as the original tokenizer.json has it."""

    pattern: str | None = None
    """Regular expression of a word; None for GPT-2's own."""
    digits: bool = False
    """Whether each digit is cut out first."""
    normalizer: str | None = None
    whole_words: bool = False
    """Whether a word that is a token stays whole, whatever the merges make of it."""
    adds_bos: bool = False
    """Whether a raw prompt begins with BOS where the file does not say."""


_REST: Final = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_ONE_DIGIT: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _REST
_THREE_DIGITS: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST
_LLAMA3: Final = Splitting(_THREE_DIGITS, whole_words=True, adds_bos=True)

SPLITTINGS: Final[Mapping[str, Splitting]] = {
    "gpt-2": Splitting(),
    "smollm": Splitting(digits=True),
    "starcoder": Splitting(digits=True),
    "qwen2": Splitting(_ONE_DIGIT, normalizer="NFC"),
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
}
"""What each supported value of `tokenizer.ggml.pre` stands for."""


def read_splitting(vocabulary: Vocabulary) -> Splitting:
    """How a file's text is split. Raises LoadError for a kind that is not in the table: ids would be guesses."""
    name = vocabulary.fields.get("pre")
    if name not in SPLITTINGS:
        raise vocabulary.fields.error("pre", f"must be one that is supported: {', '.join(SPLITTINGS)}")
    return SPLITTINGS[name]


def byte_level(vocabulary: Vocabulary, splitting: Splitting) -> dict[str, Any]:
    """Model, normalizer, pre-tokenizer and decoder of a tokenizer.json."""
    return {
        "normalizer": splitting.normalizer and {"type": splitting.normalizer},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": _steps(splitting)},
        "model": {
            "type": "BPE",
            "ignore_merges": splitting.whole_words,
            "vocab": dict(vocabulary.ids),
            "merges": _merges(vocabulary),
        },
        "decoder": _byte_step(own_words=True),
    }


def _steps(splitting: Splitting) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    if splitting.digits:
        steps.append({"type": "Digits", "individual_digits": True})
    if splitting.pattern is not None:
        pattern = {"Regex": splitting.pattern}
        steps.append({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
    return [*steps, _byte_step(own_words=splitting.pattern is None)]


def _byte_step(*, own_words: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": own_words}


def _merges(vocabulary: Vocabulary) -> list[list[str]]:
    pairs = [merge.split(" ") for merge in vocabulary.each("merges", str)]
    known = vocabulary.ids
    for pair in pairs:
        if len(pair) != 2 or not all(token in known for token in (*pair, "".join(pair))):
            raise LoadError(f"{vocabulary.fields.where}: the merge {' '.join(pair)!r} does not join tokens to a token")
    return pairs
