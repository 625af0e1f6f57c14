"""The tokens of a GGUF file, and what each is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields

END_NAMES: Final = ("<|endoftext|>", "<|im_end|>", "<|eot_id|>")
"""Control tokens that end an answer even where the metadata does not say so."""

_END_KEYS: Final = ("eos_token_id", "eot_token_id", "eom_token_id")


class TokenType(IntEnum):
    """What `tokenizer.ggml.token_type` says of a token."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class Vocabulary:
    """Tokens by id with their types. `fields` are the metadata under `tokenizer.ggml.`.

    Unused and empty entries only fill up the ids: they are no tokens. Raises LoadError where the lists are missing, do
    not fit each other, or name a token twice.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        tokens = self.each("tokens", str)
        types = self.each("token_type", int) if fields.get("token_type") else [TokenType.NORMAL] * len(tokens)
        if len(types) != len(tokens):
            raise LoadError(f"{fields.where}: {len(types)} token types do not fit {len(tokens)} tokens")
        used = [
            (token_id, token, kind)
            for token_id, (token, kind) in enumerate(zip(tokens, types, strict=True))
            if token and kind != TokenType.UNUSED
        ]
        self.ids: Mapping[str, int] = {token: token_id for token_id, token, _ in used}
        """Every token with its id."""
        self.types: Mapping[str, int] = {token: kind for _, token, kind in used}
        self._tokens: Mapping[int, str] = {token_id: token for token_id, token, _ in used}
        if len(self.ids) != len(used):
            raise LoadError(f"{fields.where}: `tokenizer.ggml.tokens` has the same token twice")

    def each(self, key: str, kind: type) -> Sequence[Any]:
        """A list of the metadata, all of one type. Raises LoadError where it is missing or holds something else."""
        values = self.fields.get(key)
        if not isinstance(values, list) or not all(type(value) is kind for value in values):
            raise LoadError(f"{self.fields.where}: `tokenizer.ggml.{key}` is missing, or no list of {kind.__name__}")
        return values

    def named(self, key: str) -> str:
        """The token whose id the metadata gives under a key; empty where it gives none."""
        token_id = self.fields.get(key)
        if token_id is None:
            return ""
        if token_id not in self._tokens:
            raise self.fields.error(key, "must be the id of a token")
        return self._tokens[token_id]

    def end_ids(self) -> frozenset[int]:
        """The ids that end an answer: end of sequence, turn and message, and control tokens known by name."""
        named = [token for key in _END_KEYS if (token := self.named(key))]
        known = [token for token in END_NAMES if self.types.get(token) == TokenType.CONTROL]
        return frozenset(self.ids[token] for token in (*named, *known))

    def added(self) -> list[dict[str, Any]]:
        """The `added_tokens` of a tokenizer.json: tokens that are cut out of a text before it is encoded."""
        special = (TokenType.CONTROL, TokenType.UNKNOWN)
        return [
            {
                "id": token_id,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": self.types[token] in special,
            }
            for token, token_id in self.ids.items()
            if self.types[token] in (*special, TokenType.USER_DEFINED)
        ]
