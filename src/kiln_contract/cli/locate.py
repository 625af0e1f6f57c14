"""From a JSON Pointer back to the line and column of the text."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec

from kiln_contract.errors import pointer

MAX_BYTES: Final = 1024 * 1024
"""Longer texts are not searched: it would take longer than checking them did."""

# Possessive, so that a long string takes no room for backtracking.
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]|[^\s\[\]{},:"]++', re.DOTALL)


class Position(NamedTuple):
    """A place in a text, both counted from 1; columns count characters."""

    line: int
    column: int


def locate(text: bytes, pointers: Collection[str]) -> dict[str, Position]:
    """Where the values at `pointers` start in a well-formed JSON text.

    A pointer that leads nowhere has no entry; neither has any in a text past `MAX_BYTES`. Of a member given twice, the
    last one is meant.
    """
    if not pointers or len(text) > MAX_BYTES:
        return {}
    return {found: _position(text, offset) for found, offset in _offsets(text, set(pointers)).items()}


class _Container:
    """An array or object around the current token. Its `path` is None when no pointer leads into it."""

    def __init__(self, path: str | None, is_object: bool) -> None:
        self.path = path
        self.is_object = is_object
        self.index = 0
        self.key: bytes | None = None

    def child(self) -> str | None:
        """The pointer of the value that starts now."""
        if self.path is None:
            return None
        return self.path + pointer([msgspec.json.decode(self.key) if self.key is not None else self.index])

    def step(self) -> None:
        """A comma: the next item or member."""
        self.index += 1
        self.key = None


def _offsets(text: bytes, wanted: set[str]) -> dict[str, int]:
    inner = {path[:cut] for path in wanted for cut in range(len(path)) if path[cut] == "/"}
    offsets: dict[str, int] = {}
    stack: list[_Container] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == b",":
            stack[-1].step()
        elif token in (b"]", b"}"):
            stack.pop()
        elif stack and stack[-1].is_object and stack[-1].key is None:
            stack[-1].key = token
        else:
            path = stack[-1].child() if stack else ""
            if path in wanted:
                offsets[path] = match.start()
            if token in (b"[", b"{"):
                stack.append(_Container(path if path in inner else None, token == b"{"))
    return offsets


def _position(text: bytes, offset: int) -> Position:
    start = text.rfind(b"\n", 0, offset) + 1
    return Position(text.count(b"\n", 0, offset) + 1, len(text[start:offset].decode()) + 1)
