"""Render the definitions as msgspec Structs and type aliases."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from codegen.members import Member, is_closed, members
from codegen.model import ABSENT, Contract, Node, SchemaError
from codegen.naming import class_name, dependency_order, is_object, reachable
from codegen.patterns import python_pattern

INT64_MAX = 2**63 - 1
"""msgspec cannot hold a bound beyond int64; larger ones become a generated check."""


def render_structs(contract: Contract) -> str:
    """The module of public types: one Struct or alias a definition, in dependency order."""
    blocks = [_definition(contract, name) for name in dependency_order(contract)]
    imports = (
        "from typing import Annotated, Any, Final, Literal\n\nfrom msgspec import UNSET, Meta, Struct, UnsetType\n"
    )
    table = ",\n".join(f'    "{name}": {class_name(name)}' for name in contract.definitions)
    public = ", ".join(f'"{name}"' for name in sorted(["DEFINITIONS", *map(class_name, contract.definitions)]))
    return "\n\n".join(
        [imports, f"__all__ = [{public}]", *blocks, f"DEFINITIONS: Final[dict[str, Any]] = {{\n{table},\n}}\n"]
    )


def render_raw(contract: Contract) -> str:
    """The module of `opaque="raw"` types: subclasses whose opaque members keep their JSON text."""
    opaque = opaque_definitions(contract)
    names = [
        name
        for name in dependency_order(contract)
        if name in opaque and is_object(contract, contract.definitions[name])
    ]
    renderer = TypeRenderer(contract, opaque)
    blocks = []
    for name in names:
        node = contract.definitions[name]
        head = f"class {class_name(name)}(structs.{class_name(name)}, {_options(contract, node)}):"
        fields = [_field(renderer, member) for member in members(contract, node)]
        blocks.append(head + "\n" + textwrap.indent("\n".join(fields), "    "))
    imports = (
        "from typing import Annotated, Any, Final, Literal\n\nfrom msgspec import UNSET, Meta, Raw, UnsetType\n\n"
        "from kiln_contract._generated import structs\n"
    )
    table = ",\n".join(f"    structs.{class_name(name)}: {class_name(name)}" for name in names)
    return "\n\n".join([imports, *blocks, f"RAW: Final[dict[Any, Any]] = {{\n{table},\n}}\n"])


def opaque_definitions(contract: Contract) -> frozenset[str]:
    """Names of the definitions that hold opaque JSON, directly or through others."""
    direct = {name for name, node in contract.definitions.items() if _holds_opaque(node)}
    return frozenset(
        name for name, node in contract.definitions.items() if name in direct or reachable(contract, node) & direct
    )


def _holds_opaque(node: Node) -> bool:
    subs = [*node.properties.values(), *node.one_of, node.items, node.additional]
    return any(isinstance(sub, Node) and (sub.is_any or _holds_opaque(sub)) for sub in subs)


def _definition(contract: Contract, name: str) -> str:
    node = contract.definitions[name]
    if not is_object(contract, node):
        alias = TypeRenderer(contract).type_of(node)
        return f"{class_name(name)} = {alias}\n{_docstring(node.description)}"
    renderer = TypeRenderer(contract)
    fields = [_field(renderer, member) for member in members(contract, node)]
    head = f"class {class_name(name)}(Struct, {_options(contract, node)}):"
    return head + "\n" + textwrap.indent("\n".join([_docstring(node.description), "", *fields]), "    ")


def _docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\")
    return "\n".join(textwrap.wrap(f'"""{escaped}"""', 108, break_long_words=False))


def _options(contract: Contract, node: Node) -> str:
    options = ["kw_only=True"]
    if is_closed(contract, node):
        options.append("forbid_unknown_fields=True")
    # A document is a tree, so the cycle collector has nothing to find in it: one that is put inside itself in Python
    # cannot be encoded either. Leaving Structs out makes small requests and long arrays cheaper.
    options.append("gc=False")
    return ", ".join(options)


def _field(renderer: TypeRenderer, member: Member) -> str:
    rendered = renderer.union([renderer.type_of(node) for node in member.nodes])
    if member.required:
        return f"{member.name}: {rendered}"
    return f"{member.name}: {renderer.union([rendered, 'UnsetType'])} = UNSET"


class TypeRenderer:
    """Renders a schema as a Python type; with `raw`, opaque values become `Raw` and raw definitions are local."""

    def __init__(self, contract: Contract, raw: frozenset[str] | None = None) -> None:
        self.contract = contract
        self.raw = raw
        self.opaque = "Any" if raw is None else "Raw"

    def type_of(self, node: Node) -> str:
        if node.is_any:
            return self.opaque
        if node.ref is not None:
            return self._reference(node.ref)
        if node.const is not ABSENT:
            return f"Literal[{node.const!r}]"
        if node.enum:
            return f"Literal[{', '.join(repr(value) for value in node.enum)}]"
        if node.one_of:
            return self.union([self.type_of(sub) for sub in node.one_of])
        if len(node.types) != 1:
            raise SchemaError(f"{node.at.ref}: cannot render this schema as one Python type")
        return self._annotate(self._plain(node), _meta(node))

    def union(self, parts: Sequence[str]) -> str:
        """Join types; `None` and `UnsetType` come last, and `Any` or `Raw` absorb everything but `UnsetType`."""
        flat = list(dict.fromkeys(piece for part in parts for piece in _split(part)))
        if self.opaque in flat:
            # msgspec allows neither inside a union with anything but UnsetType.
            flat = [piece for piece in flat if piece in (self.opaque, "UnsetType")]
        literals = [piece for piece in flat if piece.startswith("Literal[")]
        if len(literals) > 1:
            merged = "Literal[" + ", ".join(piece[8:-1] for piece in literals) + "]"
            flat = [merged, *(piece for piece in flat if piece not in literals)]
        return " | ".join(
            sorted(
                flat, key=lambda piece: ("None", "UnsetType").index(piece) + 1 if piece in ("None", "UnsetType") else 0
            )
        )

    def _reference(self, name: str) -> str:
        node = self.contract.definitions[name]
        if self.raw is None:
            return class_name(name)
        if not is_object(self.contract, node):
            return self.type_of(node) if name in self.raw else f"structs.{class_name(name)}"
        return class_name(name) if name in self.raw else f"structs.{class_name(name)}"

    def _plain(self, node: Node) -> str:
        match node.types[0]:
            case "null":
                return "None"
            case "boolean":
                return "bool"
            case "integer":
                return "int"
            case "number":
                return "float"
            case "string":
                return "str"
            case "array":
                return f"list[{self.type_of(node.items) if node.items else self.opaque}]"
            case "object":
                values = self.type_of(node.additional) if isinstance(node.additional, Node) else self.opaque
                return f"dict[{self._keys(node)}, {values}]"
        raise SchemaError(f"{node.at.ref}: unknown type {node.types[0]!r}")

    def _keys(self, node: Node) -> str:
        return self._annotate("str", _meta(node.property_names)) if node.property_names else "str"

    @staticmethod
    def _annotate(plain: str, meta: list[str]) -> str:
        return f"Annotated[{plain}, Meta({', '.join(meta)})]" if meta else plain


def _meta(node: Node) -> list[str]:
    bounds = {
        "ge": node.minimum,
        "gt": node.exclusive_minimum,
        "le": node.maximum if node.maximum is None or node.maximum <= INT64_MAX else None,
        "min_length": node.min_items if node.min_length is None else node.min_length,
        "max_length": next((m for m in (node.max_length, node.max_items, node.max_properties) if m is not None), None),
    }
    meta = [f"{name}={value!r}" for name, value in bounds.items() if value is not None]
    if node.pattern is not None:
        meta.append(f"pattern={python_pattern(node.pattern)!r}")
    return meta


def _split(rendered: str) -> list[str]:
    """Split a rendered union at its top level."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(rendered):
        depth += (char in "[(") - (char in "])")
        if depth == 0 and rendered.startswith(" | ", i):
            parts.append(rendered[start:i])
            start = i + 3
    return [*parts, rendered[start:]]
