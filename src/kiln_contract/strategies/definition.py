"""The schemas as the strategies read them: every `$ref` names the definition that it points to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from kiln_contract.number import is_integer, is_number
from kiln_contract.schema import schema

Schema = dict[str, Any]

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


@cache
def definition(name: str) -> Schema:
    """The schema of one definition; shared, so leave it as it is. Raises LookupError for an unknown definition."""
    named: Schema = _name_refs(schema(name), name.rpartition(".")[0])
    return named


def resolve(node: Schema) -> Schema:
    """Follow `$ref` to the schema that it names."""
    while "$ref" in node:
        node = definition(node["$ref"])
    return node


def layers(node: Schema) -> Iterator[Schema]:
    """The schemas that together describe an object: the bases of its `allOf` first, itself last."""
    for base in node.get("allOf", ()):
        if "$ref" in base:
            yield from layers(resolve(base))
    yield node


def members(node: Schema) -> dict[str, Schema]:
    """The declared members of an object schema."""
    return {name: member for layer in layers(node) for name, member in layer.get("properties", {}).items()}


def required(node: Schema) -> list[str]:
    """Names of the members that an object must have."""
    return [name for layer in layers(node) for name in layer.get("required", ())]


def is_closed(node: Schema) -> bool:
    """Whether an object schema refuses members that it does not declare."""
    return node.get("additionalProperties") is False or node.get("unevaluatedProperties") is False


def is_tagged(node: Schema) -> bool:
    """Whether a schema is a union of objects, which constants tell apart."""
    branches = [resolve(branch) for branch in node.get("oneOf", ())]
    return bool(branches) and all(branch.get("type") == "object" for branch in branches)


def types_of(node: Schema) -> frozenset[str]:
    """The JSON types a schema lets through; all of them for an open one."""
    node = resolve(node)
    if "oneOf" in node:
        return frozenset().union(*map(types_of, node["oneOf"]))
    if "const" in node:
        return frozenset({type_of(node["const"])})
    named = node.get("type", TYPES)
    return frozenset((named,) if isinstance(named, str) else named)


def is_open(node: Schema) -> bool:
    """Whether a schema accepts every JSON value."""
    return types_of(node) == frozenset(TYPES) and "enum" not in resolve(node)


def type_of(value: Any) -> str:
    """The narrowest JSON type of a value: `16.0` is an integer."""
    if is_number(value):
        return "integer" if is_integer(value) else "number"
    return next(name for name, class_ in _CLASSES.items() if value.__class__ is class_)


def accepts_type(node: Schema, value: Any) -> bool:
    """Whether a schema lets the value's JSON type through."""
    narrow = type_of(value)
    return not types_of(node).isdisjoint({narrow, "number"} if narrow == "integer" else {narrow})


_CLASSES: Final = {"null": type(None), "boolean": bool, "string": str, "array": list, "object": dict}


def _name_refs(node: Any, scope: str) -> Any:
    if isinstance(node, list):
        return [_name_refs(item, scope) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _named(item, scope) if key == "$ref" else _name_refs(item, scope) for key, item in node.items()}


def _named(ref: str, scope: str) -> str:
    file, _, pointer = ref.partition("#")
    prefix = "thinking_budget" if file.startswith("thinking-budget") else scope
    name = pointer.rpartition("/")[2]
    return f"{prefix}.{name}" if prefix else name
