"""One mistake at one place of a document, for every keyword of the schemas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from kiln_contract.strategies.definition import (
    Schema,
    accepts_type,
    is_closed,
    is_tagged,
    members,
    required,
    resolve,
    type_of,
)
from kiln_contract.strategies.scalar import ecma_pattern, within_length
from kiln_contract.strategies.site import Path, Site

STRANGER: Final = "no_such_member"
ONE_OF_EACH: Final[tuple[Any, ...]] = (None, True, False, 0, 1, 16.5, "1", "", [], {})
TOO_LONG_TO_WRITE: Final = 5000


class Mistake(NamedTuple):
    """A value to put in place of a good one, and the violation that must follow: its rule, and its path below there."""

    rule: str
    what: str
    value: Any
    path: Path = ()


Mistakes = Iterator[Mistake]


def mistakes(site: Site) -> Mistakes:
    """Everything that the schema at one place can be broken by, one keyword at a time."""
    for mistake in (*_wrong_types(site), *_broken_keywords(site.inner, site.value)):
        # Without its constant no branch of a union can be meant.
        yield mistake._replace(rule="schema.oneOf") if site.selector else mistake
    if isinstance(site.value, dict):
        yield from _wrong_members(site.inner, site.value)
    if site.inner.get("type") == "number" and "maximum" not in site.inner:
        yield Mistake("number.finite", "writes a number that no double holds", 10**400)


def _broken_keywords(node: Schema, value: Any) -> Mistakes:
    for keyword, broken in _BREAKERS.items():
        if keyword in node:
            yield from broken(node, value)


def _wrong_types(site: Site) -> Mistakes:
    rule = _type_rule(resolve(site.outer))
    for value in ONE_OF_EACH:
        if not accepts_type(site.outer, value):
            yield Mistake(rule, f"puts {type_of(value)} {value!r} in place of {type_of(site.value)}", value)


def _type_rule(node: Schema) -> str:
    branches = [resolve(branch) for branch in node.get("oneOf", ())]
    typed = [branch for branch in branches if branch.get("type") != "null"]
    if len(typed) == 1:
        return _type_rule(typed[0])
    if typed and not is_tagged(node):
        return "schema.oneOf"
    return "schema.const" if "const" in node else "schema.type"


def _wrong_members(node: Schema, value: dict[str, Any]) -> Mistakes:
    for name in required(node):
        rest = {key: member for key, member in value.items() if key != name}
        yield Mistake("schema.required", f"leaves out {name}", rest)
    if is_closed(node) and STRANGER not in members(node):
        keyword = "unevaluatedProperties" if "unevaluatedProperties" in node else "additionalProperties"
        yield Mistake(f"schema.{keyword}", "adds an unknown member", {**value, STRANGER: None}, (STRANGER,))


def _minimum(node: Schema, _: Any) -> Mistakes:
    yield Mistake("schema.minimum", "goes one step below the minimum", _step(node, node["minimum"], -1))


def _maximum(node: Schema, _: Any) -> Mistakes:
    yield Mistake("schema.maximum", "goes one step above the maximum", _step(node, node["maximum"], 1))


def _exclusive_minimum(node: Schema, _: Any) -> Mistakes:
    yield Mistake("schema.exclusiveMinimum", "takes the excluded minimum", node["exclusiveMinimum"])


def _step(node: Schema, limit: float, direction: int) -> float:
    return limit + direction if node["type"] == "integer" else math.nextafter(limit, direction * math.inf)


def _min_length(node: Schema, _: Any) -> Mistakes:
    yield Mistake("schema.minLength", "is one character too short", "x" * (node["minLength"] - 1))


def _max_length(node: Schema, _: Any) -> Mistakes:
    yield Mistake("schema.maxLength", "is one character too long", "\U0001f600" * (node["maxLength"] + 1))


def _pattern(node: Schema, value: str) -> Mistakes:
    pattern = ecma_pattern(node["pattern"])
    for text in (f"{value}\n", f"\n{value}", f"x{value}", f"{value}\x00", value.upper(), value[:-1]):
        if not pattern.search(text) and within_length(node, text):
            yield Mistake("schema.pattern", "does not match the pattern", text)


def _utf8_bytes(node: Schema, _: Any) -> Mistakes:
    limit = node["x-kiln-max-utf8-bytes"]
    yield Mistake("identity-text", "has white space at its end", "x ")
    yield Mistake("identity-text", "holds a C1 control character", "a\x85b")
    yield Mistake("identity-text", "takes one byte too many", "é" * (limit // 2) + "x")


def _min_items(node: Schema, value: list[Any]) -> Mistakes:
    yield Mistake("schema.minItems", "has one item too few", value[: node["minItems"] - 1])


def _max_items(node: Schema, value: list[Any]) -> Mistakes:
    if value and node["maxItems"] < TOO_LONG_TO_WRITE:
        yield Mistake("schema.maxItems", "has one item too many", value[:1] * (node["maxItems"] + 1))


def _max_properties(node: Schema, _: Any) -> Mistakes:
    crowd = dict.fromkeys(map(str, range(node["maxProperties"] + 1)))
    yield Mistake("schema.maxProperties", "has one member too many", crowd)


def _property_names(node: Schema, value: dict[str, Any]) -> Mistakes:
    for name, member in list(value.items())[:1]:
        for mistake in _broken_keywords(node["propertyNames"], name):
            yield mistake._replace(value={**value, mistake.value: member}, path=(mistake.value,))


def _enum(_: Schema, value: Any) -> Mistakes:
    yield Mistake("schema.enum", "is not in the list", f"{value}\n")


def _const(node: Schema, _: Any) -> Mistakes:
    const = node["const"]
    other = f"{const}\n" if isinstance(const, str) else (not const if isinstance(const, bool) else const + 1)
    yield Mistake("schema.const", "is another value than the constant", other)


_BREAKERS: Final[dict[str, Callable[[Schema, Any], Mistakes]]] = {
    "const": _const,
    "enum": _enum,
    "exclusiveMinimum": _exclusive_minimum,
    "maxItems": _max_items,
    "maxLength": _max_length,
    "maxProperties": _max_properties,
    "maximum": _maximum,
    "minItems": _min_items,
    "minLength": _min_length,
    "minimum": _minimum,
    "pattern": _pattern,
    "propertyNames": _property_names,
    "x-kiln-max-utf8-bytes": _utf8_bytes,
}
