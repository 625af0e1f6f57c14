"""Cheap expressions that judge a value inline, and the constants that the collector's code shares."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.model import ABSENT, Contract, Node
from codegen.naming import class_name, is_object
from codegen.patterns import python_pattern


class Constants:
    """Values that several functions of a module need, each under one name."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, prefix: str, value: str) -> str:
        """The name of a constant whose value is this expression."""
        return self._names.setdefault(value, f"{prefix}{len(self._names)}")

    def enum(self, node: Node) -> str:
        """The set of a node's allowed values."""
        return self.name("E", f"frozenset({set_literal(node.enum)})")

    def pattern(self, pattern: str) -> str:
        """A search function for a pattern."""
        return self.name("P", f"re.compile({python_pattern(pattern)!r}).search")

    def render(self) -> str:
        """The assignments, in the order in which the constants were asked for."""
        return "\n".join(f"{name}: Final = {value}" for value, name in self._names.items())


class InlineTests:
    """Renders a schema as an expression that is true only for values that conform; empty when no cheap one exists."""

    def __init__(self, contract: Contract, constants: Constants) -> None:
        self._contract = contract
        self._constants = constants

    def test(self, node: Node, x: str) -> str:
        """The expression for a value that is called `x` in the code."""
        if node.ref is not None and is_struct(self._contract, node):
            return f"settled({x}, structs.{class_name(node.ref)}, c)"
        node = self._contract.resolve(node)
        if node.max_utf8_bytes is not None or node.is_any:
            return ""
        if node.one_of:
            return " or ".join(filter(None, (self.test(sub, x) for sub in node.one_of)))
        if node.const is not ABSENT:
            return equals(node.const, x)
        match node.types:
            case ("null",):
                return f"{x} is None"
            case ("boolean",):
                return f"{x}.__class__ is bool"
            case ("integer",):
                return " and ".join([f"{x}.__class__ is int", *_range(node, x)])
            case ("number",):
                low = "-INF <" if node.minimum is None else f"{node.minimum!r} <="
                if node.exclusive_minimum is not None:
                    low = f"{node.exclusive_minimum!r} <"
                high = "< INF" if node.maximum is None else f"<= {node.maximum!r}"
                return f"{x}.__class__ is float and {low} {x} {high}"
            case ("string",):
                return " and ".join([f"{x}.__class__ is str", *self._text(node, x)])
            case _ if node.enum:
                return f"({has_type(node, x)}) and {x} in {self._constants.enum(node)}"
        return ""

    def _text(self, node: Node, x: str) -> Iterator[str]:
        if node.enum:
            yield f"{x} in {self._constants.enum(node)}"
        if node.min_length is not None:
            yield f"len({x}) >= {node.min_length}"
        if node.max_length is not None:
            yield f"len({x}) <= {node.max_length}"
        if node.pattern is not None:
            yield f"{self._constants.pattern(node.pattern)}({x})"


def is_struct(contract: Contract, node: Node) -> bool:
    """Whether a schema refers to a definition that is a Struct."""
    return node.ref is not None and is_object(contract, contract.definitions[node.ref])


def has_type(node: Node, x: str) -> str:
    """An expression for the types of a scalar that may have several."""
    python = {"string": "str", "boolean": "bool"}
    return " or ".join(f"{x} is None" if t == "null" else f"{x}.__class__ is {python[t]}" for t in node.types)


def _range(node: Node, x: str) -> list[str]:
    bounds = ((">=", node.minimum), (">", node.exclusive_minimum), ("<=", node.maximum))
    return [f"{x} {sign} {bound!r}" for sign, bound in bounds if bound is not None]


def equals(const: object, x: str) -> str:
    """An expression for equality with a constant, in the sense of JSON: `true` is not 1."""
    if isinstance(const, bool) or const is None:
        return f"{x} is {const!r}"
    if isinstance(const, str):
        return f"{x} == {const!r}"
    return f"{x}.__class__ is not bool and {x} == {const!r}"


def set_literal(values: tuple[object, ...]) -> str:
    """A set display in schema order, so that the generated text is stable."""
    return "{" + ", ".join(repr(value) for value in values) + "}"
