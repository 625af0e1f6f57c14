"""The one shape of every error, and what each code means to the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from kiln_contract.errors import Violation


class Kind(NamedTuple):
    """What a code stands for: the HTTP status, the type that OpenAI's clients read, and what the client can do."""

    status: int
    type: str
    hint: str


_REQUEST: Final = "invalid_request_error"
_SERVER: Final = "server_error"

KINDS: Final[dict[str, Kind]] = {
    "invalid_json": Kind(400, _REQUEST, "Send one JSON document in UTF-8, with each key once and finite numbers."),
    "invalid_request": Kind(400, _REQUEST, "Send HTTP/1.1 with each header once, and a head of at most 64 KiB."),
    "unauthorized": Kind(401, "authentication_error", "Send Authorization: Bearer with a key of this server."),
    "forbidden": Kind(403, "permission_error", "Use a key with the admin scope."),
    "not_found": Kind(404, _REQUEST, "See GET /openapi.json for the paths of this server."),
    "method_not_allowed": Kind(405, _REQUEST, "Use the method that the Allow header names."),
    "body_too_large": Kind(413, _REQUEST, "Send a smaller body, or ask the operator to raise the limit."),
    "unsupported_media_type": Kind(415, _REQUEST, "Send Content-Type: application/json, without a Content-Encoding."),
    "contract_violation": Kind(422, _REQUEST, "Mend every place that violations names; see GET /openapi.json."),
    "chat_invalid_request": Kind(400, _REQUEST, "Mend what the message names and send the request again."),
    "batch_invalid_request": Kind(400, _REQUEST, "Mend what the message names and send the batch again."),
    "batch_too_large": Kind(400, _REQUEST, "Split the batch: prompts times n may be at most 64."),
    "completion_invalid_request": Kind(
        400, _REQUEST, "This endpoint scores prompts only; mend what the message names."
    ),
    "invalid_messages": Kind(400, _REQUEST, "Send messages that the model's chat template accepts."),
    "invalid_compose_request": Kind(400, _REQUEST, "Send either adapter, or adapters with 1 to 16 sources."),
    "invalid_adapter_name": Kind(400, _REQUEST, "Use the plain name of a saved adapter; see GET /v1/adapters."),
    "adapter_not_found": Kind(404, _REQUEST, "See GET /v1/adapters for the saved adapters."),
    "context_length_exceeded": Kind(
        400, _REQUEST, "Send a shorter prompt: that it needs room for an answer, too, is seen to."
    ),
    "request_timeout": Kind(408, _REQUEST, "Send without pauses, ask for fewer tokens, or try again at less load."),
    "queue_full": Kind(429, "rate_limit_error", "Try again after the time in Retry-After."),
    "generation_error": Kind(500, _SERVER, "Try again; if it happens again, tell the operator the request id."),
    "internal_error": Kind(500, _SERVER, "Try again; if it happens again, tell the operator the request id."),
    "rollout_provenance_unavailable": Kind(
        501, _REQUEST, "Send rollout_provenance: false, or use a server that has it."
    ),
    "queue_timeout": Kind(503, _SERVER, "Try again after the time in Retry-After."),
    "loading": Kind(503, _SERVER, "Wait until GET /readyz answers 200."),
    "draining": Kind(503, _SERVER, "This server is shutting down; try another one."),
    "stalled": Kind(500, _SERVER, "Try again; if it happens again, tell the operator the request id."),
}
"""Every code of the server. `stalled` appears in streams only, whose status has been sent by then."""

RETRY_CODES: Final = frozenset({"queue_full", "queue_timeout", "loading", "draining"})
"""Codes that are sent with Retry-After."""


class ApiError(Exception):
    """An error that a client is meant to see. `message` never repeats what the client sent."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        param: str | None = None,
        violations: Sequence[Violation] = (),
        retry_after_s: int | None = None,
        allow: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param
        self.violations = tuple(violations)
        self.headers: dict[str, str] = {}
        if code in RETRY_CODES:
            self.headers["retry-after"] = str(retry_after_s or 1)
        if code == "unauthorized":
            self.headers["www-authenticate"] = "Bearer"
        if allow is not None:
            self.headers["allow"] = allow

    @property
    def kind(self) -> Kind:
        return KINDS[self.code]

    @property
    def status(self) -> int:
        return self.kind.status

    def body(self) -> bytes:
        """The error envelope as JSON."""
        error: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "hint": self.kind.hint,
            "type": self.kind.type,
            "param": self.param,
        }
        if self.violations:
            error["violations"] = [_reported(violation) for violation in self.violations]
        return msgspec.json.encode({"error": error})

    def event(self) -> bytes:
        """The payload of the error event that ends a stream."""
        error = {
            "message": self.message,
            "type": "server_error",
            "code": self.code,
            "hint": self.kind.hint,
            "param": None,
        }
        return msgspec.json.encode({"error": error})


def unforeseen(failure: Exception | None = None) -> ApiError:
    """The error for a fault of the server's own, of which a client is told nothing; the fault is its cause."""
    error = ApiError("internal_error", "The server failed while it answered this request.")
    error.__cause__ = failure
    return error


def too_long(context_length: int, num_tokens: int, num_asked: int, *, param: str, where: str = "") -> ApiError:
    """The error for a prompt of so many tokens that it does not fit the context; `where` is its place in a batch."""
    message = (
        f"{where}the context holds {context_length} tokens; the prompt has {num_tokens} "
        f"and {num_asked} more were requested"
    )
    return ApiError("context_length_exceeded", message, param=param)


def param_of(violation: Violation) -> str | None:
    """The member that OpenAI's clients expect as `param`: the first step of the pointer."""
    return violation.pointer.split("/")[1] if violation.pointer else None


def _reported(violation: Violation) -> dict[str, str]:
    return {
        "pointer": violation.pointer,
        "rule": violation.rule,
        "message": violation.message,
        "expected": violation.expected,
        "got": violation.got,
    }
