"""kiln-tiny behind the real server: every endpoint with real tokens, each answer held against its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from kiln_contract import provenance
from kiln_engine.assembly import assemble
from kiln_engine.backend import EngineBackend
from kiln_engine.options import EngineOptions
from kiln_server.app import create_app
from kiln_server.cli import main
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import new_service

CHAT = "/v1/chat/completions"
SUM = [{"role": "user", "content": "What is 2 + 2?"}]
PLAIN = {"top_p": 1, "top_k": 0, "presence_penalty": 0}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    options = EngineOptions(model="kiln-tiny", device="cpu", kv_cache_bytes=64 * 2**20)
    backend = EngineBackend("kiln-tiny", lambda report: assemble(options, report))
    service = new_service(backend)
    with serving(create_app(service)) as running:
        running.run(lambda: backend.start(lambda _: None))
        service.lifecycle.loaded()
        yield running
        running.run(backend.close)


def ask(live: Live, path: str = CHAT, **request: Any) -> dict[str, Any]:
    response = live.ask("POST", path, json=request)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def deltas(live: Live, **request: Any) -> list[dict[str, Any]]:
    response = live.ask("POST", CHAT, json={**request, "stream": True})
    events = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
    return [event["choices"][0]["delta"] for event in events if event.get("choices")]


class TestChat:
    def test_thinks_first(self, live: Live) -> None:
        answer = ask(live, messages=SUM, temperature=0)
        message = answer["choices"][0]["message"]
        assert "4" in message["content"]
        assert message["reasoning_content"]
        assert answer["metadata"]["thinking_mode"] == "reasoning"
        assert answer["choices"][0]["finish_reason"] == "stop"

    def test_does_not_think_when_told_so(self, live: Live) -> None:
        answer = ask(live, messages=SUM, temperature=0, chat_template_kwargs={"enable_thinking": False})
        assert "reasoning_content" not in answer["choices"][0]["message"]
        assert answer["metadata"]["thinking_source"] == "request"

    def test_a_budget_closes_the_thought(self, live: Live) -> None:
        answer = ask(live, messages=SUM, temperature=0, thinking_budget_tokens=2)
        budget = answer["choices"][0]["thinking_budget"]
        assert (budget["triggered"], budget["trigger"], budget["thinking_tokens"]) == (True, "tokens", 2)
        assert answer["choices"][0]["message"]["content"]

    def test_calls_a_tool(self, live: Live) -> None:
        question = [{"role": "user", "content": "What is the weather in Paris?"}]
        answer = ask(live, messages=question, tools=[WEATHER], temperature=0)
        (call,) = answer["choices"][0]["message"]["tool_calls"]
        assert call["function"]["name"] == "get_weather"
        assert json.loads(call["function"]["arguments"]) == {"city": "Paris"}
        assert answer["choices"][0]["finish_reason"] == "tool_calls"

    @pytest.mark.parametrize("sampling", [{"temperature": 0}, {"seed": 5}, {"seed": 6, "temperature": 1.4}])
    def test_a_stream_says_the_same(self, live: Live, sampling: dict[str, Any]) -> None:
        request = {"messages": SUM, "max_tokens": 40, **sampling}
        message = ask(live, **request)["choices"][0]["message"]
        streamed = deltas(live, **request)
        for member in ("content", "reasoning_content"):
            assert "".join(delta.get(member) or "" for delta in streamed) == (message.get(member) or "")

    def test_several_answers_are_several(self, live: Live) -> None:
        request = {"messages": SUM, "n": 4, "seed": 1, "max_tokens": 24, **PLAIN, "temperature": 5.0}
        answer = ask(live, **request)
        texts = [str(choice["message"]) for choice in answer["choices"]]
        assert len(set(texts)) > 1
        assert texts == [str(choice["message"]) for choice in ask(live, **request)["choices"]]

    def test_a_prompt_that_does_not_fit_is_refused(self, live: Live) -> None:
        response = live.ask("POST", CHAT, json={"messages": [{"role": "user", "content": "word " * 3000}]})
        assert (response.status_code, response.json()["error"]["code"]) == (400, "context_length_exceeded")


class TestBatch:
    def test_items_come_in_order(self, live: Live) -> None:
        prompts = [[{"role": "user", "content": f"What is {number} + 1?"}] for number in range(1, 4)]
        answer = ask(live, "/v1/completions/batch", prompts=prompts, n=2, seed=3, max_tokens=24)
        places = [(item["prompt_index"], item["completion_index"]) for item in answer["completions"]]
        assert places == [(prompt, choice) for prompt in range(3) for choice in range(2)]


class TestScoring:
    def test_a_greedy_answer_ranks_first(self, live: Live) -> None:
        record = rollout(live, temperature=0)
        ranks = [position[str(token)]["rank"] for token, position in scored_actions(live, record)]
        assert ranks == [1] * len(ranks)

    def test_sampler_and_scorer_agree(self, live: Live) -> None:
        record = rollout(live, temperature=1, seed=9, **PLAIN)
        scores = scored_actions(live, record)
        for action, (token, position) in zip(record["action_tokens"], scores, strict=True):
            assert action["behavior_logprob"] == pytest.approx(position[str(token)]["logprob"], abs=1e-5)


def rollout(live: Live, **members: Any) -> dict[str, Any]:
    """A record that has been verified."""
    answer = ask(live, messages=SUM, rollout_provenance=True, max_tokens=24, **members)
    record: dict[str, Any] = answer["choices"][0]["rollout_provenance"]
    assert provenance.verify(record, messages=SUM) == []
    return record


def scored_actions(live: Live, record: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Each generated token with what the scorer says of its position."""
    prompt = record["input_token_ids"][: record["prompt_token_count"]]
    actions = [action["token_id"] for action in record["action_tokens"]]
    answer = ask(live, "/v1/completions", prompt=prompt + actions, max_tokens=0, prompt_logprobs=1)
    return list(zip(actions, answer["choices"][0]["prompt_logprobs"][len(prompt) :], strict=True))


class TestOpenAi:
    @pytest.fixture
    def client(self, live: Live) -> Iterator[openai.OpenAI]:
        with openai.OpenAI(base_url=f"{live.url}/v1", api_key="unused", max_retries=0) as client:
            yield client

    def test_chat(self, client: openai.OpenAI) -> None:
        answer = client.chat.completions.create(model="kiln-tiny", messages=SUM, temperature=0)  # type: ignore[call-overload]
        assert "4" in answer.choices[0].message.content

    def test_stream_with_usage(self, client: openai.OpenAI) -> None:
        stream = client.chat.completions.create(  # type: ignore[call-overload]
            model="kiln-tiny", messages=SUM, temperature=0, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        assert "4" in "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert chunks[-1].usage.completion_tokens > 0

    def test_errors_are_its_own(self, client: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match="context"):
            client.chat.completions.create(model="kiln-tiny", messages=[{"role": "user", "content": "word " * 3000}])


def test_one_question_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--model", "kiln-tiny", "--device", "cpu", "What is 2 + 2?"]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == "4"
    assert "2+2=4" in told.err
