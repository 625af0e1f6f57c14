"""What may be wrong with a server's answer to a request, whose verdict the contract library knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import httpx2

import kiln_contract as kc
from tests.fuzz.requests import Sent
from tests.kiln_server.live import Live

ROLLOUT: Final = "rollout_provenance_unavailable"
MODEL_SIDE: Final = {
    "ChatCompletionRequest": {
        "adapter_not_found",
        "chat_invalid_request",
        "context_length_exceeded",
        "invalid_messages",
        ROLLOUT,
    },
    "BatchCompletionRequest": {
        "adapter_not_found",
        "batch_invalid_request",
        "context_length_exceeded",
        "invalid_adapter_name",
        "invalid_messages",
    },
    "TextCompletionRequest": {"completion_invalid_request", "context_length_exceeded"},
}
"""Codes that may answer a request without a fault in its payload."""


def complaints(live: Live, sent: Sent) -> tuple[str, list[str]]:
    """Send a request. How it was answered, and everything that is wrong with the answer.

    A server that does not answer in time, or breaks the connection, is complained about too.
    """
    try:
        answer = live.ask("POST", sent.path, headers=sent.headers, body=sent.body)
    except (AssertionError, ValueError, LookupError, httpx2.HTTPError) as error:
        return "unanswered", [f"{type(error).__name__}: {error}"]
    code = "" if answer.status_code < 400 else answer.json()["error"]["code"]
    answered = f"{answer.status_code} {code}".rstrip()
    try:
        return answered, list(_complaints(sent, answer, code))
    except kc.ContractViolation as error:
        return answered, [f"the contract library disagrees with itself: {error}"]


def _complaints(sent: Sent, answer: httpx2.Response, code: str) -> Iterator[str]:
    if answer.status_code >= 500 and code != ROLLOUT:
        yield f"the server failed: {answer.status_code} {code}"
    elif not sent.declared:
        if answer.status_code != 415:
            yield f"a body that is not declared as plain JSON was answered {answer.status_code}"
    elif violations := kc.validate_json(sent.definition, sent.body):
        yield from _refusal_complaints(answer, code, violations)
    elif not code:
        yield from _success_complaints(sent, answer)
    elif code not in MODEL_SIDE[sent.definition]:
        yield f"a valid request was refused as {code}"


def _refusal_complaints(answer: httpx2.Response, code: str, violations: list[kc.Violation]) -> Iterator[str]:
    if not code:
        yield f"served, though it breaks {violations[0].rule}"
        return
    due = [(violation.pointer, violation.rule) for violation in violations]
    reported = [(each["pointer"], each["rule"]) for each in answer.json()["error"].get("violations", [])]
    if reported != due:
        yield f"reported {reported}, due {due}"
    unreadable = any(rule.startswith("json.") or rule == "number.finite" for _, rule in due)
    if unreadable != (code == "invalid_json"):
        yield f"{code} for {due}"


def _success_complaints(sent: Sent, answer: httpx2.Response) -> Iterator[str]:
    # The library's own reading: a number such as 184467440737095516150e-1 is exact to it, and to the server.
    request: Any = kc.decode(sent.definition, sent.body, strict=True)
    if sent.definition == "ChatCompletionRequest" and request.stream is True:
        result = kc.validate_stream(answer.content, request)
        if result.violations or result.outcome == "failed":
            yield f"the stream {result.outcome}, {result.violations}"
    elif found := kc.validate_exchange(request, answer.json()):
        yield f"the answer does not fit its request: {found}"
