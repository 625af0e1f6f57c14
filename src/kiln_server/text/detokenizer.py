"""Tokens to text, never splitting a character."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Sequence
from typing import Final

from kiln_server.backend import Tokenizer

MARKUP: Final = frozenset({"<think>", "</think>", "<tool_call>", "</tool_call>"})
"""Control tokens whose text the answer's structure is read from; all others add nothing to the text."""

MAX_CHARACTER_BYTES: Final = 4
"""Bytes of the longest character in UTF-8: how far back the beginning of one can lie."""


class Detokenizer:
    """Decodes one answer.

    Bytes that no character can begin or continue with become U+FFFD; an unfinished character is held back, and dropped
    with `flush` when nothing completes it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        control = tokenizer.special_ids
        self._markup = {control[text]: text for text in MARKUP if text in control}
        self._token_bytes = tokenizer.token_bytes
        self._unfinished = b""
        """The beginning of the character that is under way."""
        self._at_start = tokenizer.leading_space

    def feed(self, token_id: int) -> str:
        """The text that this token completes, possibly empty."""
        if token_id in self._markup:
            return self._control(token_id)
        return self._decoded(self._token_bytes(token_id))

    def feed_all(self, token_ids: Sequence[int]) -> str:
        """The text that these tokens complete: that of `feed` one by one, joined."""
        if self._markup.keys().isdisjoint(token_ids):
            return self._decoded(b"".join(map(self._token_bytes, token_ids)))
        return "".join(map(self.feed, token_ids))

    def _control(self, token_id: int) -> str:
        # It ends whatever character was under way: its bytes can no longer follow.
        self._unfinished = b""
        self._at_start = False
        return self._markup[token_id]

    def _decoded(self, data: bytes) -> str:
        if self._unfinished:
            data = self._unfinished + data
        text, end = utf_8_decode(data, "replace", False)
        self._unfinished = data[end:]
        if self._at_start and text:
            self._at_start = False
            return text.removeprefix(" ")
        return text


def tail_text(tokenizer: Tokenizer, before: Sequence[int], token_id: int) -> str:
    """The text that one token adds after others, control tokens shown; "" while a character is unfinished.

    Bytes of a character that began in the tokens before are part of what the token adds.
    """
    named = {id_: text for text, id_ in tokenizer.special_ids.items()}
    if token_id in named:
        return named[token_id]
    pending = b""
    for id_ in reversed(before):
        if id_ in named or len(pending) >= MAX_CHARACTER_BYTES:
            break
        pending = tokenizer.token_bytes(id_) + pending
    _, end = utf_8_decode(pending, "replace", False)
    return utf_8_decode(pending[end:] + tokenizer.token_bytes(token_id), "replace", False)[0]
