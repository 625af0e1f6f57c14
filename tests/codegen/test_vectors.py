from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from codegen.constraints import constraints
from codegen.implied import IMPLIED
from codegen.model import INFERENCE, PREFIX, Contract, Location, SchemaError, Source, parse
from codegen.model import load as load_contract
from codegen.vectors import schema_entries
from kiln_contract import DEFINITIONS
from kiln_contract.vectors import Vector, vectors
from tests.codegen.oracle import CONTRACTS, Schemas, judge, load, without

NAMES = [None, *DEFINITIONS]
SCHEMAS = load()
CONTRACT = load_contract(CONTRACTS)
HUGE = "#/$defs/RolloutProvenanceV1/properties/input_token_ids"
"""The array whose vectors have 16,777,216 items: jsonschema would look at each for minutes."""

VALIDATING = {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "else", "enum", "exclusiveMinimum", "if", "items",
    "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minimum", "not", "oneOf", "pattern",
    "propertyNames", "required", "then", "type", "unevaluatedProperties",
}  # fmt: skip


@cache
def documents(name: str | None) -> list[tuple[Vector, Any]]:
    return [(vector, vector.document) for vector in vectors(name) if not is_huge(vector)]


def is_huge(vector: Vector) -> bool:
    return f"{HUGE}/maxItems" in vector.constraints


def of_schema(vector: Vector) -> bool:
    return "#" in vector.constraints[0]


def changed(schemas: Schemas, name: str | None, pairs: list[tuple[Vector, Any]], before: Schemas = SCHEMAS) -> bool:
    old, new = judge(before, name), judge(schemas, name)
    return any(old.is_valid(document) != new.is_valid(document) for _, document in pairs)


def occurrences(schema: Any, at: Location) -> list[str]:
    """References to all validating keywords below a schema, found without the generator's own search."""
    found = []
    for keyword, value in schema.items():
        here = at.child(keyword)
        if keyword == "properties":
            found += [ref for name, inner in value.items() for ref in occurrences(inner, here.child(name))]
        elif keyword in VALIDATING and value != {}:
            found.append(here.ref)
            inner = list(enumerate(value)) if isinstance(value, list) else []
            found += [ref for i, sub in inner if isinstance(sub, dict) for ref in occurrences(sub, here.child(i))]
            found += occurrences(value, here) if isinstance(value, dict) else []
            found += [here.child(i).ref for i, _ in inner]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_constraint_has_accepted_and_refused_documents(name: str | None) -> None:
    scope, _, definition = (name or "").rpartition(".")
    file = list(PREFIX)[1 if scope else 0]
    root = {key: value for key, value in SCHEMAS[file].items() if not key.startswith(("x-kiln", "$defs"))}
    schema = SCHEMAS[file]["$defs"][definition] if name else root
    at = Location(file, f"/$defs/{definition}" if name else "")
    verdicts = {(ref, vector.accepted) for vector in vectors(name) for ref in vector.constraints}
    wanted = {*occurrences(schema, at), *constraints(CONTRACT)[name]}
    assert {(ref, accepted) for ref in wanted for accepted in (True, False)} - verdicts == set()


@pytest.mark.parametrize("name", NAMES)
def test_jsonschema_agrees_with_every_verdict(name: str | None) -> None:
    judged = judge(SCHEMAS, name)
    for vector, document in documents(name):
        # A semantic rule goes beyond the schema, which its refused documents satisfy.
        expected = vector.accepted or not of_schema(vector)
        assert judged.is_valid(document) == expected, (vector.constraints, vector.stored)


@pytest.mark.parametrize("name", NAMES)
def test_deleting_a_constraint_changes_a_verdict_unless_it_is_implied(name: str | None) -> None:
    tagged: dict[str, list[tuple[Vector, Any]]] = {}
    for vector, document in documents(name):
        for ref in vector.constraints:
            tagged.setdefault(ref, []).append((vector, document))
    refs = [ref for ref in constraints(CONTRACT)[name] if ref != f"{HUGE}/maxItems"]
    idle = {ref for ref in refs if not changed(without(SCHEMAS, ref), name, tagged[ref])}
    assert idle == IMPLIED.keys() & set(refs)


def test_deleting_the_bound_of_the_longest_array_changes_a_verdict() -> None:
    accepted, refused = (vector for vector in vectors("RolloutProvenanceV1") if is_huge(vector))
    light = without(SCHEMAS, f"{HUGE}/items")
    assert judge(light, "RolloutProvenanceV1").is_valid(accepted.document)
    document = refused.document
    assert not judge(light, "RolloutProvenanceV1").is_valid(document)
    assert judge(without(light, f"{HUGE}/maxItems"), "RolloutProvenanceV1").is_valid(document)


@pytest.mark.parametrize(("implied", "implying"), IMPLIED.items())
def test_an_implied_constraint_decides_once_the_implying_one_is_gone(implied: str, implying: str) -> None:
    name = next(name for name, refs in constraints(CONTRACT).items() if implied in refs)
    before = without(SCHEMAS, implying)
    assert changed(without(before, implied), name, documents(name), before)


def test_a_conditional_rule_without_a_scenario_is_an_error() -> None:
    definition = {**SCHEMAS[INFERENCE]["$defs"]["Delta"], "allOf": [{"not": {"required": ["role", "content"]}}]}
    with pytest.raises(SchemaError, match=r"no vectors for #/\$defs/Delta/allOf, #/\$defs/Delta/allOf/0, "):
        schema_entries(edited({"Delta": definition}))


def test_a_pattern_without_sample_texts_is_an_error() -> None:
    with pytest.raises(SchemaError, match=r"add sample texts for the pattern '\^v\[0-9\]\+\$' to codegen/samples.py"):
        schema_entries(edited({"Sha256": {"type": "string", "pattern": "^v[0-9]+$"}}))


def edited(definitions: dict[str, Any]) -> Contract:
    """The contract with some definitions of the main schema replaced."""
    main, thinking = CONTRACT.sources
    document = {**main.document, "$defs": {**main.document["$defs"], **definitions}}
    return parse((Source(main.file, main.raw, document), thinking))
