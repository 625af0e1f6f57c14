"""Schemas as Python expressions: does a value conform? Over decoded JSON, or over Structs that are already typed.

Used for the conditional rules (`if`, `not`, `anyOf`), which need a verdict and no violations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from codegen.members import required_names
from codegen.model import ABSENT, Contract, Node, SchemaError

_PYTHON_TYPES: Final = {"null": None, "boolean": "bool", "string": "str", "array": "list", "object": "dict"}


class JsonView:
    """Members of a decoded JSON object; an absent one reads as the marker `M`."""

    missing = "M"
    integer = "is_integer({0})"
    number = "is_number({0})"

    def has(self, name: str) -> str:
        return f"{name!r} in v"

    def lacks(self, name: str) -> str:
        return f"{name!r} not in v"

    def get(self, name: str) -> str:
        return f"v.get({name!r}, M)"


class StructView:
    """Members of a Struct; an absent one reads as UNSET."""

    missing = "UNSET"
    integer = "{0}.__class__ is int"
    number = "{0}.__class__ is float"

    def has(self, name: str) -> str:
        return f"o.{name} is not UNSET"

    def lacks(self, name: str) -> str:
        return f"o.{name} is UNSET"

    def get(self, name: str) -> str:
        return f"o.{name}"


View = JsonView | StructView


@dataclass(frozen=True, slots=True)
class Condition:
    """One object-level rule: it is broken when `guard` (if there is one) and `breaks` are both true."""

    node: Node
    keyword: str
    guard: str | None
    breaks: str
    members: tuple[str, ...] = ()
    """Members whose values decide; when one of them is violated already, this rule adds nothing."""


class Predicates:
    """Renders schemas as expressions over one view of an object."""

    def __init__(self, contract: Contract, view: View) -> None:
        self.contract = contract
        self.view = view
        self.given: set[str] = set()
        """Members that are always present in the object at hand."""

    def conditions(self, node: Node) -> Iterator[Condition]:
        """The object-level rules of a definition, in schema order; each one stands for one cause."""
        # A decoded Struct has its required members; a JSON object may lack them, which is a violation of its own.
        self.given = required_names(self.contract, node) if isinstance(self.view, StructView) else set()
        for sub in node.all_of:
            if sub.ref is None:
                yield from self._inner(sub)
        if node.any_of:
            yield Condition(node, "anyOf", None, f"not ({self._any_of(node)})")

    def _inner(self, node: Node) -> Iterator[Condition]:
        if node.not_ is not None:
            yield Condition(node.not_, "not", None, self.holds(node.not_))
        if node.if_ is not None:
            guard = self.holds(node.if_)
            deciding = tuple(node.if_.properties)
            branches = ((node.then, "then", guard), (node.else_, "else", f"not ({guard})"))
            for branch, keyword, test in branches:
                if branch is not None:
                    yield from (
                        replace(found, members=(*found.members, *deciding))
                        for found in self._branch(branch, keyword, test)
                    )

    def _branch(self, node: Node, keyword: str, guard: str) -> Iterator[Condition]:
        for name in node.required:
            # Each member stands for itself, so that two missing ones are two causes.
            yield Condition(_required_one(node, name), keyword, guard, self.view.lacks(name))
        for name, sub in node.properties.items():
            value = self.view.get(name)
            present = "" if name in self.given else f"{value} is not {self.view.missing} and "
            yield Condition(sub, keyword, guard, f"{present}not ({self.value(sub, value)})", (name,))
        if node.not_ is not None:
            yield Condition(node.not_, keyword, guard, self.holds(node.not_))
        for sub in node.all_of:
            for inner in self._inner(sub):
                both = guard if inner.guard is None else f"({guard}) and ({inner.guard})"
                yield replace(inner, guard=both)

    def holds(self, node: Node) -> str:
        """An object-level schema of `required`, `properties` and `anyOf` as an expression."""
        if node.any_of:
            return self._any_of(node)
        typed = {name: self.value(sub, self.view.get(name)) for name, sub in node.properties.items()}
        # A typed test fails on an absent member, so `required` adds nothing to it.
        parts = [self.view.has(name) for name in node.required if name not in typed]
        parts += [
            test if name in node.required else f"({self.view.get(name)} is {self.view.missing} or {test})"
            for name, test in typed.items()
        ]
        if not parts:
            raise SchemaError(f"{node.at.ref}: an empty condition always holds")
        return " and ".join(parts)

    def _any_of(self, node: Node) -> str:
        return " or ".join(f"({self.holds(sub)})" for sub in node.any_of)

    def value(self, node: Node, expression: str) -> str:
        """Whether one value conforms to a schema of scalars; false for an absent member."""
        node = self.contract.resolve(node)
        if node.const is not ABSENT:
            return self._equals(node.const, expression)
        if node.enum:
            return f"{expression} in {node.enum!r}"
        if node.one_of:
            return "(" + " or ".join(self.value(sub, expression) for sub in node.one_of) + ")"
        if len(node.types) != 1:
            raise SchemaError(f"{node.at.ref}: a condition needs one type, a constant or an enum")
        return " and ".join([self._typed(node.types[0], expression), *_range(node, expression)])

    def _typed(self, name: str, expression: str) -> str:
        if name == "integer":
            return self.view.integer.format(expression)
        if name == "number":
            return self.view.number.format(expression)
        python = _PYTHON_TYPES[name]
        return f"{expression} is None" if python is None else f"{expression}.__class__ is {python}"

    def _equals(self, const: Any, expression: str) -> str:
        if isinstance(const, bool) or const is None:
            return f"{expression} is {const!r}"
        if isinstance(const, str):
            return f"{expression} == {const!r}"
        return f"({expression} == {const!r} and {expression}.__class__ is not bool)"


def _range(node: Node, expression: str) -> list[str]:
    bounds = ((">=", node.minimum), (">", node.exclusive_minimum), ("<=", node.maximum))
    return [f"{expression} {sign} {bound!r}" for sign, bound in bounds if bound is not None]


def _required_one(node: Node, name: str) -> Node:
    """A stand-in for one entry of `required`, at that entry's place."""
    return Node(at=node.at.child("required", node.required.index(name)))
