"""JSON numbers read exactly: integers in float notation, and what a double can hold."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any, Final

EXACT_BELOW: Final = 2.0**53
"""Doubles below this magnitude that are integral stand for exactly one integer."""

EXACT_LENGTH: Final = 17
"""A literal of at most this many characters below `EXACT_BELOW` is no fraction if its double is none."""

MAX_DIGITS: Final = 4300
"""The longest integer that is read, in digits and sign; Python refuses longer ones for good reason."""


class ExactFloat(float):
    """A number in float notation that a double may not hold exactly; `text` is how the document wrote it.

    It orders as its double does, but equals an integer only if that is exactly what was written.
    """

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __eq__(self, other: object) -> bool:
        return integer_of(self) == other if isinstance(other, int) else super().__eq__(other)

    __hash__ = float.__hash__


class HugeInteger:
    """Stands for an integer literal of more than `MAX_DIGITS` digits, which is not converted."""


def read_float(text: str) -> float:
    """Read a literal in float notation; it keeps its text where digits that matter would be lost."""
    value = float(text)
    if not -EXACT_BELOW < value < EXACT_BELOW:
        return ExactFloat(text)
    # A long fraction may round to an integer, and a tiny number to zero.
    rounded = value.is_integer() and (len(text) > EXACT_LENGTH or (not value and text.strip("-0.")))
    return ExactFloat(text) if rounded else value


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
    if not float(text):
        return 0 if set("123456789").isdisjoint(text.lower().partition("e")[0]) else None
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
