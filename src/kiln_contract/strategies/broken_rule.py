"""One broken rule between members: the counterpart of `completion`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from kiln_contract.semantics import MAX_STOP_BYTES, MAX_TEMPLATE_INVOCATION_BYTES
from kiln_contract.strategies.completion import Document, without
from kiln_contract.strategies.definition import definition, members
from kiln_contract.strategies.mistake import Mistake, Mistakes
from kiln_contract.strategies.site import Site

ADAPTERS: Final = [{"name": "a", "scale": 1}]
PATHS: Final = ("../a", "a/b", "a\\b", "..", ".", "a\x00", "a\x85")


def has_rules(site: Site) -> bool:
    """Whether rules between members hold at one place."""
    return not _BREAKERS.keys().isdisjoint(site.names)


def broken_rules(site: Site) -> Iterator[Mistake]:
    """The conditional and semantic rules of the definitions at one place, each broken."""
    for name in site.names:
        if name in _BREAKERS:
            yield from _BREAKERS[name](site.value)


# Requests


def _adapter_ref(adapter: Document) -> Mistakes:
    for path in PATHS:
        yield Mistake("adapter.name", "names a path", {**adapter, "name": path}, ("name",))


def _adapter(request: Document) -> Mistakes:
    for path in PATHS:
        value = {**without(request, "adapters"), "adapter": path}
        yield Mistake("adapter.name", "names a path", value, ("adapter",))


def _chat_request(request: Document) -> Mistakes:
    yield from _adapter(request)
    for adapter in ("a", "", None):
        both = {**request, "adapter": adapter, "adapters": ADAPTERS}
        yield Mistake("chat.adapter-exclusive", "selects adapters twice", both)
    streamed = {**without(request, "rollout_provenance"), "stream": True, "n": 2}
    yield Mistake("chat.stream-one-choice", "streams two choices", streamed)
    yield from _rollout_request(request)


def _rollout_request(request: Document) -> Mistakes:
    sampling = members(definition("RolloutSamplingConfigV1"))
    cleared = ("ignore_eos", "stream", "n", "tools", "tool_choice", "max_completion_tokens", *sampling)
    rollout = {**without(request, *cleared), "rollout_provenance": True}
    for rule, name, value in (
        ("chat.rollout-ignore-eos", "ignore_eos", True),
        ("chat.rollout-stream", "stream", True),
        ("chat.rollout-one-choice", "n", 2),
        ("chat.rollout-max-tokens", "max_tokens", 0),
        ("rollout.capacity", "max_completion_tokens", 0),
        ("rollout.no-tools", "tools", [None]),
        ("rollout.no-tools", "tool_choice", "auto"),
        ("rollout.sampling", "stop", ["x"] * 257),
        ("rollout.sampling", "stop", "x" * (MAX_STOP_BYTES + 1)),
    ):
        # A conditional rule of the schema is broken by the object, a semantic one by the member.
        path = () if rule.startswith("chat.") else (name,)
        yield Mistake(rule, f"sets {name} beside rollout_provenance", {**rollout, name: value}, path)
    for name, node in sampling.items():
        if node.get("type") == "number":
            low = {**rollout, name: node.get("minimum", 0) - 1}
            yield Mistake("rollout.sampling", f"sets {name} out of a rollout's range", low, (name,))


def _batch_request(request: Document) -> Mistakes:
    yield from _adapter(request)
    both = {**request, "adapter": "a", "adapters": ADAPTERS}
    yield Mistake("batch.adapter-exclusive", "selects adapters twice", both)
    many = {**request, "prompts": request["prompts"][:1] * 33, "n": 2}
    yield Mistake("batch.outputs", "asks for 66 outputs", many)


def _text_request(request: Document) -> Mistakes:
    many = {**request, "prompt": [0] * 4096, "prompt_logprobs": 256}
    yield Mistake("scoring.candidates", "scores more candidates than fit an answer", many)


# Responses


def _usage(usage: Document) -> Mistakes:
    value = {**usage, "total_tokens": int(usage["total_tokens"]) + 1}
    yield Mistake("usage.total", "counts one token too many", value, ("total_tokens",))


def _choices(response: Document) -> Mistakes:
    first, *others = response["choices"]
    value = {**response, "choices": [{**first, "index": 1}, *others]}
    yield Mistake("index.order", "numbers the first choice 1", value, ("choices", 0, "index"))


def _batch_response(response: Document) -> Mistakes:
    first, *others = response["completions"]
    for name in ("prompt_index", "completion_index"):
        value = {**response, "completions": [{**first, name: 1}, *others]}
        yield Mistake("index.order", f"gives the first item {name} 1", value, ("completions", 0, name))
    usage = response["usage"]
    value = {**response, "usage": {**usage, **{name: usage[name] + 1 for name in ("prompt_tokens", "total_tokens")}}}
    yield Mistake("usage.sum", "counts one prompt token too many", value, ("usage",))


def _token_timing(event: Document) -> Mistakes:
    total = float(event["response_delivery_ms"]) + float(event["handler_queue_ms"])
    value = {**event, "queue_delay_ms": 0 if total > 1 else total + 0.01}
    yield Mistake("timing.queue-delay", "delays by more than its parts", value, ("queue_delay_ms",))


def _text_choice(choice: Document) -> Mistakes:
    entry = {"logprob": -1.0, "rank": 1, "decoded_token": "a"}
    worse = {"logprob": -2.0, "rank": 2, "decoded_token": "b"}
    for what, entries in (
        ("gives the first token candidates", [{"0": entry}]),
        ("gives a later token null", [None, None]),
        ("gives a later token no candidate", [None, {"0": entry}, {}]),
        ("gives two candidates one rank", [None, {"0": entry, "1": {**worse, "rank": 1}}]),
        ("gives the better candidate the worse rank", [None, {"0": {**entry, "rank": 3}, "1": worse}]),
    ):
        value = {**choice, "prompt_logprobs": entries}
        yield Mistake("logprobs.entries", what, value, ("prompt_logprobs", len(entries) - 1))


# Thinking budgets


def _effective(budget: Document) -> Mistakes:
    flipped = {**budget, "configured": not budget["configured"]}
    if not (budget.get("applied") and budget["configured"]):
        yield Mistake("budget.configured", "flips configured", flipped)
    for limit, source in (("max_tokens", "tokens_source"), ("max_time_ms", "time_source")):
        if limit in budget:
            yield Mistake("budget.finite-source", f"denies {limit}", {**budget, source: "unlimited"})
        else:
            yield Mistake("budget.unlimited-source", f"claims {limit}", {**budget, source: "request"})


def _outcome(outcome: Document) -> Mistakes:
    silent = without(outcome, "trigger")
    yield Mistake("budget.trigger", "is triggered by nothing", {**silent, "triggered": True})
    yield Mistake(
        "budget.trigger", "names a trigger although none fired", {**silent, "trigger": "time", "triggered": False}
    )


def _record(record: Document) -> Mistakes:
    yield from _effective(record)
    limits = without(record, "closed", "trigger", "thinking_tokens", "thinking_time_ms")
    limit = {"configured": True, "max_tokens": 7, "tokens_source": "request", "applied": True, "triggered": False}
    quiet = {**limits, **limit}
    ended = {**quiet, "closed": True, "thinking_tokens": 7, "thinking_time_ms": 7}
    yield from _outcome(ended)
    for name in ("thinking_tokens", "thinking_time_ms"):
        yield Mistake("budget.counters", f"closes without {name}", without(ended, name))
    for name, value in (("thinking_tokens", 7), ("thinking_time_ms", 7), ("trigger", "time"), ("triggered", True)):
        yield Mistake("budget.no-outcome", f"sets {name} without closed", {**quiet, name: value})
    unlimited = {"configured": False, "tokens_source": "unlimited", "time_source": "unlimited", "triggered": False}
    open_ended = {**without(limits, "max_tokens", "max_time_ms"), **unlimited, "applied": True}
    yield Mistake("budget.applied", "applies without a limit", open_ended)
    yield Mistake(
        "budget.outcome-applied", "has an outcome that did not apply", {**ended, "applied": False}, ("applied",)
    )


def _rollout_budget(budget: Document) -> Mistakes:
    yield Mistake("rollout.budget-limit", "has no limit", without(budget, "max_tokens", "max_time_ms"))


# Rollout provenance


def _rollout_sampling(sampling: Document) -> Mistakes:
    value = {**sampling, "stop": ["é" * (MAX_STOP_BYTES // 2), "x"]}
    yield Mistake("sampling.stop-bytes", "stops on one byte too many", value, ("stop",))


def _template_invocation(_: Document) -> Mistakes:
    value = {"tool_choice": "x" * MAX_TEMPLATE_INVOCATION_BYTES}
    yield Mistake("template-invocation.size", "is longer than 1 MiB", value)


def _provenance(record: Document) -> Mistakes:
    ids, tokens = record["input_token_ids"], record["action_tokens"]
    last = len(tokens) - 1
    value: Document = {**record, "prompt_token_count": len(ids) + 1}
    yield Mistake("provenance.prompt-count", "has a prompt longer than the input", value, ("prompt_token_count",))
    another = (int(tokens[last]["token_id"]) + 1) % 2**32
    for rule, what, position, change in (
        ("provenance.action-order", "acts on the prompt", 0, {"sequence_index": 0, "token_id": ids[0]}),
        ("provenance.action-order", "acts past the end", last, {"sequence_index": len(ids)}),
        ("provenance.action-token", "acts with another token", last, {"token_id": another}),
    ):
        altered = {**tokens[position], "source": "sampled", "behavior_logprob": -1.5, **change}
        value = {**record, "action_tokens": [*tokens[:position], altered, *tokens[position + 1 :]]}
        yield Mistake(rule, what, value, ("action_tokens", position, next(iter(change))))
    yield from _forced(record)


def _forced(record: Document) -> Mistakes:
    sampled = {"sequence_index": 1, "token_id": 2, "source": "sampled", "behavior_logprob": -1.5}
    forced = {"sequence_index": 2, "token_id": 3, "source": "forced", "behavior_logprob": None}
    place = {"input_token_ids": [1, 2, 3], "prompt_token_count": 1}
    sampling = without(record["sampling"], "thinking_budget")
    value: Document = {**record, **place, "action_tokens": [sampled, forced], "sampling": sampling}
    yield Mistake("provenance.forced", "forces a token of no budget", value, ("action_tokens", 1, "token_id"))
    budget = {"max_tokens": 1, "close_token_ids": [3]}
    value = {**record, **place, "action_tokens": [forced], "sampling": {**sampling, "thinking_budget": budget}}
    yield Mistake("provenance.sampled", "samples nothing", value, ("action_tokens",))


_BREAKERS: Final[dict[str, Callable[[Any], Mistakes]]] = {
    "AdapterRef": _adapter_ref,
    "BatchCompletionRequest": _batch_request,
    "BatchCompletionResponse": _batch_response,
    "ChatCompletionRequest": _chat_request,
    "ChatCompletionResponse": _choices,
    "RolloutChatTemplateInvocationV1": _template_invocation,
    "RolloutProvenanceV1": _provenance,
    "RolloutSamplingConfigV1": _rollout_sampling,
    "RolloutThinkingBudgetV1": _rollout_budget,
    "StreamingTokenTiming": _token_timing,
    "TextCompletionChoice": _text_choice,
    "TextCompletionRequest": _text_request,
    "TextCompletionResponse": _choices,
    "Usage": _usage,
    "thinking_budget.effective": _effective,
    "thinking_budget.outcome": _outcome,
    "thinking_budget.recentRecord": _effective,
    "thinking_budget.record": _record,
}
