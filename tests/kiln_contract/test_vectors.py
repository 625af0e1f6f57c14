from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from kiln_contract import DEFINITIONS, ContractViolation, decode, validate
from kiln_contract.vectors import Vector, expand, vectors

LONGEST = 16_777_216


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_validator_gives_the_verdict_the_place_and_the_rule(name: str) -> None:
    for vector in vectors(name):
        found = [(violation.pointer, violation.rule) for violation in validate(name, vector.document)]
        expected = [] if vector.accepted else [(vector.pointer, vector.rule)]
        assert found == expected, (vector.constraints, vector.stored)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_decode_accepts_what_the_vectors_accept(name: str) -> None:
    for vector in vectors(name):
        assert decodes(name, body(vector)) == vector.accepted, (vector.constraints, vector.stored)


def body(vector: Vector) -> bytes:
    document = vector.document
    try:
        return msgspec.json.encode(document)
    except OverflowError:  # msgspec writes no integers past 64 bits
        return json.dumps(document).encode()


def decodes(name: str, text: bytes) -> bool:
    try:
        decode(name, text)
    except ContractViolation:
        return False
    return True


def test_every_definition_has_vectors() -> None:
    for name in DEFINITIONS:
        assert {vector.accepted for vector in vectors(name)} == {True, False}


def test_a_vector_says_what_it_is_about() -> None:
    first = next(vector for vector in vectors("Usage") if not vector.accepted)
    assert first.definition == "Usage"
    assert first.constraints == ("#/$defs/Usage/type",)
    assert (first.document, first.pointer, first.rule) == (None, "", "schema.type")
    accepted = next(vectors("Usage"))
    assert (accepted.pointer, accepted.rule) == (None, None)


def test_semantic_rules_come_after_the_schema_and_carry_their_id() -> None:
    groups = [vector.constraints for vector in vectors("Usage")]
    assert groups[-1] == ("usage.total",)
    assert groups[0] != ("usage.total",)


def test_the_root_of_the_schema_has_vectors_of_its_own() -> None:
    found = list(vectors())
    assert {vector.definition for vector in found} == {None}
    assert {vector.rule for vector in found if not vector.accepted} == {"schema.oneOf"}


def test_an_unknown_definition_is_named_at_once() -> None:
    with pytest.raises(LookupError, match="did you mean 'Usage'"):
        vectors("Usages")


def test_integers_are_read_exactly() -> None:
    documents = [vector.document for vector in vectors("NullableUint64")]
    assert 2**64 - 1 in documents
    assert next(document for document in documents if document == 2**64).__class__ is int


def test_the_longest_document_is_a_recipe() -> None:
    lengths = {
        len(vector.document["input_token_ids"])
        for vector in vectors("RolloutProvenanceV1")
        if "recipe" in vector.stored and vector.stored["recipe"]["repeat"][0]["at"] == "/input_token_ids"
    }
    assert lengths == {LONGEST, LONGEST + 1}


@pytest.mark.parametrize(
    ("recipe", "document"),
    [
        ({"base": None, "repeat": [{"at": "", "text": "ab", "count": 2}]}, "abab"),
        (
            {"base": {"a": [0, None]}, "repeat": [{"at": "/a/1", "item": {"b": 1}, "count": 2}]},
            {"a": [0, [{"b": 1}] * 2]},
        ),
        ({"base": {"a/b": 0, "~1": 0}, "repeat": [{"at": "/~01", "item": 7, "count": 0}]}, {"a/b": 0, "~1": []}),
        (
            {"base": [0, 0], "repeat": [{"at": "/0", "text": "x", "count": 1}, {"at": "/1", "item": 0, "count": 1}]},
            ["x", [0]],
        ),
    ],
)
def test_recipes(recipe: dict[str, Any], document: Any) -> None:
    base = json.dumps(recipe["base"])
    assert expand(recipe) == document
    assert json.dumps(recipe["base"]) == base


@pytest.mark.parametrize(("at", "error"), [("/b", KeyError), ("/a/1", IndexError), ("/a/0/0", TypeError)])
def test_a_step_never_adds_to_the_base(at: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        expand({"base": {"a": [0]}, "repeat": [{"at": at, "item": 0, "count": 1}]})
