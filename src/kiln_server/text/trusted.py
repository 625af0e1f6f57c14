"""Text that knows which of its characters a template wrote itself.

A chat template mixes its own markup with strings of the request. Only the markup may become control tokens, so trust
follows the markup through whatever the template does with it; an operation that is not known here loses trust, which
is safe. Everything else about the text is that of a plain string: a template sees no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, SupportsIndex, TypeAlias

from kiln_server.text import percent

Span: TypeAlias = tuple[int, int]
"""Start and end of a stretch of characters; spans of one text are in order, not empty, and do not touch."""


MAX_LENGTH: Final = 1 << 26
"""Characters of the longest text that is put together here."""


class TooLong(ValueError):  # noqa: N818 - named for what happened
    """A text would have more than `limit` characters."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it makes a text of more than {limit} characters")


class TrustedText(str):
    """A string with the spans of it that are trusted. Made from a plain value it trusts nothing."""

    __slots__ = ("_spans",)

    _spans: tuple[Span, ...]

    def __new__(cls, value: object = "", spans: tuple[Span, ...] = ()) -> TrustedText:
        self = str.__new__(cls, value)
        self._spans = spans
        return self

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> str:
        return concat((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> str:
        return concat((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: SupportsIndex) -> str:
        repeated = str.__mul__(self, count)
        # Anything but a wholly trusted text loses its trust here: nobody repeats text of a request.
        return trusted(repeated) if is_trusted(self) else repeated

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> str:
        if not is_trusted(self):
            return str.__mod__(self, values)
        return concat(trusted(part) if literal else part for part, literal in percent.pieces(self, values))

    def __getitem__(self, index: SupportsIndex | slice) -> str:
        if not isinstance(index, slice):
            position = index.__index__()
            text = str.__getitem__(self, position)
            position %= len(self)
            return TrustedText(text, self._within(position, position + 1))
        start, stop, step = index.indices(len(self))
        if step == 1:
            return self._cut(start, max(start, stop))
        text = str.__getitem__(self, index)
        return trusted(text) if is_trusted(self) else text

    def strip(self, chars: str | None = None, /) -> str:
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(str.rstrip(self, chars)))

    def lstrip(self, chars: str | None = None, /) -> str:
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        return self._cut(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> str:
        return self._cut(len(prefix), len(self)) if self.startswith(prefix) else self

    def removesuffix(self, suffix: str, /) -> str:
        return self._cut(0, len(self) - len(suffix)) if self.endswith(suffix) else self

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return list(self._located(str.split(self, sep, maxsplit), sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return list(self._located(str.rsplit(self, sep, maxsplit), sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        lines = self._located(str.splitlines(self, keepends=True), "")
        return [line if keepends else line[: len(bare)] for line, bare in zip(lines, str.splitlines(self), strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        before, found, after = self._located(str.partition(self, sep), "")
        return before, found, after

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        before, found, after = self._located(str.rpartition(self, sep), "")
        return before, found, after

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        if not old:
            return str.replace(self, old, new, count)
        return join(new, self.split(old, count))

    def join(self, parts: Iterable[str], /) -> str:
        return join(self, parts)

    def upper(self) -> str:
        return self._recased(str.upper(self))

    def lower(self) -> str:
        return self._recased(str.lower(self))

    def capitalize(self) -> str:
        return self._recased(str.capitalize(self))

    def title(self) -> str:
        return self._recased(str.title(self))

    def _within(self, start: int, stop: int) -> tuple[Span, ...]:
        """The trusted spans between two positions, counted from the first."""
        if start >= stop:
            return ()
        if is_trusted(self):
            return ((0, stop - start),)
        return tuple(
            (max(first, start) - start, min(last, stop) - start)
            for first, last in self._spans
            if first < stop and last > start
        )

    def _cut(self, start: int, stop: int) -> TrustedText:
        stop = max(start, stop)
        return TrustedText(str.__getitem__(self, slice(start, stop)), self._within(start, stop))

    def _located(self, parts: Iterable[str], separator: str | None) -> Iterator[TrustedText]:
        """Parts of this text, in their order, with their trust. A separator of None is any white space."""
        position = 0
        for part in parts:
            start = self.find(part, position) if separator is None else position
            yield self._cut(start, start + len(part))
            position = start + len(part) + len(separator or "")

    def _recased(self, text: str) -> str:
        # A character may become several, never none: with the length unchanged, every character kept its place.
        return TrustedText(text, self._spans) if len(text) == len(self) else text


def trusted(text: str) -> TrustedText:
    """Text that is the template's own, all of it."""
    return TrustedText(text, ((0, len(text)),) if text else ())


def is_trusted(text: TrustedText) -> bool:
    """Whether all of a text is trusted, and there is some."""
    return text._spans == ((0, len(text)),)


def spans(text: str) -> tuple[Span, ...]:
    """The trusted spans of a text; a plain string has none."""
    return text._spans if isinstance(text, TrustedText) else ()


def concat(parts: Iterable[str], *, plain_is_trusted: bool = False, limit: int = MAX_LENGTH) -> TrustedText:
    """Join parts with nothing between them. Raises TooLong, without taking more parts, beyond `limit` characters.

    `plain_is_trusted` says that a part which is exactly a `str` is the template's own.
    """
    texts: list[str] = []
    found: list[Span] = []
    first = last = size = 0  # the span that may go on, and all characters so far
    for text in parts:
        texts.append(text)
        if type(text) is TrustedText:
            for start, stop in text._spans:
                if size + start > last:
                    if last > first:
                        found.append((first, last))
                    first = size + start
                last = size + stop
            size += len(text)
        elif plain_is_trusted and type(text) is str and text:
            if size > last:
                if last > first:
                    found.append((first, last))
                first = size
            size += len(text)
            last = size
        else:
            size += len(text)
        if size > limit:
            raise TooLong(limit)
    if last > first:
        found.append((first, last))
    return TrustedText("".join(texts), tuple(found))


def join(separator: str, parts: Iterable[str]) -> TrustedText:
    """Join parts with a separator between them."""
    return concat(_separated(separator, parts))


def _separated(separator: str, parts: Iterable[str]) -> Iterator[str]:
    for index, part in enumerate(parts):
        if index:
            yield separator
        yield part
