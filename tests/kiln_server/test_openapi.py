"""The OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from kiln_server.app import create_app
from kiln_server.edge.authentication import OPEN
from kiln_server.openapi import OPERATIONS, document
from tests.kiln_server.services import ready_service
from tests.kiln_server.traffic import FILES

DOCUMENT = document()
METHODS = {"get", "post"}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def resolved(reference: str) -> Any:
    assert reference.startswith("#/")
    found: Any = DOCUMENT
    for step in reference[2:].split("/"):
        found = found[step]
    return found


def test_every_reference_resolves_inside() -> None:
    found = set(references(DOCUMENT))
    assert len(found) > 60
    for reference in found:
        resolved(reference)


def test_every_route_is_described_and_nothing_else() -> None:
    served = {
        (method.lower(), route.path_format)
        for route in create_app(ready_service()).routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }
    described = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item if method in METHODS}
    assert described == served


def test_every_definition_is_a_component() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert len(schemas) == sum(len(file["$defs"]) for file in FILES.values()), "no two share a name"
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_says_what_it_takes_and_answers(operation: Any) -> None:
    described = DOCUMENT["paths"][operation.path][operation.method]
    assert described["responses"]["default"]["$ref"] == "#/components/responses/Error"
    assert ("requestBody" in described) == (operation.method == "post")
    assert (described.get("security") == []) == (operation.path in OPEN)
    assert "x-request-id" in described["responses"]["200"]["headers"]


def test_names_of_operations_are_unique() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_a_component_validates_what_the_definition_does() -> None:
    registry = {"$ref": "#/components/schemas/ChatCompletionRequest", "components": DOCUMENT["components"]}
    validator = Draft202012Validator(registry)
    assert validator.is_valid({"messages": [{"role": "user", "content": "hi"}]})
    assert not validator.is_valid({"messages": 1})


def test_it_is_json() -> None:
    assert json.loads(json.dumps(DOCUMENT)) == DOCUMENT
    assert DOCUMENT["openapi"].startswith("3.1.")
