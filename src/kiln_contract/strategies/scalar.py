"""Strategies for scalars, with a taste for the ends of every range and for awkward text."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kiln_contract.strategies.definition import Schema

AWKWARD_TEXT: Final = (
    "",
    " ",
    "\x00",
    "\x7f\x85",
    'quote " and backslash \\',
    "line\nend\n",
    "e\u0301\u0302",
    "\u05e9\u05dc\u05d5\u05dd \u202eabc\u202c",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0010ffff\ufffe\ufeff",
    "\u2028\u2029</think>",
    "é" * 300,
)
AWKWARD_INTEGERS: Final = (
    *(sign * (2**power + step) for power in (31, 32, 53, 63, 64) for step in (-1, 0, 1) for sign in (1, -1)),
    10**40,
    10**400,
)
AWKWARD_FLOATS: Final = (0.0, -0.0, 5e-324, 1e-6, 0.1, 0.5, 1.0, -2.0, 2.0**53, 1.7976931348623157e308)
MAX_EXACT_BITS: Final = 53

WELL_FORMED: Final = st.characters(codec="utf-8")
VISIBLE: Final = st.characters(codec="utf-8", exclude_categories=["Z", "Cc"])


def text() -> SearchStrategy[str]:
    """Any text that UTF-8 can hold."""
    return st.one_of(st.text(WELL_FORMED, max_size=8), st.sampled_from(AWKWARD_TEXT))


def strings(node: Schema) -> SearchStrategy[str]:
    """Text inside the bounds of a string schema."""
    if "x-kiln-max-utf8-bytes" in node:
        return identities(node["x-kiln-max-utf8-bytes"])
    if "pattern" in node:
        return st.from_regex(ecma_pattern(node["pattern"]))
    least, most = node.get("minLength", 0), node.get("maxLength", 256)
    bounds = st.sampled_from(("x" * least, "x" * most, "\U0001f600" * most))
    return st.one_of(text().filter(lambda value: within_length(node, value)), bounds)


def ecma_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of the contract in its ECMA meaning: a final `$` does not match before a trailing newline."""
    return re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)


def within_length(node: Schema, value: str) -> bool:
    """Whether text has a length, in code points, that a string schema allows."""
    return _lies_between(len(value), node.get("minLength"), node.get("maxLength"))


def identities(max_bytes: int) -> SearchStrategy[str]:
    """Text that names something: trimmed, free of control characters, within a number of UTF-8 bytes."""
    inner = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=8)
    short = st.builds("{}{}{}".format, VISIBLE, inner, VISIBLE)
    return st.one_of(VISIBLE, short, st.sampled_from(("x" * max_bytes, "é" * (max_bytes // 2))))


def digests() -> SearchStrategy[str]:
    """SHA-256 digests as the contract writes them; much faster to draw than digit by digit."""
    digest = st.binary(max_size=2).map(lambda seed: hashlib.sha256(seed).hexdigest())
    return st.one_of(digest, st.sampled_from(("0" * 64, "f" * 64))).map("sha256:{}".format)


def plain_names() -> SearchStrategy[str]:
    """Names of adapters: no path, no control character, never empty."""
    inner = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="/\\"), max_size=8)
    return inner.map(lambda name: name.replace("..", "._") if name not in ("", ".") else "adapter.v1")


def integers(node: Schema) -> SearchStrategy[Any]:
    """Integers inside the bounds of a schema, now and then in float notation."""
    least, most = node.get("minimum"), node.get("maximum")
    ends = [end + step for end in (least, most) if end is not None for step in (-1, 0, 1)]
    inside = [value for value in (*ends, *AWKWARD_INTEGERS) if _lies_between(value, least, most)]
    exact = st.one_of(st.integers(least, most), st.sampled_from(inside), st.integers(least, most))
    return st.one_of(exact, exact, exact, exact, exact.map(in_float_notation))


def in_float_notation(value: int) -> int | float:
    """The same integer as a float, where the float's shortest text is that integer too."""
    return float(value) if value.bit_length() <= MAX_EXACT_BITS else value


def spellings(const: Any) -> list[Any]:
    """The values that JSON Schema counts as equal to a constant: 1 and 1.0 are."""
    return [const, float(const)] if const.__class__ is int else [const]


def numbers(node: Schema) -> SearchStrategy[Any]:
    """Finite numbers inside the bounds of a schema, integers among them."""
    least, most = node.get("minimum", node.get("exclusiveMinimum")), node.get("maximum")
    inside = [value for value in (*AWKWARD_FLOATS, least, most, -(2**64), 2**64) if _is_within(node, value)]
    drawn = st.floats(least, most, exclude_min="exclusiveMinimum" in node, allow_nan=False, allow_infinity=False)
    whole = st.integers(None if least is None else math.ceil(least), None if most is None else math.floor(most))
    return st.one_of(drawn, st.sampled_from(inside), whole.filter(lambda value: _is_within(node, value)))


def is_scalar(node: Schema) -> bool:
    """Whether a schema describes scalars, of one type or listed one by one."""
    return "const" in node or "enum" in node or node.get("type") in _SCALARS


def scalars(node: Schema) -> SearchStrategy[Any]:
    """The strategy of a scalar schema."""
    if "const" in node:
        return st.sampled_from(spellings(node["const"]))
    if "enum" in node:
        return st.sampled_from(node["enum"])
    return _SCALARS[node["type"]](node)


_SCALARS: Final[dict[Any, Callable[[Schema], SearchStrategy[Any]]]] = {
    "null": lambda _: st.none(),
    "boolean": lambda _: st.booleans(),
    "integer": integers,
    "number": numbers,
    "string": strings,
}


def _is_within(node: Schema, value: float | None) -> bool:
    if value is None or value == node.get("exclusiveMinimum"):
        return False
    return _lies_between(value, node.get("minimum", node.get("exclusiveMinimum")), node.get("maximum"))


def _lies_between(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
