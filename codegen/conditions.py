"""The conditional rules of the schemas (`not`, `anyOf`, `if`/`then`/`else`): an id and a sentence for each.

JSON Schema has no place for either. The key is where the rule stands in the schema; codegen fails when a place has no
entry, or an entry no place.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Wording(NamedTuple):
    """How one conditional rule is reported."""

    rule: str
    message: str
    expected: str


_FINITE: Final = "server_default, request, suite, run_override, example or unknown"
_UNLIMITED: Final = (
    "unlimited, request_unlimited, suite_unlimited, run_override_unlimited, example_unlimited or unknown"
)
_CHAT: Final = "#/$defs/ChatCompletionRequest/allOf"
_BUDGET: Final = "thinking-budget-v1.schema.json#/$defs"


def _source(maximum: str, source: str) -> dict[str, Wording]:
    index = {"max_tokens": 1, "max_time_ms": 2}[maximum]
    at = f"{_BUDGET}/effective/allOf/{index}"
    return {
        f"{at}/then/properties/{source}": Wording(
            "budget.finite-source", f"{source} must name who set {maximum}: {_FINITE}", _FINITE
        ),
        f"{at}/else/properties/{source}": Wording(
            "budget.unlimited-source", f"without {maximum}, {source} must be one of {_UNLIMITED}", _UNLIMITED
        ),
    }


def _trigger(at: str) -> dict[str, Wording]:
    return {
        f"{at}/then/required/0": Wording(
            "budget.trigger", "name the trigger, since triggered is true", "trigger present"
        ),
        f"{at}/else/not": Wording("budget.trigger", "leave trigger out unless triggered is true", "trigger absent"),
    }


def _unclosed(name: str, index: int) -> dict[str, Wording]:
    at = f"{_BUDGET}/record/allOf/2/else/allOf/{index}/not"
    return {
        at: Wording(
            "budget.no-outcome", f"leave {name} out while closed is absent: there is no outcome yet", f"{name} absent"
        )
    }


WORDINGS: Final[dict[str, Wording]] = {
    "#/$defs/BatchCompletionRequest/allOf/0/not": Wording(
        "batch.adapter-exclusive",
        "send either adapter or adapters, not both",
        "adapter as a string or adapters as an array",
    ),
    f"{_CHAT}/0/not": Wording(
        "chat.adapter-exclusive",
        "leave adapter out when adapters is an array (even null selects an adapter)",
        "adapter absent beside an adapters array",
    ),
    f"{_CHAT}/1/then/not": Wording(
        "chat.stream-one-choice", "set n to 1, or stream to false: a stream has one choice", "n <= 1"
    ),
    f"{_CHAT}/2/then/properties/ignore_eos": Wording(
        "chat.rollout-ignore-eos",
        "set ignore_eos to false when rollout_provenance is true",
        "ignore_eos false or absent",
    ),
    f"{_CHAT}/2/then/properties/stream": Wording(
        "chat.rollout-stream", "set stream to false when rollout_provenance is true", "stream false or absent"
    ),
    f"{_CHAT}/2/then/properties/n": Wording(
        "chat.rollout-one-choice", "ask for one choice when rollout_provenance is true", "n null, 1 or absent"
    ),
    f"{_CHAT}/2/then/properties/max_tokens": Wording(
        "chat.rollout-max-tokens",
        "ask for at least one token when rollout_provenance is true",
        "max_tokens null, at least 1 or absent",
    ),
    "#/$defs/RolloutThinkingBudgetV1/anyOf": Wording(
        "rollout.budget-limit",
        "give max_tokens, max_time_ms or both: a budget has a limit",
        "max_tokens or max_time_ms",
    ),
    f"{_BUDGET}/effective/allOf/0/then/properties/configured": Wording(
        "budget.configured", "set configured to true: max_tokens or max_time_ms is present", "true"
    ),
    f"{_BUDGET}/effective/allOf/0/else/properties/configured": Wording(
        "budget.configured", "set configured to false: neither max_tokens nor max_time_ms is present", "false"
    ),
    **_source("max_tokens", "tokens_source"),
    **_source("max_time_ms", "time_source"),
    **_trigger(f"{_BUDGET}/outcome/allOf/0"),
    f"{_BUDGET}/record/allOf/1/then/properties/configured": Wording(
        "budget.applied", "set configured to true: only a configured budget applies", "configured true"
    ),
    f"{_BUDGET}/record/allOf/2/then/required/0": Wording(
        "budget.counters", "add thinking_tokens: a budget with closed has an outcome", "thinking_tokens present"
    ),
    f"{_BUDGET}/record/allOf/2/then/required/1": Wording(
        "budget.counters", "add thinking_time_ms: a budget with closed has an outcome", "thinking_time_ms present"
    ),
    **_trigger(f"{_BUDGET}/record/allOf/2/then/allOf/0"),
    f"{_BUDGET}/record/allOf/2/else/properties/triggered": Wording(
        "budget.no-outcome", "set triggered to false while closed is absent: there is no outcome yet", "triggered false"
    ),
    **_unclosed("trigger", 0),
    **_unclosed("thinking_tokens", 1),
    **_unclosed("thinking_time_ms", 2),
}
