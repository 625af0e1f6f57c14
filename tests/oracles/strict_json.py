"""JSON text read by the letter: the standard reader, hardened until it accepts exactly what the contract calls JSON.

It shares no code with `kiln_contract.reader`, which it is there to judge.
"""

from __future__ import annotations

import json
from decimal import Decimal
from math import isinf
from typing import Any, Final, NamedTuple

MAX_DEPTH: Final = 128
MAX_DIGITS: Final = 4300
"""The sign counts."""


class NotJson(ValueError):  # noqa: N818 - a verdict, not a failure of the oracle
    """The text is no JSON that the contract reads."""


class Fractional(float):
    """A number that is no integer although the nearest double is one."""

    def is_integer(self) -> bool:
        return False


class Huge:
    """An integer of more digits than anything reads."""


class Parsed(NamedTuple):
    """The value, and which of the numbers that Python has no type for it holds."""

    value: Any
    extreme: bool
    """A number that no double, or no reader, can hold."""
    fractional: bool


def parse(body: bytes | str, *, strict: bool = True) -> Parsed:
    """Read one document. Without `strict` the last of duplicate keys counts and depth is not looked at.

    Integers in float notation become exact ints. Raises NotJson.
    """
    numbers = _Numbers()
    try:
        text = body.decode("utf-8") if isinstance(body, bytes) else body
        text.encode("utf-8")
        value = json.loads(
            text,
            parse_int=numbers.integer,
            parse_float=numbers.fraction,
            parse_constant=_no_constant,
            object_pairs_hook=_unique_members if strict else _last_members,
        )
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error
    _no_surrogate(value)
    if strict and _depth(value) > MAX_DEPTH:
        raise NotJson("nested too deeply")
    return Parsed(value, numbers.extreme, numbers.fractional)


class _Numbers:
    def __init__(self) -> None:
        self.extreme = False
        self.fractional = False

    def integer(self, text: str) -> Any:
        if len(text) <= MAX_DIGITS:
            return int(text)
        self.extreme = True
        return Huge()

    def fraction(self, text: str) -> Any:
        nearest = float(text)
        if isinf(nearest):
            self.extreme = True
            return nearest
        if not nearest.is_integer():
            return nearest
        if nearest == 0 and set("123456789").isdisjoint(text.lower().partition("e")[0]):
            return 0
        exact = Decimal(text) if nearest else Decimal("0.1")
        if exact == exact.to_integral_value():
            return int(exact)
        self.fractional = True
        return Fractional(nearest)


def _no_constant(text: str) -> Any:
    raise NotJson(f"{text} is no JSON")


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = _last_members(pairs)
    if len(members) != len(pairs):
        raise NotJson("a member twice")
    return members


def _last_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for pair in pairs:
        _no_surrogate(list(pair))
    return dict(pairs)


def _no_surrogate(value: Any) -> None:
    """Look through strings and arrays; the objects among them have been looked through as they were read."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, str) and any("\ud800" <= char <= "\udfff" for char in current):
            raise NotJson("half a character")


def _depth(value: Any) -> int:
    deepest, stack = 0, [(value, 1)]
    while stack:
        current, level = stack.pop()
        if isinstance(current, dict | list):
            deepest = max(deepest, level)
            stack.extend((inner, level + 1) for inner in (current.values() if isinstance(current, dict) else current))
    return deepest
