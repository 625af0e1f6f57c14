"""Encode text that is only text: with a Hugging Face tokenizer of which no control token is left."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Sequence
from typing import Any, Final

from tokenizers import Tokenizer

_ABSENT: Final = "\0no such token\0"


class PlainEncoder:
    """Encodes stretches of plain text; what spells a control token comes out as ordinary tokens.

    `spec` is a tokenizer.json as the library writes it. `control_ids` are ids that no text may yield. Raises ValueError
    for a model other than BPE and Unigram.
    """

    def __init__(self, spec: dict[str, Any], control_ids: Collection[int]) -> None:
        model, self._unknown = _plain_model(spec["model"], control_ids)
        bare: dict[str, Any] = {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
        self._at_start = Tokenizer.from_str(json.dumps(spec | bare | {"model": model}))
        self._inside = _without_prefix(self._at_start, spec["pre_tokenizer"])

    def encode(self, texts: Sequence[str], *, at_start: bool) -> list[list[int]]:
        """Encode stretches of one text, each for itself; `at_start` says that the first of them begins the text.

        Raises ValueError for text that the vocabulary cannot express.
        """
        first = 1 if at_start and self._inside is not self._at_start else 0
        return _encode(self._at_start, texts[:first], self._unknown) + _encode(
            self._inside, texts[first:], self._unknown
        )


def _encode(tokenizer: Tokenizer, texts: Sequence[str], unknown: int | None) -> list[list[int]]:
    if not texts:
        return []
    try:
        found = [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    except TypeError:
        raise ValueError("the text holds a lone surrogate, which is no character") from None
    except Exception as error:  # the library raises nothing narrower
        if _ABSENT in str(error):
            raise _inexpressible() from None
        raise
    if unknown is not None and any(unknown in ids for ids in found):
        raise _inexpressible()
    return found


def _inexpressible() -> ValueError:
    return ValueError("the text holds a character that this model's vocabulary cannot express")


def _plain_model(model: dict[str, Any], control_ids: Collection[int]) -> tuple[dict[str, Any], int | None]:
    """A model that yields no control token, and the id that it yields for unknown text, if it does not fail."""
    match model["type"]:
        case "BPE":
            return _plain_bpe(model, control_ids), None
        case "Unigram":
            return _plain_unigram(model, control_ids), model["unk_id"]
        case other:
            raise ValueError(f"tokenizers with a {other} model are not supported: BPE and Unigram are")


def _plain_bpe(model: dict[str, Any], control_ids: Collection[int]) -> dict[str, Any]:
    gone = {token for token, id_ in model["vocab"].items() if id_ in control_ids}
    vocab = {token: id_ for token, id_ in model["vocab"].items() if token not in gone}
    merges = (
        [pair for pair in model["merges"] if not gone.intersection((*pair, "".join(pair)))] if gone else model["merges"]
    )
    # A token for the unknown that does not exist makes the library fail, where it would drop text without one.
    return model | {"vocab": vocab, "merges": merges, "unk_token": _ABSENT}


def _plain_unigram(model: dict[str, Any], control_ids: Collection[int]) -> dict[str, Any]:
    # Ids are places in this list, so entries cannot go; they get a name that no text can guess.
    nonce = secrets.token_hex(16)
    vocab = [
        [f"\0{nonce}{id_}" if id_ in control_ids else piece, score] for id_, (piece, score) in enumerate(model["vocab"])
    ]
    return model | {"vocab": vocab}


def _without_prefix(tokenizer: Tokenizer, pre_tokenizer: dict[str, Any] | None) -> Tokenizer:
    """The same for text that does not begin a prompt, where "first" as a prefix rule means no prefix."""
    inside = _never_first(pre_tokenizer)
    if inside == pre_tokenizer:
        return tokenizer
    empty = {"type": "BPE", "vocab": {}, "merges": []}
    shell = Tokenizer.from_str(json.dumps({"version": "1.0", "pre_tokenizer": inside, "model": empty}))
    shell.model = tokenizer.model  # shared, not copied
    if tokenizer.normalizer is not None:
        shell.normalizer = tokenizer.normalizer
    return shell


def _never_first(spec: Any) -> Any:
    if isinstance(spec, list):
        return [_never_first(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: "never" if (key, value) == ("prepend_scheme", "first") else _never_first(value)
        for key, value in spec.items()
    }
