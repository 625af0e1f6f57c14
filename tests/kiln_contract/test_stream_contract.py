"""The stream grammar together with the real validator, on whole bodies."""

from __future__ import annotations

from typing import Any

import kiln_contract as kc
from tests.kiln_contract.samples import chat_request, example

IDENTITY = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}
METADATA = {"thinking_budget": example("ChatCompletionResponse")["metadata"]["thinking_budget"]}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def chunk(delta: dict[str, Any], **members: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta} | {k: v for k, v in members.items() if k == "finish_reason"}
    return IDENTITY | {"choices": [choice]} | {k: v for k, v in members.items() if k != "finish_reason"}


def body(*events: dict[str, Any] | str) -> bytes:
    return b"".join(kc.sse.encode_data(event if isinstance(event, str) else kc.encode(event)) for event in events)


ANSWER = [
    chunk({"role": "assistant"}),
    chunk({"content": "Hi"}),
    chunk({}, finish_reason="stop", metadata=METADATA),
    IDENTITY | {"choices": [], "usage": USAGE},
    "[DONE]",
]
REQUEST = chat_request(stream=True, stream_options={"include_usage": True})


def test_a_whole_answer_conforms() -> None:
    result = kc.validate_stream(body(*ANSWER), REQUEST)
    assert result.violations == []
    assert (result.outcome, result.events, result.usage) == ("completed", 5, USAGE)


def test_a_schema_violation_names_its_event() -> None:
    broken = [*ANSWER[:1], chunk({"content": None}), *ANSWER[2:]]
    result = kc.validate_stream(body(*broken), REQUEST)
    assert [(v.event, v.pointer, v.rule) for v in result.violations] == [(1, "/choices/0/delta/content", "schema.type")]


def test_a_semantic_violation_names_its_event() -> None:
    broken = [*ANSWER[:3], IDENTITY | {"choices": [], "usage": USAGE | {"total_tokens": 9}}, "[DONE]"]
    result = kc.validate_stream(body(*broken), REQUEST)
    assert [(v.event, v.pointer, v.rule) for v in result.violations] == [(3, "/usage/total_tokens", "usage.total")]


def test_a_reported_failure_is_well_formed() -> None:
    error = {"error": {"message": "m", "type": "server_error", "code": "stalled", "hint": "h", "param": None}}
    result = kc.validate_stream(body(*ANSWER[:2], error, "[DONE]"), REQUEST)
    assert (result.violations, result.outcome) == ([], "failed")


def test_token_timings_need_the_opt_in() -> None:
    events = [*ANSWER[:2], example("StreamingTokenTiming"), *ANSWER[2:]]
    assert kc.validate_stream(body(*events), REQUEST | {"include_performance": True}).violations == []
    assert [v.rule for v in kc.validate_stream(body(*events), REQUEST).violations] == ["stream.timing-opt-in"]


def test_a_duplicate_key_inside_an_event_is_refused() -> None:
    twice = kc.encode(ANSWER[1])[:-1] + b',"model":"m"}'
    result = kc.validate_stream(body(ANSWER[0]) + kc.sse.encode_data(twice) + body(*ANSWER[2:]))
    assert [(v.event, v.rule) for v in result.violations] == [(1, "json.duplicate-key")]
