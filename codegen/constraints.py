"""Every constraint of the schemas, one for each occurrence of a validating keyword, and which of them others imply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from codegen.model import ANNOTATIONS, PREFIX, Contract, Location

LISTED: Final = frozenset({"enum", "required", "allOf", "anyOf", "oneOf"})
"""Keywords whose entries are constraints of their own."""

NESTED: Final = frozenset({"items", "propertyNames", "additionalProperties", "not", "if", "then", "else"})
"""Keywords that hold one schema."""


def constraints(contract: Contract) -> dict[str | None, list[str]]:
    """References to all constraints by the definition that holds them; None stands for the main schema's root."""
    main, _ = contract.sources
    root = {key: value for key, value in main.document.items() if key != "$defs"}
    found: dict[str | None, list[str]] = {None: list(_of(root, Location(main.file, "")))}
    for source in contract.sources:
        for name in source.document["$defs"]:
            at = Location(source.file, f"/$defs/{name}")
            found[PREFIX[source.file] + name] = list(_of(source.document["$defs"][name], at))
    return found


def _of(schema: dict[str, Any], at: Location) -> Iterator[str]:
    for keyword, value in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword == "properties":
            yield from _properties(schema, value, at.child(keyword))
        elif keyword in NESTED and isinstance(value, dict):
            yield from _nested(value, at.child(keyword))
        else:
            yield at.child(keyword).ref
            yield from _entries(keyword, value, at.child(keyword))


def _entries(keyword: str, value: Any, at: Location) -> Iterator[str]:
    if keyword in LISTED or (keyword == "type" and isinstance(value, list)):
        for index, entry in enumerate(value):
            yield at.child(index).ref
            if isinstance(entry, dict):
                yield from _of(entry, at.child(index))


def _properties(schema: dict[str, Any], members: dict[str, Any], at: Location) -> Iterator[str]:
    closed = False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
    for name, value in members.items():
        if closed and not (value.keys() - ANNOTATIONS):
            # It accepts any value, and yet it counts: without it the name would be unknown.
            yield at.child(name).ref
        yield from _nested(value, at.child(name))


def _nested(schema: dict[str, Any], at: Location) -> Iterator[str]:
    """A schema and what is in it; one that accepts everything is no constraint."""
    inner = list(_of(schema, at))
    if inner:
        yield at.ref
        yield from inner
