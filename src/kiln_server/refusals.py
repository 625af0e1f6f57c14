"""Which error answers a request that breaks the contract.

A violation that is listed for an endpoint has a code of its own; any other makes the answer 422. Of several listed ones
the first in the order of the list decides, and all of them are reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from kiln_contract.errors import Violation
from kiln_server.errors import ApiError, param_of


class Listed(NamedTuple):
    """A violation with a code of its own: its rule, a pattern for its pointer, and the type of what is there."""

    code: str
    rule: str
    pointer: str = ""
    got: str = ""


_ROLLOUT: Final = "rollout_provenance_unavailable"
_COMPOSE: Final = "invalid_compose_request"
_NAME: Final = "invalid_adapter_name"
_COUNT: Final = ("schema.minimum", "schema.maximum")
_SIZE: Final = ("schema.minItems", "schema.maxItems")
_ADAPTERS: Final = (
    *(Listed(_COMPOSE, rule, "/adapters") for rule in _SIZE),
    Listed(_COMPOSE, "chat.adapter-exclusive"),
    Listed(_COMPOSE, "batch.adapter-exclusive"),
    Listed(_NAME, "adapter.name", "/adapter|/adapters/[0-9]+/name"),
    Listed(_NAME, "schema.minLength", "/adapters/[0-9]+/name"),
)

CHAT: Final = (
    Listed(_ROLLOUT, "chat.rollout-ignore-eos"),
    Listed(_ROLLOUT, "chat.rollout-stream"),
    Listed(_ROLLOUT, "chat.rollout-one-choice"),
    Listed(_ROLLOUT, "rollout.no-tools", "/tools|/tool_choice"),
    Listed("chat_invalid_request", "chat.rollout-max-tokens"),
    Listed("chat_invalid_request", "rollout.capacity", "/max_completion_tokens"),
    *(Listed("chat_invalid_request", rule, "/n") for rule in _COUNT),
    Listed("chat_invalid_request", "chat.stream-one-choice"),
    *_ADAPTERS,
    Listed("chat_invalid_request", "rollout.sampling", "/.*"),
)

BATCH: Final = (
    *(Listed("batch_invalid_request", rule, "/n") for rule in _COUNT),
    *_ADAPTERS,
    Listed("batch_invalid_request", "schema.minItems", "/prompts"),
    Listed("batch_too_large", "schema.maxItems", "/prompts"),
    Listed("batch_too_large", "batch.outputs"),
)

COMPLETION: Final = (
    Listed("completion_invalid_request", "schema.const", "/stream", got="boolean"),
    Listed("completion_invalid_request", "schema.const", "/n"),
    Listed("completion_invalid_request", "schema.maximum", "/max_tokens|/prompt_logprobs"),
    *(Listed("completion_invalid_request", rule, "/prompt") for rule in _SIZE),
    Listed("completion_invalid_request", "scoring.candidates"),
)

UNREADABLE: Final = "number.finite"
"""A number beyond a double makes the text as unusable as a syntax error does."""


def refusal(violations: Sequence[Violation], listed: Sequence[Listed]) -> ApiError:
    """The error for a request's violations, of which there is at least one."""
    if any(v.rule.startswith("json.") or v.rule == UNREADABLE for v in violations):
        first = next(v for v in violations if v.rule.startswith("json.") or v.rule == UNREADABLE)
        return _error("invalid_json", first, violations)
    ranks = [_rank(violation, listed) for violation in violations]
    if None in ranks:
        return _error("contract_violation", violations[ranks.index(None)], violations)
    first_rank = min(rank for rank in ranks if rank is not None)
    return _error(listed[first_rank].code, violations[ranks.index(first_rank)], violations)


def _rank(violation: Violation, listed: Sequence[Listed]) -> int | None:
    for rank, entry in enumerate(listed):
        if (
            entry.rule == violation.rule
            and re.fullmatch(entry.pointer, violation.pointer)
            and violation.got.startswith(entry.got)
        ):
            return rank
    return None


def _error(code: str, decisive: Violation, violations: Sequence[Violation]) -> ApiError:
    where = decisive.pointer or "the request"
    return ApiError(code, f"{where}: {decisive.message}", param=param_of(decisive), violations=violations)
