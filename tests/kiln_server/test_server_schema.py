"""The server's own schema file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from msgspec import json

from kiln_contract.errors import Violation
from kiln_server.edge.exchange import Outcome
from kiln_server.errors import KINDS, ApiError
from kiln_server.recent import MAX_KEPT, RecentRequest
from tests.kiln_server.traffic import SERVER_SCHEMA, conforms

DEFS = SERVER_SCHEMA["$defs"]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("type") == "object":
            yield value
        for item in value.values():
            yield from objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


def test_it_is_a_schema_of_its_dialect() -> None:
    Draft202012Validator.check_schema(SERVER_SCHEMA)


def test_every_object_is_closed_and_every_definition_described() -> None:
    assert all("additionalProperties" in item for item in objects(SERVER_SCHEMA))
    assert all(definition["description"].endswith(".") for definition in DEFS.values())


def test_it_names_what_the_code_names() -> None:
    assert DEFS["ErrorCode"]["enum"] == list(KINDS)
    assert set(DEFS["ErrorDetail"]["properties"]["type"]["enum"]) == {kind.type for kind in KINDS.values()}
    assert DEFS["RecentRequest"]["properties"]["outcome"]["enum"] == list(get_args(Outcome))
    assert DEFS["RecentRequest"]["required"] == list(RecentRequest.__struct_fields__)
    assert DEFS["RecentRequests"]["properties"]["data"]["maxItems"] == MAX_KEPT


@pytest.mark.parametrize("code", KINDS)
def test_every_error_conforms(code: str) -> None:
    violation = Violation(pointer="/n", rule="r", keyword="", schema_ref="", message="m", expected="e", got="integer")
    conforms("Error", json.decode(ApiError(code, "m").body()))
    conforms("Error", json.decode(ApiError(code, "m", param="n", violations=[violation]).body()))
    conforms("ErrorEvent", json.decode(ApiError(code, "m").event()))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"error": {}},
        {"error": "text"},
        {"error": {"code": "new", "message": "m", "hint": "h", "type": "server_error", "param": None}},
        {"error": {"code": "loading", "message": "", "hint": "h", "type": "server_error", "param": None}},
        {"error": {"code": "loading", "message": "m", "hint": "h", "type": "server_error"}},
        {"error": {"code": "loading", "message": "m", "hint": "h", "type": "server_error", "param": None}, "more": 1},
        {"error": {"code": "loading", "message": "m", "hint": "h", "type": "server_error", "param": None, "x": 1}},
    ],
)
def test_what_is_no_error_does_not_conform(wrong: Any) -> None:
    with pytest.raises(AssertionError):
        conforms("Error", wrong)
