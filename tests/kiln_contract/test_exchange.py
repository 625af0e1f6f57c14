"""Rules between a request and its response."""

from __future__ import annotations

from typing import Any

import pytest

import kiln_contract as kc
from tests.kiln_contract.samples import batch_response, chat_request, entry, example, provenance, text_request


def chat_response(content: str = "4", **message: Any) -> dict[str, Any]:
    response = example("ChatCompletionResponse")
    response["choices"][0]["message"].update(content=content, **message)
    return dict(response)


def text_response(*entries: Any) -> dict[str, Any]:
    response = example("TextCompletionResponse")
    response["choices"][0]["prompt_logprobs"] = list(entries)
    return dict(response)


def with_provenance() -> dict[str, Any]:
    response = chat_response()
    response["choices"][0]["rollout_provenance"] = provenance()
    return response


def with_hashes() -> dict[str, Any]:
    response = chat_response()
    response["metadata"]["config_hashes"] = {}
    return response


def folded(content: str) -> dict[str, Any]:
    response = chat_response(content, reasoning_content="r")
    response["metadata"]["reasoning_folded_into_content"] = True
    return response


def prompts(count: int, **members: Any) -> dict[str, Any]:
    return {"prompts": [[{"role": "user", "content": "x"}]] * count, **members}


SURE = {"1": entry(0.0, 1)}

CASES: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = [
    (chat_request(), chat_response(), []),
    (chat_request(n=2), chat_response(), [("/choices", "pair.choices")]),
    (chat_request(n=None), chat_response(), []),
    (prompts(2), batch_response((0, 0), (1, 0)), []),
    (prompts(1, n=2), batch_response((0, 0), (1, 0)), [("/completions", "pair.choices")]),
    (prompts(2, n=2), batch_response((0, 0)), [("/completions", "pair.choices")]),
    (chat_request(include_performance=True), chat_response(), [("/metadata", "pair.performance")]),
    (chat_request(include_performance=False), chat_response(), []),
    (chat_request(include_config_hashes=True), with_hashes(), []),
    (chat_request(include_config_hashes=None), with_hashes(), []),
    (chat_request(include_config_hashes=False), with_hashes(), [("/metadata", "pair.config-hashes")]),
    (chat_request(stop="4"), chat_response("a4"), [("/choices/0/message/content", "pair.stop")]),
    (chat_request(stop=["", "x"]), chat_response("a4"), []),
    (
        chat_request(stop=["r"]),
        chat_response(reasoning_content="r"),
        [("/choices/0/message/reasoning_content", "pair.stop")],
    ),
    (chat_request(stop=["</think>"]), folded("<think>\nr</think>"), []),
    (prompts(1, stop="Red"), batch_response((0, 0)), [("/completions/0/text", "pair.stop")]),
    (chat_request(max_tokens=1), chat_response(), []),
    (chat_request(max_tokens=0), chat_response(), [("/usage/completion_tokens", "pair.completion-tokens")]),
    (
        chat_request(max_tokens=None, max_completion_tokens=0),
        chat_response(),
        [("/usage/completion_tokens", "pair.completion-tokens")],
    ),
    (chat_request(max_tokens=1, max_completion_tokens=0), chat_response(), []),
    (
        prompts(1, max_tokens=1),
        batch_response((0, 0)),
        [("/completions/0/usage/completion_tokens", "pair.completion-tokens")],
    ),
    (chat_request(rollout_provenance=True), with_provenance(), []),
    (chat_request(rollout_provenance=True), chat_response(), [("/choices/0", "pair.provenance")]),
    (chat_request(rollout_provenance=False), with_provenance(), [("/choices/0", "pair.provenance")]),
    (text_request(), text_response(None, SURE, SURE), []),
    (text_request(), text_response(None, SURE), [("/choices/0/prompt_logprobs", "pair.prompt-entries")]),
    (text_request(prompt="any"), text_response(None, SURE), []),
    (text_request(prompt=[1, 2], prompt_logprobs=0), text_response(None, {"1": entry(-9.0, 3)}), []),
    (
        text_request(prompt=[1, 2], prompt_logprobs=2),
        text_response(None, {"1": entry(-0.7, 1), "2": entry(-0.8, 2), "9": entry(-4, 7)}),
        [],
    ),
    (
        text_request(prompt=[1, 2], prompt_logprobs=1),
        text_response(None, {"1": entry(-0.7, 1), "2": entry(-0.8, 2), "9": entry(-4, 7)}),
        [("/choices/0/prompt_logprobs/1", "pair.candidates")],
    ),
    (
        text_request(prompt=[1, 2], prompt_logprobs=5),
        text_response(None, {"1": entry(-0.25, 1)}),
        [("/choices/0/prompt_logprobs/1", "pair.candidates")],
    ),
    (
        text_request(prompt=[1, 2], prompt_logprobs=5),
        text_response(None, {"1": entry(-0.6931, 1), "2": entry(-0.6932, 2)}),
        [],
    ),
]


@pytest.mark.parametrize(("request_", "response", "broken"), CASES)
def test_pair(request_: dict[str, Any], response: dict[str, Any], broken: list[tuple[str, str]]) -> None:
    assert [(v.pointer, v.rule) for v in kc.validate_exchange(request_, response)] == broken


def test_every_pair_rule_is_broken_by_some_case() -> None:
    broken = {rule for _, _, found in CASES for _, rule in found}
    assert broken == {rule for rule in kc.RULES if rule.startswith("pair.")}


def test_structs_and_dicts_give_the_same() -> None:
    request, response = chat_request(n=2, stop="4"), chat_response()
    typed = kc.validate_exchange(
        kc.convert(kc.ChatCompletionRequest, request), kc.convert(kc.ChatCompletionResponse, response)
    )
    assert typed == kc.validate_exchange(request, response)
    assert len(typed) == 2


def test_a_missing_scoring_answer_is_named() -> None:
    response = example("TextCompletionResponse")
    del response["choices"][0]["prompt_logprobs"]
    found = kc.validate_exchange(text_request(), response)
    assert [(v.pointer, v.rule) for v in found] == [("/choices/0", "pair.prompt-entries")]


def test_a_response_that_breaks_the_contract_is_judged_alone() -> None:
    found = kc.validate_exchange(chat_request(n=2), chat_response() | {"created": "now"})
    assert [(v.pointer, v.rule) for v in found] == [("/created", "schema.type")]


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(kc.ContractViolation, match="/messages"):
        kc.validate_exchange({"messages": 1}, chat_response())
    with pytest.raises(TypeError, match=r"object must be one of batch\.completion"):
        kc.validate_exchange(chat_request(), {"object": "other"})
    with pytest.raises(TypeError, match="answers a ChatCompletionRequest, not a TextCompletionRequest"):
        kc.validate_exchange(kc.convert(kc.TextCompletionRequest, text_request()), chat_response())


def test_max_errors_bounds_the_list() -> None:
    request = prompts(4, n=4, max_tokens=1)
    response = batch_response(*((p, c) for p in range(4) for c in range(4)))
    assert len(kc.validate_exchange(request, response)) == 16
    assert len(kc.validate_exchange(request, response, max_errors=3)) == 3
