"""The built-in tokenizer: every byte is a token, so that any text works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EOS_ID: Final = 256
EOS_TEXT: Final = "<eos>"
MAX_ID: Final = 1_048_575
"""The highest id that a control token may be given."""


class BytesTokenizer:
    """Ids 0 to 255 are bytes, 256 ends an answer, then control tokens; what is added gets the next free id.

    `special` gives control tokens their ids, by their text. Raises ValueError, naming the token, for an id that is
    taken or out of range.
    """

    def __init__(self, special: Mapping[str, int] | None = None) -> None:
        self._special = {EOS_TEXT: EOS_ID}
        self._bytes = {value: bytes([value]) for value in range(EOS_ID)}
        self._ids = {piece: value for value, piece in self._bytes.items()}
        self._taken = {EOS_ID}
        self._next_id = EOS_ID + 1
        for text, token_id in (special or {}).items():
            self._require_free(text, token_id)
            self._set_special(text, token_id)

    @property
    def eos_ids(self) -> frozenset[int]:
        return frozenset({EOS_ID})

    @property
    def special_ids(self) -> Mapping[str, int]:
        return self._special

    @property
    def leading_space(self) -> bool:
        return False

    @property
    def vocab_size(self) -> int:
        """One more than the highest id that has an entry."""
        return 1 + max(max(self._taken), self._next_id - 1)

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def encode_prompt(self, text: str) -> list[int]:
        return self.encode(text)

    def token_bytes(self, token_id: int) -> bytes:
        return self._bytes.get(token_id, b"")

    def has_entry(self, token_id: int) -> bool:
        """Whether an id is a token at all."""
        return token_id in self._bytes or token_id in self._taken

    def add_piece(self, piece: bytes) -> int:
        """The id of the one token that stands for these bytes, which is new unless they are a token already."""
        if piece not in self._ids:
            token_id = self._free_id()
            self._ids[piece] = token_id
            self._bytes[token_id] = piece
        return self._ids[piece]

    def add_special(self, text: str) -> int:
        """The id of a control token, which is new unless there is one of that text."""
        if text not in self._special:
            self._set_special(text, self._free_id())
        return self._special[text]

    def _set_special(self, text: str, token_id: int) -> None:
        self._special[text] = token_id
        self._taken.add(token_id)

    def _free_id(self) -> int:
        while self._next_id in self._taken:
            self._next_id += 1
        self._next_id += 1
        return self._next_id - 1

    def _require_free(self, text: str, token_id: int) -> None:
        if not text or text in self._special:
            raise ValueError(f"special: {text!r} cannot be a control token; name it differently")
        if not EOS_ID < token_id <= MAX_ID:
            raise ValueError(f"special: {text!r} has id {token_id}; ids {EOS_ID + 1} to {MAX_ID} are free")
        if token_id in self._taken:
            raise ValueError(f"special: {text!r} has id {token_id}, which another control token has")
