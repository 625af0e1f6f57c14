"""The OpenAPI document: the contract's own schemas, and which path takes and answers which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

import kiln_contract
from kiln_contract.schema import INFERENCE, THINKING_BUDGET, schema_bytes

SERVER: Final = "kiln-server-v1.schema.json"
"""The schema file of what the server answers beside the inference contract."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PREFIXES: Final = {INFERENCE: "", THINKING_BUDGET: "thinking_budget.", SERVER: ""}
"""What is put before a definition's name to make it a component's, by schema file."""

_JSON: Final = "application/json"
_SSE: Final = "text/event-stream"
_TEXT: Final = "text/plain"


class Operation(NamedTuple):
    """One method of one path: the schemas of its bodies, by their component names."""

    method: str
    path: str
    name: str
    summary: str
    answer: str
    media_type: str = _JSON
    request: str | None = None
    stream: str | None = None
    unavailable: str | None = None
    """The schema of a 503 that says more than an error does."""
    open: bool = False
    """Whether it needs no API key."""


OPERATIONS: Final = (
    Operation(
        "post",
        "/v1/chat/completions",
        "createChatCompletion",
        "Answer a conversation, whole or as a stream.",
        "ChatCompletionResponse",
        request="ChatCompletionRequest",
        stream="ChatCompletionChunkStream",
    ),
    Operation(
        "post",
        "/v1/completions/batch",
        "createBatchCompletion",
        "Answer several conversations at once.",
        "BatchCompletionResponse",
        request="BatchCompletionRequest",
    ),
    Operation(
        "post",
        "/v1/completions",
        "scorePrompt",
        "Score the tokens of a prompt.",
        "TextCompletionResponse",
        request="TextCompletionRequest",
    ),
    Operation("get", "/v1/models", "listModels", "List the served model.", "ModelList"),
    Operation("get", "/v1/models/{model}", "showModel", "Describe the served model.", "Model"),
    Operation("get", "/v1/adapters", "listAdapters", "List the saved adapters.", "AdapterList"),
    Operation("get", "/v1/config", "showConfig", "Show every setting. Needs an admin key.", "Config"),
    Operation(
        "get",
        "/v1/stats/recent-requests",
        "listRecentRequests",
        "List the last inference requests. Needs an admin key.",
        "RecentRequests",
    ),
    Operation("get", "/health", "showHealth", "Report the server's health.", "Health", unavailable="HealthFailure"),
    Operation("get", "/livez", "probeLife", "Probe whether the process answers.", "Probe", open=True),
    Operation(
        "get",
        "/readyz",
        "probeReadiness",
        "Probe whether new requests are welcome.",
        "Probe",
        unavailable="ProbeFailure",
        open=True,
    ),
    Operation(
        "get",
        "/startupz",
        "probeStart",
        "Probe whether loading is over.",
        "Probe",
        unavailable="ProbeFailure",
        open=True,
    ),
    Operation("get", "/metrics", "showMetrics", "Show the metrics, for Prometheus.", "", media_type=_TEXT),
    Operation("get", "/openapi.json", "showOpenapi", "Show this document.", ""),
)


def document() -> dict[str, Any]:
    """The whole document, OpenAPI 3.1; every reference resolves inside it."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": _DIALECT,
        "info": {
            "title": "Kiln",
            "version": kiln_contract.__version__,
            "description": "An inference server that OpenAI's clients can talk to.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": {name: definition for file in _PREFIXES for name, definition in _components(file)},
            "responses": {"Error": _response("Any error, on any path.", _JSON, _component("Error"))},
            "headers": _HEADERS,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        # A server may run without keys, so an operation can be called with a key or without.
        "security": [{"key": []}, {}],
    }


_HEADERS: Final = {
    "x-request-id": {"description": "The request's id in the log.", "schema": {"type": "string"}},
    "x-kiln-loaded-adapter": {"description": "The adapters that answered, or `base`.", "schema": {"type": "string"}},
    "x-kiln-loaded-adapter-revision": {
        "description": "Hashes of their content, or `base`.",
        "schema": {"type": "string"},
    },
}


def _operation(operation: Operation) -> dict[str, Any]:
    members: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": _responses(operation),
    }
    if operation.request is not None:
        members["requestBody"] = {"required": True, "content": {_JSON: {"schema": _component(operation.request)}}}
    if "{model}" in operation.path:
        parameter = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
        members["parameters"] = [{**parameter, "description": "The model's id; it may hold slashes."}]
    if operation.open:
        members["security"] = []
    return members


def _responses(operation: Operation) -> dict[str, Any]:
    body = _component(operation.answer) if operation.answer else {}
    success = _response("Success.", operation.media_type, body)
    names = _HEADERS if operation.request is not None else ["x-request-id"]
    success["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    if operation.stream is not None:
        success["content"][_SSE] = {"schema": _component(operation.stream)}
    responses = {"200": success, "default": {"$ref": "#/components/responses/Error"}}
    if operation.unavailable is not None:
        responses["503"] = _response("Not now.", _JSON, _component(operation.unavailable))
    return responses


def _response(description: str, media_type: str, body: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {media_type: {"schema": body}}}


def _component(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _components(file: str) -> Iterator[tuple[str, Any]]:
    """The definitions of one schema file, their references pointing into the document."""
    definitions = msgspec.json.decode(schema_bytes(file))["$defs"]
    for name, definition in definitions.items():
        yield _PREFIXES[file] + name, _redirected(definition, file)


def _redirected(value: Any, file: str) -> Any:
    if isinstance(value, list):
        return [_redirected(item, file) for item in value]
    if not isinstance(value, dict):
        return value
    redirected = {key: _redirected(item, file) for key, item in value.items()}
    reference = value.get("$ref")
    return {**redirected, **_target(reference, file)} if isinstance(reference, str) else redirected


def _target(reference: str, file: str) -> dict[str, Any]:
    """A reference of a schema file, relative or absolute, as one to a component."""
    where, _, name = reference.partition("#/$defs/")
    return _component(_PREFIXES[where.rpartition("/")[2] or file] + name)
