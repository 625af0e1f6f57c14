"""Colour for a terminal, and text that cannot act on one."""

from __future__ import annotations

import os
from typing import Final, TextIO

_CODES: Final = {"strong": "1", "good": "32", "bad": "31", "warn": "33", "faint": "2"}


class Style:
    """Paints text, or leaves it as it is."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def paint(self, role: str, text: str) -> str:
        """`text` in the colour of `role`: strong, good, bad, warn or faint."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self._colour else text


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colour, and NO_COLOR (no-color.org) does not ask for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def plain(text: str) -> str:
    """`text` on one line and without control or formatting characters, which are written as escapes.

    Member names and file names come from elsewhere; they must not move a cursor, forge a line or start a command.
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
