"""What a vector file is made of: groups of constraints with the documents that show them at work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from codegen.model import ABSENT

MAX_KEY: Final = 64
"""Longer keys are cut in pointers, the last character that is shown being an ellipsis."""

INLINE: Final = 64
"""Longer arrays of equal items are not spelled out; their documents are stored as recipes."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Stands for an array of `count` times the same item."""

    item: Any
    count: int


@dataclass(frozen=True, slots=True)
class RepeatText:
    """Stands for a string of `count` times the same text."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that breaks one rule at one place."""

    document: Any
    pointer: str
    rule: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Constraints, named by their place in the schema or by the id of their rule, and their documents."""

    constraints: tuple[str, ...]
    accepted: tuple[Any, ...]
    refused: tuple[Refusal, ...]


def merged(sample: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """A sample with some members set, and those that are given as ABSENT left out."""
    return {key: value for key, value in {**sample, **members}.items() if value is not ABSENT}


def pointer(path: tuple[str | int, ...]) -> str:
    """How a violation names a path: a JSON Pointer with long keys cut."""
    keys = (str(key) for key in path)
    cut = (key if len(key) <= MAX_KEY else key[: MAX_KEY - 1] + "\u2026" for key in keys)
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in cut)
