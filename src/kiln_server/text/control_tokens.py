"""Find control tokens in a prompt's text, only where the text is trusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import category

from kiln_server.text.trusted import Span

_SPACE: Final = re.compile(r"[^\S\x1c-\x1f]")
_WORD_CATEGORIES: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_JOINERS: Final = "\u200c\u200d"


class ControlToken(NamedTuple):
    """A token that stands for its text as a whole, and what Hugging Face's flags of that name say about it.

    With `lstrip` or `rstrip` it takes the white space on that side with it; with `single_word` it counts only between
    characters that are no part of a word. One that is found `anywhere` is an ordinary token, which needs no trust.
    """

    text: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    anywhere: bool = False


class ControlTokens:
    """The control tokens of one tokenizer. Of two that begin at the same character the longer one counts."""

    def __init__(self, tokens: Iterable[ControlToken]) -> None:
        self._tokens = {token.text: token for token in tokens if token.text}
        self._ids = {text: token.id for text, token in self._tokens.items()}
        ordinary = [text for text, token in self._tokens.items() if token.anywhere]
        self._control = _pattern(self._tokens.keys() - ordinary)
        self._ordinary = _pattern(ordinary) if ordinary else None
        self._are_plain = not any(
            token.lstrip or token.rstrip or token.single_word or token.anywhere for token in self._tokens.values()
        )

    @classmethod
    def of(cls, ids: Mapping[str, int]) -> ControlTokens:
        """Tokens without flags, by their text."""
        return cls(ControlToken(text, id_) for text, id_ in ids.items())

    def split(self, text: str, regions: Iterable[Span]) -> list[str | int]:
        """Cut a text into plain stretches and the ids of the control tokens that lie wholly inside one of `regions`.

        Regions are in order. Plain stretches are as long as they can be, and never empty.
        """
        if self._are_plain:
            return self._split_plainly(text, regions)
        pieces: list[str | int] = []
        end = 0
        for match in self._matches(text, regions):
            token = self._tokens[match[0]]
            start, stop = match.span()
            if token.single_word and (_ends_word(text, start) or _begins_word(text, stop)):
                continue
            if token.lstrip:
                start = _space_before(text, start)
            if end < start:
                pieces.append(text[end:start])
            pieces.append(token.id)
            end = _space_after(text, stop) if token.rstrip else stop
        if end < len(text):
            pieces.append(text[end:])
        return pieces

    def encode(self, text: str, regions: Iterable[Span], plain: Callable[[str], list[int]]) -> list[int]:
        """The ids of a text: control tokens as `split` finds them, the stretches between as `plain` encodes them."""
        ids: list[int] = []
        for piece in self.split(text, regions):
            if type(piece) is int:
                ids.append(piece)
            else:
                ids += plain(piece)  # type: ignore[arg-type]
        return ids

    def _split_plainly(self, text: str, regions: Iterable[Span]) -> list[str | int]:
        """The same where all tokens are without flags, and none is ordinary."""
        pieces: list[str | int] = []
        end = 0
        ids = self._ids
        find = self._control.finditer
        for first, last in regions:
            for match in find(text, first, last):
                start, stop = match.span()
                if end < start:
                    pieces.append(text[end:start])
                pieces.append(ids[text[start:stop]])
                end = stop
        if end < len(text):
            pieces.append(text[end:])
        return pieces

    def _matches(self, text: str, regions: Iterable[Span]) -> Iterator[re.Match[str]]:
        control = chain.from_iterable(self._control.finditer(text, start, stop) for start, stop in regions)
        return control if self._ordinary is None else _merged(control, self._ordinary, text)


def _merged(control: Iterable[re.Match[str]], ordinary: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches of control tokens and of ordinary ones, in order; of two that overlap the first counts."""
    end = 0
    between = ordinary.search(text)
    for match in control:
        while between is not None and between.start() < match.start():
            if between.start() >= end:
                yield between
                end = between.end()
            between = ordinary.search(text, end)
        if match.start() >= end:
            yield match
            end = match.end()
    yield from ordinary.finditer(text, end)


def _pattern(texts: Iterable[str]) -> re.Pattern[str]:
    """Any of these texts, the longest that is there; without texts, a pattern that never matches."""
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _ends_word(text: str, position: int) -> bool:
    return position > 0 and _is_word(text[position - 1])


def _begins_word(text: str, position: int) -> bool:
    return position < len(text) and _is_word(text[position])


def _is_word(char: str) -> bool:
    return category(char) in _WORD_CATEGORIES or char in _JOINERS


def _space_before(text: str, start: int) -> int:
    """Where the white space begins that ends at `start`."""
    while start > 0 and _SPACE.match(text, start - 1):
        start -= 1
    return start


def _space_after(text: str, stop: int) -> int:
    """Where the white space ends that begins at `stop`."""
    while _SPACE.match(text, stop):
        stop += 1
    return stop
