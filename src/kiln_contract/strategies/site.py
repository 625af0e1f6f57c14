"""Places in a document, each with the schema that holds there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kiln_contract.strategies.definition import Schema, accepts_type, definition, is_open, is_tagged, members, resolve

Path = tuple[str | int, ...]


class Site(NamedTuple):
    """A value in a document. `outer` is the schema that it must meet, `inner` the branch of it that it does meet.

    `names` are the definitions that are referenced on the way from `outer` to `inner`. A `selector` is a constant that
    tells the branches of a union apart.
    """

    path: Path
    value: Any
    outer: Schema
    inner: Schema
    names: tuple[str, ...]
    selector: bool

    @property
    def place(self) -> tuple[str, ...]:
        """The same for every item of an array."""
        return tuple("*" if isinstance(key, int) else key for key in self.path)


def sites(name: str, document: Any) -> Iterator[Site]:
    """Every place of a valid document that its schema says something about; of a long array, both ends."""
    yield from _walk((), document, {"$ref": name})


def _walk(path: Path, value: Any, outer: Schema, selector: bool = False) -> Iterator[Site]:
    if is_open(outer):
        return
    inner, names, tagged = outer, [], False
    while "$ref" in inner or "oneOf" in inner:
        names += [inner["$ref"]] if "$ref" in inner else []
        tagged = tagged or is_tagged(inner)
        inner = definition(inner["$ref"]) if "$ref" in inner else _branch(inner, value)
    yield Site(path, value, outer, inner, tuple(names), selector)
    for key, member in _children(inner, value):
        yield from _walk((*path, key), value[key], member, tagged and "const" in member)


def _branch(node: Schema, value: Any) -> Schema:
    found: Schema = next(branch for branch in node["oneOf"] if _fits(resolve(branch), value))
    return found


def _fits(branch: Schema, value: Any) -> bool:
    if not accepts_type(branch, value):
        return False
    return all(value.get(name) == node["const"] for name, node in members(branch).items() if "const" in node)


def _children(node: Schema, value: Any) -> Iterator[tuple[str | int, Schema]]:
    if isinstance(value, list):
        yield from ((index, node["items"]) for index in sorted({0, 1, len(value) - 1} & set(range(len(value)))))
    elif isinstance(value, dict):
        declared, other = members(node), node.get("additionalProperties")
        for name in value:
            schema = declared.get(name, other)
            if isinstance(schema, dict):
                yield name, schema
