"""A typed model of the two schemas: every keyword the contract uses, parsed once and checked.

A keyword that this model does not know is an error, never ignored: a generator that drops a rule silently would ship a
validator that accepts too much.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

INFERENCE: Final = "kiln-inference-v1.schema.json"
THINKING: Final = "thinking-budget-v1.schema.json"
PREFIX: Final = {INFERENCE: "", THINKING: "thinking_budget."}
"""Definition names of the second schema carry this prefix, so that the two never collide."""

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda _: "ABSENT", "__bool__": lambda _: False})()

ANNOTATIONS: Final = frozenset(
    {
        "$id",
        "$schema",
        "title",
        "description",
        "default",
        "contentMediaType",
        "x-kiln-entrypoints",
        "x-kiln-event-schemas",
        "x-kiln-examples",
        "x-kiln-field-schema-status",
        "x-kiln-known-values",
        "x-kiln-max-utf8-bytes",
        "x-kiln-runtime-validation",
        "x-kiln-rust-type",
        "x-kiln-semantic-constraints",
        "x-kiln-unknown-field-policy",
        "x-kiln-unknown-value-policy",
    }
)


class SchemaError(ValueError):
    """The schema uses something the generator cannot render exactly."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in one of the schema files."""

    file: str
    pointer: str

    @property
    def ref(self) -> str:
        """How violations name this place: a bare fragment for the main schema, file and fragment for the other."""
        return f"#{self.pointer}" if self.file == INFERENCE else f"{self.file}#{self.pointer}"

    def child(self, *keys: str | int) -> Location:
        suffix = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)
        return Location(self.file, self.pointer + suffix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One schema object. Absent keywords hold ABSENT, None or an empty container."""

    at: Location
    description: str = ""
    types: tuple[str, ...] = ()
    ref: str | None = None
    const: Any = ABSENT
    enum: tuple[Any, ...] = ()
    default: Any = ABSENT
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    max_utf8_bytes: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    items: Node | None = None
    max_properties: int | None = None
    property_names: Node | None = None
    additional: Node | bool | None = None
    unevaluated: bool = True
    properties: dict[str, Node] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    all_of: tuple[Node, ...] = ()
    any_of: tuple[Node, ...] = ()
    one_of: tuple[Node, ...] = ()
    not_: Node | None = None
    if_: Node | None = None
    then: Node | None = None
    else_: Node | None = None
    semantic_constraints: tuple[str, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether unknown members are refused."""
        return self.additional is False or not self.unevaluated

    @property
    def is_any(self) -> bool:
        """Whether every JSON value conforms (an opaque value)."""
        bare = replace(self, at=_NOWHERE, description="", default=ABSENT, semantic_constraints=())
        return bare == Node(at=_NOWHERE)


_NOWHERE: Final = Location("", "")

SCALARS: Final = {
    "exclusiveMinimum": "exclusive_minimum",
    "maxItems": "max_items",
    "maxLength": "max_length",
    "maxProperties": "max_properties",
    "maximum": "maximum",
    "minItems": "min_items",
    "minLength": "min_length",
    "minimum": "minimum",
    "pattern": "pattern",
    "description": "description",
    "const": "const",
    "default": "default",
    "x-kiln-max-utf8-bytes": "max_utf8_bytes",
}
SUBSCHEMAS: Final = {
    "items": "items",
    "propertyNames": "property_names",
    "not": "not_",
    "if": "if_",
    "then": "then",
    "else": "else_",
}
LISTS: Final = {"allOf": "all_of", "anyOf": "any_of", "oneOf": "one_of"}


def parse_node(schema: dict[str, Any], at: Location) -> Node:
    """Parse one schema object and everything below it."""
    values: dict[str, Any] = {"at": at}
    for keyword, value in schema.items():
        if keyword in SCALARS:
            values[SCALARS[keyword]] = value
        elif keyword in SUBSCHEMAS:
            values[SUBSCHEMAS[keyword]] = parse_node(value, at.child(keyword))
        elif keyword in LISTS:
            values[LISTS[keyword]] = tuple(parse_node(sub, at.child(keyword, i)) for i, sub in enumerate(value))
        else:
            values.update(_parse_special(keyword, value, at))
    return Node(**values)


def _parse_special(keyword: str, value: Any, at: Location) -> dict[str, Any]:
    match keyword:
        case "type":
            return {"types": (value,) if isinstance(value, str) else tuple(value)}
        case "$ref":
            return {"ref": definition_name(value, at.file)}
        case "enum":
            return {"enum": tuple(value)}
        case "required":
            return {"required": tuple(value)}
        case "properties":
            return {"properties": {k: parse_node(v, at.child("properties", k)) for k, v in value.items()}}
        case "additionalProperties":
            return {"additional": value if isinstance(value, bool) else parse_node(value, at.child(keyword))}
        case "unevaluatedProperties" if value is False:
            return {"unevaluated": False}
        case "x-kiln-semantic-constraints":
            return {"semantic_constraints": tuple(value)}
        case _ if keyword in ANNOTATIONS or keyword == "$defs":
            return {}
    raise SchemaError(f"{at.ref}: the generator does not know how to render {keyword!r}")


def definition_name(ref: str, file: str) -> str:
    """The name of the definition a `$ref` points to."""
    target, _, fragment = ref.partition("#")
    target = target or file
    if target not in PREFIX or not fragment.startswith("/$defs/"):
        raise SchemaError(f"{file}: $ref {ref!r} does not point to a definition of the two contract schemas")
    return PREFIX[target] + fragment.removeprefix("/$defs/")


@dataclass(frozen=True, slots=True)
class Source:
    """One schema file as it lies on disk."""

    file: str
    raw: bytes
    document: dict[str, Any]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True)
