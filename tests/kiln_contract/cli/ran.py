"""What the fixtures of these tests give."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Ran(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


Write = Callable[[str, bytes], str]
"""Writes a file, by name and content; gives its name."""

Run = Callable[..., Ran]
"""Runs the command with arguments."""
