"""jsonschema as an independent judge of the vectors, over the schemas as they are or with a constraint deleted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry, Resource

from codegen.model import INFERENCE, PREFIX

CONTRACTS = Path(__file__).resolve().parents[2] / "contracts"
Schemas = dict[str, Any]
"""Both schema documents by file name."""


def load() -> Schemas:
    return {file: json.loads((CONTRACTS / file).read_bytes()) for file in PREFIX}


def without(schemas: Schemas, ref: str) -> Schemas:
    """The schemas with one constraint deleted; what is not touched is shared with the original."""
    file, _, path = ref.partition("#")
    file = file or INFERENCE
    return {**schemas, file: _cut(schemas[file], path[1:].split("/"))}


def _cut(schema: Any, path: list[str]) -> Any:
    key, *rest = path
    if isinstance(schema, list):
        inner = [_cut(schema[int(key)], rest)] if rest else []
        return [*schema[: int(key)], *inner, *schema[int(key) + 1 :]]
    if rest:
        return {**schema, key: _cut(schema[key], rest)}
    assert key in schema
    return {name: value for name, value in schema.items() if name != key}


def judge(schemas: Schemas, name: str | None) -> Draft202012Validator:
    """A validator of one definition, or of the main schema's root; `$` matches at the very end, as in ECMA."""
    scope, _, definition = (name or "").rpartition(".")
    main, thinking = (schemas[file] for file in PREFIX)
    home = thinking if scope else main
    resources = [(document["$id"], Resource.from_contents(document)) for document in schemas.values()]
    target = f"{home['$id']}#/$defs/{definition}" if name else home["$id"]
    return Judge({"$ref": target}, registry=Registry().with_resources(resources))


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    ecma = re.sub(r"\$\Z", r"\\Z", pattern)
    if isinstance(instance, str) and not re.search(ecma, instance):
        yield ValidationError("does not match")


Judge: type[Draft202012Validator] = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
