"""Values of the wrong type for a schema node, and the rule that refuses them."""

from __future__ import annotations

from typing import Any, Final

from codegen.model import ABSENT, Contract, Node
from codegen.naming import tag_of

Misfit = tuple[Any, str]
"""A value, and the rule that a validator must name for it."""

TRAPS: Final[dict[str, tuple[Any, ...]]] = {
    "null": (0, False, ""),
    "boolean": (None, 1, "true"),
    "integer": (None, 0.5, True, "0"),
    "number": (None, True, "0"),
    "string": (None, 7),
    "array": (None, {}),
    "object": (None, []),
}
"""What careless readers take for each type."""

ANYTHING: Final[tuple[Any, ...]] = (None, 7, True, "text", {}, [])


def misfits(contract: Contract, node: Node) -> tuple[Misfit, ...]:
    """Values that fit a node in no way, with the rule of the keyword that says so; empty for an opaque node."""
    node = contract.resolve(node)
    if node.const is not ABSENT:
        return tuple((value, "schema.const") for value in _beside(node.const))
    if node.one_of and tag_of(contract, node) is None:
        return _outside(contract, node)
    types = types_of(contract, node)
    if not types:
        return ()
    return tuple((value, "schema.type") for value in TRAPS[types[0]] if types.isdisjoint(json_types(value)))


def types_of(contract: Contract, node: Node) -> _Types:
    """The JSON types that a node admits, in schema order; for an object made of others, theirs."""
    node = contract.resolve(node)
    inner = (*node.one_of, *(base for base in node.all_of if base.ref is not None))
    own = json_types(node.const) if node.const is not ABSENT else node.types
    return _Types(own or [name for sub in inner for name in types_of(contract, sub)])


def json_types(value: Any) -> set[str]:
    """The JSON Schema types of a value."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
    return {"object"}


class _Types(tuple[str, ...]):
    __slots__ = ()

    def isdisjoint(self, names: set[str]) -> bool:
        return names.isdisjoint(self)


def _beside(const: Any) -> tuple[Any, ...]:
    """Near misses of a constant: in its own type where it has others, then what a loose comparison takes for it."""
    match const:
        case bool():
            return (not const, int(const), None)
        case int():
            return (const + 1, True, None)
    return (f"not.{const}", None)


def _outside(contract: Contract, node: Node) -> tuple[Misfit, ...]:
    """Misfits of a union: those of its only branch beside null, or else what no branch takes."""
    types = types_of(contract, node)
    branches = [sub for sub in node.one_of if contract.resolve(sub).types != ("null",)]
    if len(branches) == 1:
        return tuple((value, rule) for value, rule in misfits(contract, branches[0]) if value is not None)
    return tuple((value, "schema.oneOf") for value in ANYTHING if types.isdisjoint(json_types(value)))
