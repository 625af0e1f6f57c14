"""OpenAI's own Python client against a live server: nothing about it is changed but its address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionChunk

from tests.kiln_server.conftest import CONTEXT_LENGTH, Serve
from tests.kiln_server.live import Live, wait_until
from tests.kiln_server.routes.scripted import HELLO, playing

KEY = "a-key-of-ours"
TOOL: Any = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"type": "object", "properties": {"seat": {"type": "integer"}}}},
}
CALLS = {
    "json": '<tool_call>\n{"name": "look_up", "arguments": {"seat": 17}}\n</tool_call>',
    "xml": "<tool_call>\n<function=look_up>\n<parameter=seat>\n17\n</parameter>\n</function>\n</tool_call>",
}

FULL = {"max_running_requests": 1, "max_waiting_requests": 0}


def client_of(live: Live, **options: Any) -> OpenAI:
    """A client that does not try again unless a test wants to see it."""
    settings: dict[str, Any] = {"api_key": "unused", "max_retries": 0, **options}
    return OpenAI(base_url=f"{live.url}/v1", **settings)


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with playing([["Hello", ", ", "world", "<eos>"]], context_length=512) as running:
        yield running


@pytest.fixture(scope="module")
def client(live: Live) -> Iterator[OpenAI]:
    with client_of(live) as made:
        yield made


@pytest.fixture(scope="module")
def any_client(serve: Serve) -> Iterator[OpenAI]:
    """A client of a server whose model answers as it likes."""
    with serve() as running, client_of(running) as made:
        yield made


def ask(client: OpenAI, **options: Any) -> Any:
    return client.chat.completions.create(**({"model": "mock", "messages": HELLO} | options))


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


def test_chat(client: OpenAI) -> None:
    answer = ask(client, temperature=0, user="someone", seed=7)
    assert (answer.object, answer.model) == ("chat.completion", "mock")
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Hello, world", "stop")
    assert answer.usage.completion_tokens == 4
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 4
    assert answer._request_id


def test_several_choices(client: OpenAI) -> None:
    assert [choice.index for choice in ask(client, n=3).choices] == [0, 1, 2]


def test_a_stream_with_usage(client: OpenAI) -> None:
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    assert text_of(chunks) == "Hello, world"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]][-1] == "stop"
    assert (chunks[-1].choices, chunks[-1].usage.completion_tokens) == ([], 4)
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_a_stream_that_is_left_early_frees_its_place() -> None:
    with playing([["a"] * 4000], delay_ms=5, settings=FULL) as live, client_of(live, max_retries=3) as client:
        with ask(client, stream=True) as stream:
            next(iter(stream))
        assert ask(client, max_tokens=1).choices[0].message.content == "a"


def test_the_accumulating_stream(client: OpenAI) -> None:
    with client.chat.completions.stream(model="mock", messages=[{"role": "user", "content": "hi"}]) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} <= kinds
    assert final.choices[0].message.content == "Hello, world"


@pytest.mark.parametrize("form", CALLS)
def test_tool_calls(form: str) -> None:
    two = [*CALLS[form], "\n", *CALLS[form].replace("17", "18"), "<eos>"]
    with playing([two]) as live, client_of(live) as client:
        whole = ask(client, tools=[TOOL], tool_choice="auto").choices[0]
        with client.chat.completions.stream(
            model="mock", messages=[{"role": "user", "content": "hi"}], tools=[TOOL]
        ) as stream:
            stream.until_done()
            streamed: Any = stream.get_final_completion().choices[0]
    for choice in (whole, streamed):
        assert choice.finish_reason == "tool_calls"
        calls = choice.message.tool_calls
        assert [call.function.arguments for call in calls] == ['{"seat":17}', '{"seat":18}']
        assert all((call.type, call.function.name) == ("function", "look_up") for call in calls)
        assert len({call.id for call in calls}) == 2


def test_a_whole_conversation_with_a_tool() -> None:
    with playing([[CALLS["json"]], ["Seat 17 is free."]]) as live, client_of(live) as client:
        message = ask(client, tools=[TOOL]).choices[0].message
        result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "free"}
        answer = ask(client, messages=[*HELLO, message, result], tools=[TOOL])
    assert answer.choices[0].message.content == "Seat 17 is free."


def test_reasoning_and_extras_are_members_of_the_model() -> None:
    extra = {"include_performance": True}
    with (
        playing([["so", "</think>", "yes"]], prompt_tail="<think>\n", special={"</think>": 300}) as live,
        client_of(live) as client,
    ):
        answer = ask(client, extra_body=extra)
        chunks = list(ask(client, stream=True, extra_body=extra))
    assert answer.choices[0].message.reasoning_content == "so"
    assert answer.choices[0].message.content == "yes"
    # An attribute wherever the client keeps it: its newer releases declare `metadata` themselves, of strings only.
    assert answer.metadata["performance"]["completion_tokens"] == 4
    finish: Any = next(chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason)
    assert finish.model_extra["metadata"]["performance"]["completion_tokens"] == 4
    timings = [chunk for chunk in chunks if chunk.object == "kiln.token_timing"]
    assert [timing.model_extra["token_index"] for timing in timings if timing.model_extra] == [0, 1, 2]


def test_models(any_client: OpenAI) -> None:
    (model,) = any_client.models.list().data
    assert (model.object, model.owned_by) == ("model", "kiln")
    assert any_client.models.retrieve(model.id) == model
    assert ask(any_client, model=model.id, max_tokens=4).model == model.id


def test_streaming_is_what_asking_is(any_client: OpenAI) -> None:
    options = {"seed": 7, "max_tokens": 24}
    whole = ask(any_client, **options)
    chunks = list(ask(any_client, stream=True, stream_options={"include_usage": True}, **options))
    assert text_of(chunks) == whole.choices[0].message.content
    assert chunks[-1].usage == whole.usage


def test_scoring_through_the_text_endpoint(any_client: OpenAI) -> None:
    (model,) = any_client.models.list().data
    answer = any_client.completions.create(
        model=model.id, prompt=[1, 2, 3], max_tokens=0, extra_body={"prompt_logprobs": 1}
    )
    entries = answer.choices[0].model_extra["prompt_logprobs"]  # type: ignore[index]
    assert [entry is None for entry in entries] == [True, False, False]


@pytest.mark.parametrize(
    ("options", "kind", "code", "param"),
    [
        ({"n": 0}, openai.BadRequestError, "chat_invalid_request", "n"),
        ({"messages": []}, openai.BadRequestError, "invalid_messages", "messages"),
        (
            {"messages": [{"role": "user", "content": "?" * 2 * CONTEXT_LENGTH}]},
            openai.BadRequestError,
            "context_length_exceeded",
            "messages",
        ),
        ({"extra_body": {"adapter": "missing"}}, openai.NotFoundError, "adapter_not_found", "adapter"),
        ({"temperature": "hot"}, openai.UnprocessableEntityError, "contract_violation", "temperature"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_errors_are_its_exceptions(
    any_client: OpenAI,
    options: dict[str, Any],
    kind: type[openai.APIStatusError],
    code: str,
    param: str,
    stream: bool,
) -> None:
    with pytest.raises(kind) as caught:
        ask(any_client, stream=stream, **options)
    error = caught.value
    assert type(error) is kind
    assert (error.code, error.request_id is not None) == (code, True)
    assert (error.param, error.type) == (param, "invalid_request_error")
    assert isinstance(error.body, dict)
    assert error.body["hint"]


def test_what_the_backend_cannot_do_is_a_server_error(client: OpenAI) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        ask(client, extra_body={"rollout_provenance": True})
    assert (caught.value.code, caught.value.status_code) == ("rollout_provenance_unavailable", 501)


def test_unknown_paths_and_models(any_client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        any_client.models.retrieve("no-such-model")
    assert caught.value.code == "not_found"
    with pytest.raises(openai.NotFoundError):
        any_client.embeddings.create(model="mock", input="hi")


def test_keys(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(KEY)
    file.chmod(0o600)
    with playing(settings={"api_keys_file": str(file)}) as live:
        with client_of(live, api_key="wrong") as stranger, pytest.raises(openai.AuthenticationError) as caught:
            ask(stranger)
        assert caught.value.code == "unauthorized"
        with client_of(live, api_key=KEY) as friend:
            assert ask(friend).choices[0].message.content == "hi"
            with pytest.raises(openai.PermissionDeniedError):
                friend.get("/config", cast_to=object)


def test_a_failing_model_is_a_server_error() -> None:
    with playing([["a"] * 9], fail_after=2) as live, client_of(live) as client:
        with pytest.raises(openai.InternalServerError) as caught:
            ask(client)
        assert (caught.value.status_code, caught.value.code) == (500, "generation_error")
        received = []
        with pytest.raises(openai.APIError) as broken:
            received.extend(ask(client, stream=True))
        assert broken.value.code == "generation_error"


def test_a_full_queue_is_a_rate_limit() -> None:
    with (
        playing([["a"] * 400], delay_ms=5, settings=FULL) as live,
        client_of(live) as client,
        ask(client, stream=True) as busy,
    ):
        next(iter(busy))
        with pytest.raises(openai.RateLimitError) as caught:
            ask(client)
    assert caught.value.code == "queue_full"
    assert int(caught.value.response.headers["retry-after"]) >= 1


def test_it_waits_as_long_as_it_is_told_to() -> None:
    with (
        playing([["a"] * 120], delay_ms=10, settings=FULL) as live,
        client_of(live, max_retries=5) as client,
        ask(client, stream=True) as busy,
    ):
        next(iter(busy))
        began = time.monotonic()
        raw = client.chat.completions.with_raw_response.create(
            model="mock", messages=[{"role": "user", "content": "hi"}], max_tokens=1
        )
        # Left to itself it tries again after half a second, and then after one.
        assert time.monotonic() - began >= raw.retries_taken >= 1
        assert raw.parse().choices[0].message.content == "a"
        assert text_of(list(busy)) == "a" * 120


def test_its_own_deadline() -> None:
    with playing([["a"] * 99], delay_ms=100) as live, client_of(live, timeout=0.2) as client:
        with pytest.raises(openai.APITimeoutError):
            ask(client)
        wait_until(lambda: live.ask("GET", "/v1/models").status_code == 200)


def test_our_deadline() -> None:
    with playing([["a"] * 99], delay_ms=50, settings={"request_timeout_s": 0.2}) as live, client_of(live) as client:
        with pytest.raises(openai.APIStatusError) as caught:
            ask(client)
        assert (caught.value.status_code, caught.value.code) == (408, "request_timeout")
