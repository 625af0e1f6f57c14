"""Rules that need a request and its response: did the server answer what was asked?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import exp, fsum
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from kiln_contract._generated.structs import (
    BatchCompletionRequest,
    BatchCompletionResponse,
    ChatCompletionRequest,
    ChatCompletionResponse,
    TextCompletionRequest,
    TextCompletionResponse,
)
from kiln_contract.codec import convert, name_of
from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation, json_type, pointer
from kiln_contract.plain_json import builtins_of
from kiln_contract.validate import validate

RULES: Final[dict[str, str]] = {
    "pair.choices": "A response has as many choices as were asked for: n, or prompts times n.",
    "pair.performance": "Performance metadata is present when asked for, and absent when declined.",
    "pair.config-hashes": "Configuration hashes are present when asked for, and absent when declined.",
    "pair.stop": "No answer holds the text of a stop sequence.",
    "pair.completion-tokens": "No answer is longer than the request's token limit.",
    "pair.provenance": "Choices carry rollout provenance exactly when the request asks for it.",
    "pair.prompt-entries": "A prompt of token ids is answered with one entry a token.",
    "pair.candidates": "An entry lists K or K + 1 candidates; fewer than K only when the others have no probability.",
}

PROBABILITY_TOLERANCE: Final = 1e-3
"""How far the probabilities of a short candidate list may sum from 1: they are rounded, and many."""


class Exchange(NamedTuple):
    """The two halves of one endpoint, and the rules between them."""

    request: type[Any]
    response: type[Any]
    rules: Callable[[Any, Any], Iterator[Violation]]


def validate_exchange(
    request: Any, response: Any, *, max_errors: int = DEFAULT_MAX_ERRORS, show_values: bool = False
) -> list[Violation]:
    """See `kiln_contract.validate_exchange`."""
    exchange = _exchange_of(response)
    asked = _as_struct(request, exchange.request)
    name = name_of(exchange.response)
    plain = builtins_of(response) if isinstance(response, msgspec.Struct) else response
    found = validate(name, plain, max_errors=max_errors, show_values=show_values)
    if found:
        return found
    return list(islice(exchange.rules(asked, convert(exchange.response, plain)), max_errors))


def _as_struct(value: Any, struct: type[Any]) -> Any:
    if isinstance(value, msgspec.Struct):
        if not isinstance(value, struct):
            raise TypeError(f"the response answers a {struct.__name__}, not a {type(value).__name__}")
        value = builtins_of(value)
    return convert(struct, value)


def _exchange_of(response: Any) -> Exchange:
    if isinstance(response, msgspec.Struct):
        kind = getattr(response, "object", None)
    else:
        kind = response.get("object") if isinstance(response, Mapping) else None
    exchange = _EXCHANGES.get(kind) if isinstance(kind, str) else None
    if exchange is None:
        known = ", ".join(sorted(_EXCHANGES))
        raise TypeError(f"cannot tell which endpoint this response is from: its object must be one of {known}")
    return exchange


def _chat(request: ChatCompletionRequest, response: ChatCompletionResponse) -> Iterator[Violation]:
    count = request.n or 1
    if len(response.choices) != count:
        yield _choices(("choices",), count, response.choices)
    yield from _switch(request.include_performance, response.metadata, "performance", "pair.performance")
    yield from _switch(request.include_config_hashes, response.metadata, "config_hashes", "pair.config-hashes")
    folded = response.metadata.reasoning_folded_into_content
    for position, choice in enumerate(response.choices):
        message = choice.message
        texts = {"reasoning_content": message.reasoning_content} | ({} if folded else {"content": message.content})
        yield from _stops(request.stop, ("choices", position, "message"), texts)
        yield from _provenance(request, choice, position)
    yield from _limit(request, response.usage.completion_tokens, count, ("usage", "completion_tokens"))


def _batch(request: BatchCompletionRequest, response: BatchCompletionResponse) -> Iterator[Violation]:
    count = len(request.prompts) * (request.n or 1)
    items = response.completions
    per_prompt = sum(item.prompt_index == 0 for item in items)
    if len(items) != count or per_prompt != (request.n or 1):
        yield _choices(("completions",), count, items)
    for position, item in enumerate(items):
        path = ("completions", position)
        yield from _stops(request.stop, path, {"text": item.text, "reasoning_content": item.reasoning_content})
        yield from _limit(request, item.usage.completion_tokens, 1, (*path, "usage", "completion_tokens"))


def _text(request: TextCompletionRequest, response: TextCompletionResponse) -> Iterator[Violation]:
    entries = response.choices[0].prompt_logprobs
    path = ("choices", 0, "prompt_logprobs")
    if entries is UNSET:
        message = "add prompt_logprobs: this endpoint answers with nothing else"
        yield _violation("pair.prompt-entries", path[:2], message, "prompt_logprobs present", {})
        return
    if not isinstance(request.prompt, str) and len(entries) != len(request.prompt):
        message = f"give one entry for each of the {len(request.prompt)} prompt tokens; there are {len(entries)}"
        yield _violation("pair.prompt-entries", path, message, f"{len(request.prompt)} entries", entries)
    for position, entry in enumerate(entries):
        if entry is not None and not _candidates_hold(entry.values(), request.prompt_logprobs):
            message = (
                f"list the observed token and the {request.prompt_logprobs} likeliest ones: "
                f"{len(entry)} candidates do not cover the probability"
            )
            expected = f"{request.prompt_logprobs} or {request.prompt_logprobs + 1} candidates"
            yield _violation("pair.candidates", (*path, position), message, expected, entry)


def _candidates_hold(entries: Iterable[Any], top_k: int) -> bool:
    logprobs = [entry.logprob for entry in entries]
    if len(logprobs) > top_k + 1:
        return False
    return len(logprobs) >= top_k or abs(fsum(map(_probability, logprobs)) - 1) <= PROBABILITY_TOLERANCE


def _probability(logprob: float) -> float:
    return exp(min(logprob, 1.0))  # a positive logprob is no probability; it must not overflow here


def _switch(asked: Any, metadata: Any, member: str, rule: str) -> Iterator[Violation]:
    present = getattr(metadata, member) is not UNSET
    if isinstance(asked, bool) and asked is not present:
        verb, state = ("add", "present") if asked else ("leave out", "absent")
        message = f"{verb} metadata.{member}: the request sets include_{member} to {str(asked).lower()}"
        yield _violation(rule, ("metadata",), message, f"{member} {state}", {})


def _stops(stop: Any, path: tuple[str | int, ...], texts: dict[str, Any]) -> Iterator[Violation]:
    stops = [stop] if isinstance(stop, str) else stop or ()
    for member, text in texts.items():
        if isinstance(text, str) and any(each and each in text for each in stops):
            message = f"cut {member} before the first stop sequence: its text is never sent"
            yield _violation("pair.stop", (*path, member), message, "text without any stop sequence", text)


def _provenance(request: ChatCompletionRequest, choice: Any, position: int) -> Iterator[Violation]:
    asked = request.rollout_provenance is True
    if asked is not (choice.rollout_provenance is not UNSET):
        verb, state = ("add", "present") if asked else ("leave out", "absent")
        message = f"{verb} rollout_provenance: the request {'asks for it' if asked else 'does not ask for it'}"
        path = ("choices", position)
        yield _violation("pair.provenance", path, message, f"rollout_provenance {state}", {})


def _limit(request: Any, completion_tokens: int, choices: int, path: tuple[str | int, ...]) -> Iterator[Violation]:
    limit = request.max_tokens if isinstance(request.max_tokens, int) else request.max_completion_tokens
    if isinstance(limit, int) and completion_tokens > limit * choices:
        message = f"stop at the token limit: the request allows {limit * choices} completion tokens here"
        yield _violation("pair.completion-tokens", path, message, f"at most {limit * choices}", completion_tokens)


def _choices(path: tuple[str | int, ...], count: int, items: list[Any]) -> Violation:
    message = f"answer with the {count} choices that the request asks for, in order; there are {len(items)}"
    return _violation("pair.choices", path, message, f"{count} items", items)


def _violation(rule: str, path: tuple[str | int, ...], message: str, expected: str, value: Any) -> Violation:
    got = "object" if isinstance(value, msgspec.Struct) else json_type(value)
    return Violation(
        pointer=pointer(path), rule=rule, keyword="", schema_ref="", message=message, expected=expected, got=got
    )


_EXCHANGES: Final = {
    "chat.completion": Exchange(ChatCompletionRequest, ChatCompletionResponse, _chat),
    "batch.completion": Exchange(BatchCompletionRequest, BatchCompletionResponse, _batch),
    "text_completion": Exchange(TextCompletionRequest, TextCompletionResponse, _text),
}
"""Exchanges by the `object` constant of the response."""
