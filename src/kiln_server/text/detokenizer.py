"""Tokens to text, one at a time, never splitting a character."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Final

from kiln_server.backend import Tokenizer

MARKUP: Final = frozenset({"<think>", "</think>", "<tool_call>", "</tool_call>"})
"""Control tokens whose text the answer's structure is read from; all others add nothing to the text."""

MAX_CHARACTER_BYTES: Final = 4
"""Bytes of the longest character in UTF-8: how far back the beginning of one can lie."""

_Utf8: Final = getincrementaldecoder("utf-8")


class Detokenizer:
    """Decodes one answer.

    Bytes that no character can begin or continue with become U+FFFD; an unfinished character is held back, and dropped
    with `flush` when nothing completes it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._markup = {id_: text for text, id_ in tokenizer.special_ids.items() if text in MARKUP}
        self._decoder = _Utf8(errors="replace")
        self._at_start = tokenizer.leading_space

    def feed(self, token_id: int) -> str:
        """The text that this token completes, possibly empty."""
        markup = self._markup.get(token_id)
        if markup is not None:
            # A control token ends whatever character was under way: its bytes can no longer follow.
            self._decoder.reset()
            self._at_start = False
            return markup
        text = self._decoder.decode(self._tokenizer.token_bytes(token_id))
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
    decoder = _Utf8(errors="replace")
    decoder.decode(pending)
    return decoder.decode(tokenizer.token_bytes(token_id))
