"""The entries of a scripted answer, one token each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from kiln_server.backends.bytes_tokenizer import BytesTokenizer


class Piece(Struct, frozen=True, forbid_unknown_fields=True):
    """One token, given as exactly one of literal text, bytes in hexadecimal, or an id."""

    text: str | UnsetType = UNSET
    hex: str | UnsetType = UNSET
    id: int | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(value is not UNSET for value in (self.text, self.hex, self.id)) != 1:
            raise ValueError("Give exactly one of `text`, `hex` and `id`")
        if self.hex is not UNSET:
            bytes.fromhex(self.hex)


Entry: TypeAlias = str | Piece
"""A plain string is `<eos>`, a control token by its text, or a token by its text."""


def answer_ids(answers: Iterable[Sequence[Entry]], tokenizer: BytesTokenizer) -> list[tuple[int, ...]]:
    """The tokens of each answer. Pieces that the tokenizer lacks are added to it, in order of appearance.

    Raises ValueError, naming the entry, for an id that is no token and for text that is not Unicode.
    """
    found = [
        tuple(_token_id(entry, tokenizer, f"answers[{index}][{position}]") for position, entry in enumerate(entries))
        for index, entries in enumerate(answers)
    ]
    # Only now is it known which ids the pieces took.
    for index, ids in enumerate(found):
        for position, token_id in enumerate(ids):
            if not tokenizer.has_entry(token_id):
                raise ValueError(f"answers[{index}][{position}]: no token has id {token_id}; name it in `special`")
    return found


def _token_id(entry: Entry, tokenizer: BytesTokenizer, where: str) -> int:
    if isinstance(entry, str):
        return _named(entry, tokenizer, where)
    if isinstance(entry.id, int):
        return entry.id
    if isinstance(entry.hex, str):
        return tokenizer.add_piece(bytes.fromhex(entry.hex))
    return _literal(str(entry.text), tokenizer, where)


def _named(text: str, tokenizer: BytesTokenizer, where: str) -> int:
    special = tokenizer.special_ids.get(text)
    return _literal(text, tokenizer, where) if special is None else special


def _literal(text: str, tokenizer: BytesTokenizer, where: str) -> int:
    try:
        return tokenizer.add_piece(text.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"{where}: half of a surrogate pair is no text; give bytes as `hex`") from error