class Contract:
    """Both schemas, parsed. `definitions` is in the order of the files, the inference schema first."""

    sources: tuple[Source, ...]
    definitions: dict[str, Node]

    @cached_property
    def examples(self) -> dict[str, list[Any]]:
        return dict(self.sources[0].document["x-kiln-examples"])

    @property
    def entrypoints(self) -> list[str]:
        return list(self.sources[0].document["x-kiln-entrypoints"])

    def resolve(self, node: Node) -> Node:
        """Follow `$ref` to the definition it names."""
        while node.ref is not None:
            node = self.definitions[node.ref]
        return node


def load(directory: Path) -> Contract:
    """Read both schemas, check them against their meta-schema and parse them.

    Raises SchemaError for anything the generator cannot render exactly.
    """
    return parse(tuple(_read(directory / name) for name in PREFIX))


def parse(sources: tuple[Source, ...]) -> Contract:
    """Parse schema files that are already in memory."""
    definitions: dict[str, Node] = {}
    for source in sources:
        Draft202012Validator.check_schema(source.document)
        for name, schema in source.document["$defs"].items():
            definitions[PREFIX[source.file] + name] = parse_node(schema, Location(source.file, f"/$defs/{name}"))
    contract = Contract(sources, definitions)
    for node in walk(contract):
        if node.ref is not None and node.ref not in definitions:
            raise SchemaError(f"{node.at.ref}: $ref to unknown definition {node.ref!r}")
    return contract


def _read(path: Path) -> Source:
    raw = path.read_bytes()
    return Source(path.name, raw, json.loads(raw))


def children(node: Node) -> Iterator[Node]:
    """Direct sub-schemas of a node, in schema order."""
    yield from node.properties.values()
    for sub in (node.items, node.property_names, node.additional, node.not_, node.if_, node.then, node.else_):
        if isinstance(sub, Node):
            yield sub
    yield from (*node.all_of, *node.any_of, *node.one_of)


def walk(contract: Contract) -> Iterator[Node]:
    """Every node of every definition, depth first."""
    stack = list(reversed(contract.definitions.values()))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(children(node))))
