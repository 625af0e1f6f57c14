"""Encode text that is only text: with a Hugging Face tokenizer of which no control token is left."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from tokenizers import Tokenizer
from tokenizers.models import Model

from kiln_server.text.token_bytes import BYTE_OF, BYTE_TOKENS

_ABSENT: Final = "\0no such token\0"


class PlainEncoder:
    """Encodes stretches of plain text; what spells a control token comes out as ordinary tokens.

    `library` is a tokenizer and `spec` its tokenizer.json, as the library writes it. `control_ids` are ids that no text
    may yield. Raises ValueError for a model other than BPE and Unigram.
    """

    def __init__(self, library: Tokenizer, spec: dict[str, Any], control_ids: Collection[int]) -> None:
        model = _plain_model(library, spec, control_ids)
        rule = spec["pre_tokenizer"]
        self._unknown: int | None = spec["model"].get("unk_id")
        self._at_start = _around(model, spec["normalizer"], rule)
        # Beyond the start of a text, "first" as a rule for prefixes means none.
        never = _never_first(rule)
        self._inside = self._at_start if never == rule else _around(model, spec["normalizer"], never)

    def encode(self, texts: Sequence[str], *, at_start: bool) -> list[list[int]]:
        """Encode stretches of one text, each for itself; `at_start` says that the first of them begins the text.

        Raises ValueError for text that the vocabulary cannot express.
        """
        first = 1 if at_start and self._inside is not self._at_start else 0
        found = _encode(self._at_start, texts[:first]) + _encode(self._inside, texts[first:])
        if self._unknown is not None and any(self._unknown in ids for ids in found):
            raise _inexpressible()
        return found


def _encode(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    if not texts:
        return []
    try:
        return [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    except TypeError:
        raise ValueError("the text holds a lone surrogate, which is no character") from None
    except Exception as error:  # the library raises nothing narrower
        if _ABSENT in str(error):
            raise _inexpressible() from None
        raise


def _inexpressible() -> ValueError:
    return ValueError("the text holds a character that this model's vocabulary cannot express")


def _around(model: Model, normalizer: Any, pre_tokenizer: Any) -> Tokenizer:
    """A tokenizer with these rules around a model, which it shares."""
    empty = {"type": "BPE", "vocab": {}, "merges": []}
    spec = {"version": "1.0", "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": empty}
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    tokenizer.model = model
    return tokenizer


def _plain_model(library: Tokenizer, spec: dict[str, Any], control_ids: Collection[int]) -> Model:
    """A model that yields no control token: the tokenizer's own where it is one already."""
    model = spec["model"]
    holder = library
    match model["type"]:
        case "BPE":
            gone = {token for token, id_ in model["vocab"].items() if id_ in control_ids}
            if gone or not _is_complete(model, spec["pre_tokenizer"]):
                holder = _holding(_without(model, gone))
        case "Unigram":
            holder = _holding(_renamed(model, control_ids))
        case other:
            raise ValueError(f"tokenizers with a {other} model are not supported: BPE and Unigram are")
    plain: Model = holder.model
    return plain


def _holding(model: dict[str, Any]) -> Tokenizer:
    return Tokenizer.from_str(json.dumps({"version": "1.0", "model": model}))


def _is_complete(model: dict[str, Any], pre_tokenizer: Any) -> bool:
    """Whether every byte has a token, so that there is no text without an encoding."""
    if any(step["type"] == "ByteLevel" for step in _steps(pre_tokenizer)):
        needed: Collection[str] = BYTE_OF
    elif model["byte_fallback"]:
        needed = BYTE_TOKENS
    else:
        return False
    return all(token in model["vocab"] for token in needed)


def _without(model: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    """A BPE model without some tokens, which fails where the library would leave text out."""
    vocab = {token: id_ for token, id_ in model["vocab"].items() if token not in gone}
    merges = [pair for pair in model["merges"] if gone.isdisjoint((*pair, "".join(pair)))]
    return model | {"vocab": vocab, "merges": merges, "unk_token": _ABSENT}


def _renamed(model: dict[str, Any], control_ids: Collection[int]) -> dict[str, Any]:
    """A Unigram model whose control tokens have names that no text can guess: their ids are places in a list."""
    nonce = secrets.token_hex(16)
    vocab = [
        [f"\0{nonce}{id_}" if id_ in control_ids else piece, score] for id_, (piece, score) in enumerate(model["vocab"])
    ]
    return model | {"vocab": vocab}


def _steps(pre_tokenizer: Any) -> Iterator[dict[str, Any]]:
    if pre_tokenizer is None:
        return
    if pre_tokenizer["type"] == "Sequence":
        for step in pre_tokenizer["pretokenizers"]:
            yield from _steps(step)
    else:
        yield pre_tokenizer


def _never_first(spec: Any) -> Any:
    if isinstance(spec, list):
        return [_never_first(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: "never" if (key, value) == ("prepend_scheme", "first") else _never_first(value)
        for key, value in spec.items()
    }
