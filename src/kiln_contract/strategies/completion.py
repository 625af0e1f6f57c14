"""What makes a drawn document true as well as well-formed: the rules between members.

A completion takes a document whose members conform one by one and returns one that also keeps the conditional and
semantic rules. It changes as little as it must, so that the drawn corners survive. It never writes into the document
that it is given: a filled array holds one item many times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kiln_contract.canonical import dumps
from kiln_contract.semantics import (
    MAX_BATCH_OUTPUTS,
    MAX_SCORED_CANDIDATES,
    MAX_STOP_BYTES,
    MAX_TEMPLATE_INVOCATION_BYTES,
)
from kiln_contract.strategies import scalar
from kiln_contract.strategies.definition import definition, members, resolve

Document = dict[str, Any]
Completion = Callable[[DrawFn, Document], Document]


def without(document: Document, *names: str) -> Document:
    """A copy that lacks some members."""
    return {key: value for key, value in document.items() if key not in names}


# Requests


def _chat_request(draw: DrawFn, request: Document) -> Document:
    if isinstance(request.get("adapters"), list) and "adapter" in request:
        request = without(request, draw(st.sampled_from(("adapter", "adapters"))))
    if request.get("stream") is True and (request.get("n") or 1) > 1:
        request = {**request, **draw(st.sampled_from(({"n": 1}, {"n": None}, {"stream": False})))}
    return _rollout_request(draw, request) if request.get("rollout_provenance") is True else request


def _rollout_request(draw: DrawFn, request: Document) -> Document:
    fixed: Document = {"ignore_eos": False, "stream": False, "n": 1, "tools": [], "tool_choice": None}
    request = {key: fixed.get(key, value) for key, value in request.items()}
    for name in ("max_tokens", "max_completion_tokens"):
        if request.get(name) == 0:
            request[name] = draw(st.sampled_from((None, 1, 4096)))
    for name, node in members(definition("RolloutSamplingConfigV1")).items():
        if request.get(name) is not None and name not in ("max_tokens", "stop"):
            request[name] = draw(st.one_of(st.none(), scalar.scalars(node)))
    return request


def _batch_request(draw: DrawFn, request: Document) -> Document:
    if isinstance(request.get("adapters"), list) and isinstance(request.get("adapter"), str):
        request = draw(
            st.sampled_from((without(request, "adapter"), without(request, "adapters"), {**request, "adapter": None}))
        )
    most = MAX_BATCH_OUTPUTS // len(request["prompts"])
    return request if (request.get("n") or 1) <= most else {**request, "n": draw(st.sampled_from((1, most)))}


def _text_request(_: DrawFn, request: Document) -> Document:
    scored = 0 if isinstance(request["prompt"], str) else len(request["prompt"]) - 1
    if scored * (request["prompt_logprobs"] + 1) <= MAX_SCORED_CANDIDATES:
        return request
    return {**request, "prompt_logprobs": MAX_SCORED_CANDIDATES // scored - 1}


# Responses


def _usage(_: DrawFn, usage: Document) -> Document:
    return {**usage, "total_tokens": int(usage["prompt_tokens"]) + int(usage["completion_tokens"])}


def _numbered_choices(_: DrawFn, response: Document) -> Document:
    choices = [{**choice, "index": index} for index, choice in enumerate(response["choices"])]
    return {**response, "choices": choices}


def _batch_response(draw: DrawFn, response: Document) -> Document:
    items = response["completions"]
    per_prompt = draw(st.sampled_from([count for count in range(1, len(items) + 1) if len(items) % count == 0]))
    numbered = [
        {**item, "prompt_index": index // per_prompt, "completion_index": index % per_prompt}
        for index, item in enumerate(items)
    ]
    usage = {name: sum(int(item["usage"][name]) for item in items) for name in response["usage"]}
    return {**response, "completions": numbered, "usage": usage}


def _token_timing(_: DrawFn, event: Document) -> Document:
    total = float(event["response_delivery_ms"]) + float(event["handler_queue_ms"])
    if math.isinf(total):
        return {**event, "response_delivery_ms": 0, "queue_delay_ms": event["handler_queue_ms"]}
    return {**event, "queue_delay_ms": total}


def _text_choice(_: DrawFn, choice: Document) -> Document:
    maps = [_ranked(entries) for entries in choice.get("prompt_logprobs", ()) if entries]
    return {**choice, "prompt_logprobs": [None, *maps]} if "prompt_logprobs" in choice else choice


def _ranked(entries: Document) -> Document:
    logprobs = sorted((entry["logprob"] for entry in entries.values()), reverse=True)
    rank = 0
    ranked = {}
    for (token, entry), logprob in zip(entries.items(), logprobs, strict=True):
        rank = max(rank + 1, int(entry["rank"]))
        ranked[token] = {**entry, "logprob": logprob, "rank": rank}
    return ranked


# Thinking budgets


def _effective(draw: DrawFn, budget: Document) -> Document:
    budget = {**budget, "configured": "max_tokens" in budget or "max_time_ms" in budget}
    for rule in definition("thinking_budget.effective")["allOf"][1:]:
        (limit,) = rule["if"]["required"]
        consequence = rule["then" if limit in budget else "else"]["properties"]
        for source, node in consequence.items():
            if budget[source] not in node["enum"]:
                budget[source] = draw(st.sampled_from(node["enum"]))
    return budget


def _outcome(draw: DrawFn, outcome: Document) -> Document:
    if not outcome["triggered"]:
        return without(outcome, "trigger")
    return {"trigger": draw(_member("outcome", "trigger")), **outcome}


def _record(draw: DrawFn, record: Document) -> Document:
    record = _effective(draw, record)
    applied = record["configured"] and record["applied"]
    if not applied or "closed" not in record:
        return {
            **without(record, "closed", "trigger", "thinking_tokens", "thinking_time_ms"),
            "applied": applied,
            "triggered": False,
        }
    counters = {name: draw(_member("record", name)) for name in ("thinking_tokens", "thinking_time_ms")}
    return _outcome(draw, {**counters, **record})


def _member(name: str, key: str) -> st.SearchStrategy[Any]:
    return scalar.scalars(resolve(members(definition(f"thinking_budget.{name}"))[key]))


def _rollout_budget(_: DrawFn, budget: Document) -> Document:
    return budget if "max_tokens" in budget or "max_time_ms" in budget else {**budget, "max_tokens": 0}


# Rollout provenance


def _rollout_sampling(_: DrawFn, sampling: Document) -> Document:
    stops = list(sampling["stop"])
    while sum(len(stop.encode()) for stop in stops) > MAX_STOP_BYTES:
        stops = stops[: len(stops) // 2]
    return {**sampling, "stop": stops}


def _template_invocation(_: DrawFn, invocation: Document) -> Document:
    if len(dumps(invocation)) <= MAX_TEMPLATE_INVOCATION_BYTES:
        return invocation
    return {key: value[:1] if isinstance(value, list) else value for key, value in invocation.items()}


def _provenance(draw: DrawFn, record: Document) -> Document:
    ids = [*record["input_token_ids"], draw(scalar.integers(_TOKEN_ID))]
    num_prompt = draw(st.integers(1, len(ids) - 1))
    places = draw(st.lists(st.integers(num_prompt, len(ids) - 1), min_size=1, unique=True).map(sorted))
    close_ids = record["sampling"].get("thinking_budget", {}).get("close_token_ids", [])
    sampled = draw(st.sampled_from(places))
    tokens = []
    for place in places:
        if place == sampled or not close_ids or draw(st.booleans()):
            token = {"source": "sampled", "behavior_logprob": draw(scalar.numbers(_LOGPROB))}
        else:
            ids[place] = draw(st.sampled_from(close_ids))
            token = {"source": "forced", "behavior_logprob": None}
        tokens.append({"sequence_index": place, "token_id": ids[place], **token})
    return {**record, "input_token_ids": ids, "prompt_token_count": num_prompt, "action_tokens": tokens}


_TOKEN_ID: Final = definition("RolloutProvenanceV1")["properties"]["input_token_ids"]["items"]
_LOGPROB: Final = definition("RolloutActionTokenV1")["oneOf"][0]["properties"]["behavior_logprob"]

COMPLETIONS: Final[dict[str, Completion]] = {
    "BatchCompletionRequest": _batch_request,
    "BatchCompletionResponse": _batch_response,
    "ChatCompletionRequest": _chat_request,
    "ChatCompletionResponse": _numbered_choices,
    "RolloutChatTemplateInvocationV1": _template_invocation,
    "RolloutProvenanceV1": _provenance,
    "RolloutSamplingConfigV1": _rollout_sampling,
    "RolloutThinkingBudgetV1": _rollout_budget,
    "StreamingTokenTiming": _token_timing,
    "TextCompletionChoice": _text_choice,
    "TextCompletionRequest": _text_request,
    "TextCompletionResponse": _numbered_choices,
    "Usage": _usage,
    "thinking_budget.effective": _effective,
    "thinking_budget.outcome": _outcome,
    "thinking_budget.recentRecord": _effective,
    "thinking_budget.record": _record,
}
"""Completions by definition. Whatever a member's own definition asks for is already done."""
