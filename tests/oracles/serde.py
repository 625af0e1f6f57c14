"""serde_json, the reference server's reader: the tokenizers package parses its files with it.

A tokenizer file has places of most kinds that a contract has; a JSON literal is put into one and the file is read.
"""

from __future__ import annotations

import json
from typing import Any, Final

from tokenizers import Tokenizer

HOLE: Final = "<hole>"

_FILE: Final[dict[str, Any]] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
}
_TRUNCATION: Final = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
_BPE: Final = {"type": "BPE", "fuse_unk": HOLE, "vocab": {"a": 0}, "merges": []}
_UNIGRAM: Final = {"type": "Unigram", "unk_id": 0, "vocab": [["a", HOLE]], "byte_fallback": False}

PLACES: Final[dict[str, dict[str, Any]]] = {
    "integer": {"truncation": {**_TRUNCATION, "max_length": HOLE}},
    "number": {"model": _UNIGRAM},
    "boolean": {"model": _BPE},
    "text": {"model": {**_FILE["model"], "unk_token": HOLE}},
    "ignored": {"truncation": {**_TRUNCATION, "unknown": HOLE}},
    "opaque": {"normalizer": {"type": "NFC", "unknown": HOLE}},
    "object": {"truncation": HOLE},
}
"""Where a literal goes: a usize, an f64, a bool, a String, a member that a struct skips, one that is kept as it is."""


def reads(place: str, literal: str) -> bool:
    """Whether serde_json reads a literal in one kind of place; `document` takes what stands around a whole document."""
    if place == "document":
        return _accepts(literal.replace("{}", json.dumps(_FILE), 1))
    return _accepts(json.dumps({**_FILE, **PLACES[place]}).replace(json.dumps(HOLE), literal))


def _accepts(text: str) -> bool:
    try:
        Tokenizer.from_str(text)
    except Exception:
        return False
    return True
