"""Documents for the conditional rules (`not`, `anyOf`, `if`/`then`/`else`), which no single value shows at work.

Members are set over the definition's smallest sample; ABSENT leaves one out. The pointer of a refusal is always the
object. Keys are the definition and the group of keywords, all constraints of which the documents stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from codegen.model import ABSENT

Members = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a group of conditional keywords lets pass, and what it refuses under which rule."""

    accepted: tuple[Members, ...]
    refused: tuple[tuple[Members, str], ...]


_ADAPTERS: Final = [{"name": "text", "scale": 1.0}]
_FINITE: Final = ("server_default", "request", "suite", "run_override", "example")
_UNLIMITED: Final = (
    "unlimited",
    "request_unlimited",
    "suite_unlimited",
    "run_override_unlimited",
    "example_unlimited",
)


def _sources(maximum: str, source: str) -> Scenario:
    """A limit that is present names a source that sets one, an absent one a source that sets none."""
    limited: Members = {"configured": True, maximum: 0}
    return Scenario(
        accepted=(
            *({**limited, source: name} for name in (*_FINITE, "unknown")),
            *({source: name} for name in (*_UNLIMITED, "unknown")),
        ),
        refused=(
            *(({**limited, source: name}, "budget.finite-source") for name in _UNLIMITED),
            *(({source: name}, "budget.unlimited-source") for name in _FINITE),
        ),
    )


def _trigger(outcome: Members) -> Scenario:
    return Scenario(
        accepted=(outcome, {**outcome, "triggered": True, "trigger": "tokens"}),
        refused=(
            ({**outcome, "triggered": True}, "budget.trigger"),
            ({**outcome, "trigger": "tokens"}, "budget.trigger"),
        ),
    )


_APPLIED: Final[Members] = {"configured": True, "max_tokens": 0, "tokens_source": "request", "applied": True}
_OUTCOME: Final[Members] = {**_APPLIED, "closed": True, "thinking_tokens": 0, "thinking_time_ms": 0}
_TRIGGERS: Final = _trigger(_OUTCOME)

_ROLLOUT: Final[Members] = {"rollout_provenance": True}

SCENARIOS: Final[dict[str, dict[str, Scenario]]] = {
    "BatchCompletionRequest": {
        "allOf/0": Scenario(
            accepted=(
                {"adapter": "text"},
                {"adapters": _ADAPTERS},
                {"adapter": "text", "adapters": None},
                {"adapter": None, "adapters": _ADAPTERS},
            ),
            refused=(({"adapter": "text", "adapters": _ADAPTERS}, "batch.adapter-exclusive"),),
        ),
    },
    "ChatCompletionRequest": {
        "allOf/0": Scenario(
            accepted=({"adapter": "text"}, {"adapters": _ADAPTERS}, {"adapter": "text", "adapters": None}),
            refused=(
                ({"adapter": "text", "adapters": _ADAPTERS}, "chat.adapter-exclusive"),
                ({"adapter": None, "adapters": _ADAPTERS}, "chat.adapter-exclusive"),
            ),
        ),
        "allOf/1": Scenario(
            accepted=(
                {"n": 2},
                {"stream": False, "n": 2},
                {"stream": True},
                {"stream": True, "n": 1},
                {"stream": True, "n": None},
            ),
            refused=(({"stream": True, "n": 2}, "chat.stream-one-choice"),),
        ),
        "allOf/2": Scenario(
            accepted=(
                {"ignore_eos": True, "n": 2, "max_tokens": 0},
                {"rollout_provenance": False, "ignore_eos": True, "n": 2, "max_tokens": 0},
                {"rollout_provenance": False, "stream": True},
                {**_ROLLOUT, "ignore_eos": False, "stream": False},
                {**_ROLLOUT, "n": 1, "max_tokens": 1},
                {**_ROLLOUT, "n": None, "max_tokens": None},
            ),
            refused=(
                ({**_ROLLOUT, "ignore_eos": True}, "chat.rollout-ignore-eos"),
                ({**_ROLLOUT, "stream": True}, "chat.rollout-stream"),
                ({**_ROLLOUT, "n": 2}, "chat.rollout-one-choice"),
                ({**_ROLLOUT, "max_tokens": 0}, "chat.rollout-max-tokens"),
            ),
        ),
    },
    "RolloutThinkingBudgetV1": {
        "anyOf": Scenario(
            accepted=(
                {"max_tokens": 0},
                {"max_tokens": ABSENT, "max_time_ms": 0},
                {"max_tokens": 0, "max_time_ms": 0},
            ),
            refused=(({"max_tokens": ABSENT}, "rollout.budget-limit"),),
        ),
    },
    "thinking_budget.effective": {
        "allOf/0": Scenario(
            accepted=(
                {"configured": False},
                {"configured": True, "max_tokens": 0, "tokens_source": "request"},
                {"configured": True, "max_time_ms": 0, "time_source": "request"},
            ),
            refused=(
                ({"configured": True}, "budget.configured"),
                ({"configured": False, "max_tokens": 0, "tokens_source": "request"}, "budget.configured"),
                ({"configured": False, "max_time_ms": 0, "time_source": "request"}, "budget.configured"),
            ),
        ),
        "allOf/1": _sources("max_tokens", "tokens_source"),
        "allOf/2": _sources("max_time_ms", "time_source"),
    },
    "thinking_budget.outcome": {"allOf/0": _trigger({})},
    "thinking_budget.record": {
        "allOf/1": Scenario(
            accepted=({}, {**_APPLIED, "applied": False}, _APPLIED),
            refused=(({"applied": True}, "budget.applied"),),
        ),
        "allOf/2": Scenario(
            accepted=({}, *_TRIGGERS.accepted),
            refused=(
                *_TRIGGERS.refused,
                ({**_OUTCOME, "triggered": ABSENT}, "schema.required"),
                ({**_OUTCOME, "thinking_tokens": ABSENT}, "budget.counters"),
                ({**_OUTCOME, "thinking_time_ms": ABSENT}, "budget.counters"),
                ({**_APPLIED, "triggered": True}, "budget.no-outcome"),
                ({"trigger": "tokens"}, "budget.no-outcome"),
                ({"thinking_tokens": 0}, "budget.no-outcome"),
                ({"thinking_time_ms": 0}, "budget.no-outcome"),
            ),
        ),
    },
}

ROOT: Final[tuple[Members, ...]] = ({}, {"messages": [], "prompts": [[]]})
"""Documents that the main schema's root refuses: of no kind of payload, and of two kinds at once."""
