"""JSON numbers read exactly: integers in float notation, and what a double can hold."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any, Final

EXACT_BELOW: Final = 2.0**53
"""Doubles below this magnitude that are integral stand for exactly one integer."""

MAX_DIGITS: Final = 4300
"""The longest integer that is read, in digits; Python refuses longer ones for good reason."""


class ExactFloat(float):
    """A number in float notation that a double may not hold exactly; `text` is how the document wrote it."""

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        self = super().__new__(cls, text)
        self.text = text
        return self


class HugeInteger:
    """Stands for an integer literal of more than `MAX_DIGITS` digits, which is not converted."""


def read_float(text: str) -> float:
    """Read a literal in float notation; large ones keep their text, so that no digit is lost."""
    value = float(text)
    return value if -EXACT_BELOW < value < EXACT_BELOW else ExactFloat(text)


def read_integer(text: str) -> int | HugeInteger:
    """Read an integer literal, or say that it is too long to be read."""
    return int(text) if len(text) <= MAX_DIGITS else HugeInteger()


def integer_of(value: Any) -> int | None:
    """The integer that a JSON value stands for, or None: `16.0` and `1.6e1` are integers, `true` is not."""
    if value.__class__ is int:
        return int(value)
    if isinstance(value, ExactFloat):
        return _integer_of_text(value.text) if isfinite(value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _integer_of_text(text: str) -> int | None:
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else None


def is_integer(value: Any) -> bool:
    """Whether a JSON value is an integer in the sense of JSON Schema 2020-12."""
    return integer_of(value) is not None


def is_number(value: Any) -> bool:
    """Whether a decoded value is a JSON number at all."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: float) -> bool:
    """Whether a number is finite as a double; an integer may be too large for one."""
    try:
        return isfinite(value)
    except OverflowError:
        return False
