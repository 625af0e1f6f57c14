"""What an answer of the server must look like: the schema of its path and status, and the headers of every answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from kiln_contract import validate_json, validate_stream
from kiln_contract.schema import INFERENCE, THINKING_BUDGET, schema_bytes
from kiln_server.errors import KINDS, RETRY_CODES
from kiln_server.openapi import OPERATIONS, SERVER, Operation

FILES: Final[dict[str, Any]] = {name: json.loads(schema_bytes(name)) for name in (INFERENCE, THINKING_BUDGET, SERVER)}
SERVER_SCHEMA: Final = FILES[SERVER]

_REGISTRY: Final[Any] = Registry().with_resources(
    [(file["$id"], Resource.from_contents(file)) for file in FILES.values()]
)
_BY_PATH: Final = {(operation.method.upper(), operation.path): operation for operation in OPERATIONS}


def check(method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise AssertionError when an answer is not what the server promises. A path of a test's own is not looked up."""
    assert headers.get("x-request-id"), "every answer has a request id"
    assert headers.get("x-content-type-options") == "nosniff"
    assert headers.get("x-kiln-loaded-adapter") is None or status < 400, "adapter headers are for successes"
    operation = _operation(method, path.partition("?")[0])
    if method == "HEAD":
        assert body == b"", "the answer to HEAD has no body"
    elif status >= 400:
        check_error(status, headers, body, operation)
    elif operation is not None and operation.answer:
        _check_success(operation, headers, body)


def check_error(status: int, headers: Mapping[str, str], body: bytes, operation: Operation | None = None) -> Any:
    """Check an error answer and return its `error` member."""
    assert headers["content-type"] == "application/json"
    document = json.loads(body)
    special = operation.unavailable if operation is not None and status == 503 else None
    conforms(special or "Error", document)
    error = document["error"]
    kind = KINDS[error["code"]]
    assert special or (status, kind.type) == (kind.status, error["type"])
    assert (error["code"] in RETRY_CODES) == ("retry-after" in headers)
    assert (status == 405) == ("allow" in headers)
    assert (status == 401) == (headers.get("www-authenticate") == "Bearer")
    return error


def conforms(name: str, document: Any) -> None:
    """Raise AssertionError unless a document conforms to a definition of the server's own schema."""
    validator = Draft202012Validator({"$ref": f"{SERVER_SCHEMA['$id']}#/$defs/{name}"}, registry=_REGISTRY)
    problems = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    assert not problems, f"not a {name}: {problems}"


def _operation(method: str, path: str) -> Operation | None:
    if path.startswith("/v1/models/"):
        path = "/v1/models/{model}"
    return _BY_PATH.get((method, path))


def _check_success(operation: Operation, headers: Mapping[str, str], body: bytes) -> None:
    if headers["content-type"].startswith("text/event-stream"):
        assert not validate_stream(body).violations
        return
    assert headers["content-type"] == "application/json"
    if operation.answer in SERVER_SCHEMA["$defs"]:
        conforms(operation.answer, json.loads(body))
    else:
        assert not validate_json(operation.answer, body)
