"""What a violated keyword means for the person who has to mend the document."""

from __future__ import annotations

import json
from typing import Any, Final

from codegen.model import ABSENT, Contract, Node

_NOUNS: Final = {
    "null": "null",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


def describe(contract: Contract, node: Node, *, nullable: bool = False) -> str:
    """What a conforming value is, in a few words: `an integer from 0 to 256, or null`."""
    node = contract.resolve(node)
    if node.one_of:
        parts = dict.fromkeys(describe(contract, sub) for sub in node.one_of)
        return " or ".join(sorted(parts, key=lambda part: part == "null"))
    if node.const is not ABSENT:
        text = literal(node.const)
    elif node.enum:
        text = one_of(node.enum)
    elif node.types:
        text = " or ".join(_NOUNS[name] for name in node.types) + value_range(node)
    else:
        text = "any JSON value"
    return f"{text}, or null" if nullable else text


def value_range(node: Node) -> str:
    """The numeric range of a node, with a leading space, or nothing."""
    if node.exclusive_minimum is not None:
        return f" above {node.exclusive_minimum}"
    match node.minimum, node.maximum:
        case None, None:
            return ""
        case low, None:
            return f", at least {low}"
        case None, high:
            return f", at most {high}"
        case low, high:
            return f" from {low} to {high}"
    raise AssertionError(node)


def one_of(values: tuple[Any, ...]) -> str:
    """A list of allowed values."""
    return "one of " + ", ".join(literal(value) for value in values)


def literal(value: Any) -> str:
    """A JSON value as it stands in a document."""
    return json.dumps(value, ensure_ascii=False)


def count(number: int | None, noun: str) -> str:
    """A number with its noun in the right form."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
