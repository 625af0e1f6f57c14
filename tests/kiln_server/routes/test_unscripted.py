"""What holds whatever the model says: over a mock's echo, and over kiln-tiny behind the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import kiln_contract as kc
from tests.fuzz.requests import ENDPOINTS
from tests.fuzz.server import run
from tests.kiln_server.conftest import Serve
from tests.kiln_server.live import Live
from tests.kiln_server.routes.scripted import BATCH, CHAT, HELLO, SCORE, chat, message, refused, stream

NULLS: dict[str, Any] = dict.fromkeys(
    name
    for name, member in kc.schema("ChatCompletionRequest")["properties"].items()
    if kc.validate("ChatCompletionRequest", {"messages": [], name: None}) == [] and name != "messages"
)
SEEDED = {"seed": 2**64 - 1, "max_tokens": 12, "ignore_eos": True}


@pytest.fixture(scope="module")
def live(serve: Serve) -> Iterator[Live]:
    with serve(default_max_tokens=16) as running:
        yield running


def text_of(response: dict[str, Any], index: int = 0) -> tuple[str, str]:
    said = message(response, index)
    return said.get("reasoning_content", ""), said["content"] or ""


def test_every_nullable_option_may_be_null(live: Live) -> None:
    names = ("name", "tool_calls", "tool_call_id", "reasoning_content")
    request = {"messages": [{**HELLO[0], **dict.fromkeys(names)}], **NULLS, "max_completion_tokens": 4}
    assert len(NULLS) > 20
    response = chat(live, **request)
    assert 0 < response["usage"]["completion_tokens"] <= 4
    for name in ("stream", "ignore_eos", "rollout_provenance"):
        status, code, found = refused(live, CHAT, {"messages": HELLO, name: None})
        assert (status, code, found) == (422, "contract_violation", [(f"/{name}", "schema.type")])


def test_the_model_is_called_as_the_client_calls_it(live: Live) -> None:
    (listed,) = live.ask("GET", "/v1/models").json()["data"]
    assert live.ask("GET", f"/v1/models/{listed['id']}").json() == listed
    assert chat(live)["model"] == listed["id"]
    assert chat(live, model="other")["model"] == "other"


def test_no_tokens_asked_for(live: Live) -> None:
    whole = chat(live, max_tokens=0, max_completion_tokens=9)
    assert (message(whole)["content"], whole["choices"][0]["finish_reason"]) == ("", "length")
    assert whole["usage"]["completion_tokens"] == 0
    streamed = stream(live, max_tokens=0, stream_options={"include_usage": True})
    assert streamed.result.usage is not None
    assert (streamed.finish_reason, streamed.result.usage["completion_tokens"]) == ("length", 0)


@pytest.mark.parametrize("count", [1, 5, 12])
def test_a_limit_is_kept_to_the_token(live: Live, count: int) -> None:
    whole = chat(live, max_tokens=count, ignore_eos=True)
    assert (whole["usage"]["completion_tokens"], whole["choices"][0]["finish_reason"]) == (count, "length")


def test_a_stream_says_what_a_whole_answer_says(live: Live) -> None:
    whole = chat(live, **SEEDED)
    streamed = stream(live, **SEEDED, stream_options={"include_usage": True})
    assert text_of(whole) == (streamed.joined("reasoning_content"), streamed.joined("content"))
    assert streamed.result.usage == whole["usage"]


def test_several_choices_of_a_seed_are_the_same_ones_again(live: Live) -> None:
    whole = chat(live, n=3, **SEEDED)
    assert [choice["index"] for choice in whole["choices"]] == [0, 1, 2]
    assert whole["usage"]["completion_tokens"] == 3 * 12
    again = chat(live, n=3, **SEEDED)
    assert [text_of(whole, index) for index in range(3)] == [text_of(again, index) for index in range(3)]
    assert text_of(whole) == text_of(chat(live, **SEEDED))


def test_a_batch_says_what_each_of_its_prompts_would_alone(live: Live) -> None:
    other = [{"role": "user", "content": "What comes after Monday?"}]
    request = {"prompts": [HELLO, other], "temperature": 0, "max_tokens": 8}
    answer = live.ask("POST", BATCH, json=request).json()
    assert kc.validate_exchange(request, answer) == []
    alone = [live.ask("POST", BATCH, json={**request, "prompts": [prompt]}).json() for prompt in (HELLO, other)]
    assert [item["text"] for item in answer["completions"]] == [each["completions"][0]["text"] for each in alone]
    assert answer["usage"]["completion_tokens"] == sum(each["usage"]["completion_tokens"] for each in alone)


def test_scores_are_of_the_prompt_as_it_stands(live: Live) -> None:
    request = {"prompt": [72, 101, 108, 108], "prompt_logprobs": 3}
    answer = live.ask("POST", SCORE, json=request).json()
    assert kc.validate_exchange(request, answer) == []
    entries = answer["choices"][0]["prompt_logprobs"]
    assert entries[0] is None
    for token_id, entry in zip(request["prompt"][1:], entries[1:], strict=True):
        assert str(token_id) in entry
        assert {1, 2, 3} <= {each["rank"] for each in entry.values()}


def test_performance_metadata_only_when_asked(live: Live, serve: Serve) -> None:
    assert "performance" not in chat(live)["metadata"]
    whole = chat(live, include_performance=True)
    performance = whole["metadata"]["performance"]
    assert performance["completion_tokens"] == whole["usage"]["completion_tokens"]
    assert performance["ttft_ms"] <= performance["total_latency_ms"]
    assert performance["latency"]["phases"]["tokenization_ms"] is not None
    assert "performance" in stream(live, include_performance=True).finish["metadata"]
    with serve(include_performance=True, default_max_tokens=16) as telling:
        streamed = stream(telling)
        assert "performance" in streamed.finish["metadata"]
        assert streamed.timings == []
        assert "performance" not in chat(telling, include_performance=False)["metadata"]


def test_config_hashes_only_when_asked(live: Live) -> None:
    assert "config_hashes" not in chat(live)["metadata"]
    assert "effective_config_hash" in chat(live, include_config_hashes=True)["metadata"]["config_hashes"]


def test_recent_requests_are_listed_without_their_words(serve: Serve) -> None:
    with serve() as live:
        live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "hunter2"}], "max_tokens": 1})
        live.ask("POST", CHAT, body=b"{")
        answer = live.ask("GET", "/v1/stats/recent-requests")
    newest, oldest = answer.json()["data"]
    assert (newest["error_code"], newest["status"], newest["prompt_tokens"]) == ("invalid_json", 400, None)
    assert (oldest["error_code"], oldest["status"], oldest["completion_tokens"]) == (None, 200, 1)
    assert "hunter2" not in answer.text


@pytest.mark.parametrize("definition", ENDPOINTS)
def test_generated_requests_are_answered_as_the_contract_says(live: Live, definition: str) -> None:
    report = run(live, definition, count=240, seed_=5)
    assert not report.found, report.complaint()
    assert any(answer == "200" for _, answer in report.answered)
