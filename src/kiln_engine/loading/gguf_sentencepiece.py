"""SentencePiece BPE from a GGUF file: the tokenizer that it calls `llama`.

SentencePiece merges the neighbours whose union has the best score, the leftmost ones first. A list of merges in order
of that score does the same as long as no two pieces share one.
"""

from __future__ import annotations

from typing import Any, Final

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.gguf_vocabulary import TokenType, Vocabulary

SPACE: Final = "▁"


def sentencepiece(vocabulary: Vocabulary) -> dict[str, Any]:
    """Model, normalizer and decoder of a tokenizer.json.

    Raises LoadError where the scores are missing or do not decide, and for rules that are not supported.
    """
    fields = vocabulary.fields
    for key in ("precompiled_charsmap", "remove_extra_whitespaces"):
        if fields.get(key):
            raise fields.error(key, "is not supported: text is encoded as it is")
    prefix = fields.flag("add_space_prefix", default=True)
    unknown = next((token for token, kind in vocabulary.types.items() if kind == TokenType.UNKNOWN), None)
    return {
        "normalizer": _sequence("normalizers", [_PREPEND] * prefix + [_replace(" ", SPACE)]),
        "pre_tokenizer": None,
        "model": {
            "type": "BPE",
            "unk_token": unknown,
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": dict(vocabulary.ids),
            "merges": _merges(vocabulary),
        },
        "decoder": _sequence("decoders", [_replace(SPACE, " "), *_BYTES, *[_STRIP] * prefix]),
    }


_PREPEND: Final = {"type": "Prepend", "prepend": SPACE}
_BYTES: Final = ({"type": "ByteFallback"}, {"type": "Fuse"})
_STRIP: Final = {"type": "Strip", "content": " ", "start": 1, "stop": 0}


def _replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def _sequence(name: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "Sequence", name: steps}


def _merges(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Every way to join two tokens to one, best score of the union first, then the longer left side first."""
    scores = vocabulary.each("scores", float)
    pieces = [
        token
        for token, token_id in vocabulary.ids.items()
        if vocabulary.types[token] == TokenType.NORMAL and token_id < len(scores)
    ]
    known = set(pieces)
    ways = {piece: pairs for piece in pieces if (pairs := [pair for pair in _cuts(piece) if known.issuperset(pair)])}
    by_score = sorted(ways, key=lambda piece: -scores[vocabulary.ids[piece]])
    if len({scores[vocabulary.ids[piece]] for piece in by_score}) < len(by_score):
        raise LoadError(
            f"{vocabulary.fields.where}: several pieces of the tokenizer have the same score, so their order is not"
            " known; use the model's Hugging Face folder"
        )
    return [pair for piece in by_score for pair in ways[piece]]


def _cuts(piece: str) -> list[tuple[str, str]]:
    return [(piece[:at], piece[at:]) for at in range(len(piece) - 1, 0, -1)]
