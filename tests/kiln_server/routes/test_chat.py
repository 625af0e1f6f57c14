"""Chat completions on a real socket: text, thinking, tools, stops, usage, and streamed equal to unstreamed."""

from __future__ import annotations

import pytest

import kiln_contract as kc
from tests.kiln_server.routes.scripted import CHAT, HELLO, chat, message, playing, refused, stream

THINK = {"prompt_tail": "<think>\n", "special": {"</think>": 300}}
TOOL = {"type": "function", "function": {"name": "get", "parameters": {"type": "object"}}}


def test_without_a_script_it_echoes() -> None:
    with playing() as live:
        response = chat(live, messages=[{"role": "user", "content": [{"type": "text", "text": "ab"}, {"type": "x"}]}])
        assert message(response)["content"] == "ab"
        assert response["model"] == "mock"
        assert chat(live, model="other")["model"] == "other"


def test_an_emoji_over_several_tokens_arrives_whole() -> None:
    pieces = [{"hex": each} for each in ("6f6b20", "f09f", "98", "80", "21")]
    with playing([pieces]) as live:
        whole = chat(live, max_tokens=5)
        streamed = stream(live, max_tokens=5, include_performance=True, stream_options={"include_usage": True})
    assert message(whole)["content"] == streamed.joined("content") == "ok 😀!"
    assert "\ufffd" not in streamed.raw.decode()
    assert [timing["token_index"] for timing in streamed.timings] == [0, 1, 2, 3, 4]
    assert streamed.result.usage is not None
    assert streamed.result.usage["completion_tokens"] == whole["usage"]["completion_tokens"] == 5


def test_timed_tokens_end_with_the_stop_string_like_all_others() -> None:
    with playing([["a", "b", "c", "d"]]) as live:
        plain, timed = (stream(live, stop="c", include_performance=timed) for timed in (None, True))
        metrics = live.ask("GET", "/metrics").text
    assert plain.joined("content") == timed.joined("content") == "ab"
    assert [timing["token_index"] for timing in timed.timings] == [0, 1, 2]
    assert plain.timings == []
    assert "kiln_tokens_generated_total 6.0" in metrics


TEXT = "counting beans</think>Total is a<b"


@pytest.mark.parametrize("cut", [*range(len(TEXT)), None])
def test_the_closing_tag_may_be_cut_anywhere(cut: int | None) -> None:
    pieces = list(TEXT) if cut is None else [piece for piece in (TEXT[:cut], TEXT[cut:]) if piece]
    with playing([pieces], prompt_tail="<think>\n") as live:
        whole = message(chat(live))
        streamed = stream(live)
    assert (whole["reasoning_content"], whole["content"]) == ("counting beans", "Total is a<b")
    assert streamed.joined("reasoning_content") == "counting beans"
    assert streamed.joined("content") == "Total is a<b"


def test_a_limit_inside_the_thinking_block() -> None:
    with playing([["x"] * 50], **THINK) as live:
        streamed = stream(live, max_tokens=20)
        assert streamed.finish_reason == "length"
        assert streamed.joined("content") == ""
        assert streamed.joined("reasoning_content") == "x" * 20
        whole = chat(live, max_tokens=20)
        assert message(whole) == {"role": "assistant", "content": "", "reasoning_content": "x" * 20}
        metadata = whole["metadata"]
        assert metadata["content_empty_reason"] == "reasoning_without_final_content"
        assert (metadata["final_content_empty"], metadata["reasoning_folded_into_content"]) == (True, False)
        folded = chat(live, max_tokens=20, fold_reasoning_into_content=True)
        assert message(folded)["content"] == "<think>\n" + "x" * 20 + "</think>"
        assert folded["metadata"]["reasoning_folded_into_content"] is True
        assert folded["metadata"]["final_content_empty"] is True


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        (['<tool_call>\n{"name":"get","arguments":{"seat":', "17", "}}\n</tool_call>"], '{"seat":17}'),
        (['<tool_call>\n{"name":"get","arguments":{}}\n</tool_call>'], "{}"),
        (['<tool_call>\n{"name":"get","arguments":{"a":{"b":', "true}}}\n</tool_", "call>"], '{"a":{"b":true}}'),
    ],
)
def test_tool_calls_survive_any_cut(pieces: list[str], arguments: str) -> None:
    with playing([pieces]) as live:
        whole = chat(live, tools=[TOOL])
        streamed = stream(live, tools=[TOOL])
    call = message(whole)["tool_calls"][0]
    assert (call["function"], message(whole)["content"]) == ({"name": "get", "arguments": arguments}, "")
    assert whole["choices"][0]["finish_reason"] == streamed.finish_reason == "tool_calls"
    assert whole["metadata"]["content_empty_reason"] == "tool_call"
    assert [(c["index"], c["function"]) for c in streamed.calls] == [(0, call["function"])]
    assert streamed.joined("content") == ""


def test_a_call_quoted_inside_thinking_is_none() -> None:
    quoted = 'I could emit <tool_call>{"name":"rm","arguments":{}}</tool_call> but no'
    call = 'maybe <tool_call> or <function=rm></think><tool_call>\n{"name":"rm","arguments":{"x":1}}\n</tool_call>'
    tools = [{"type": "function", "function": {"name": "rm"}}]
    with playing([[quoted + "</think>No tool needed."]], prompt_tail="<think>\n") as live:
        for answer in (message(chat(live, tools=tools)), None):
            streamed = stream(live, tools=tools)
            assert streamed.joined("reasoning_content") == quoted
            assert (streamed.calls, streamed.finish_reason) == ([], "stop")
            assert answer is None or answer == {
                "role": "assistant",
                "content": "No tool needed.",
                "reasoning_content": quoted,
            }
    with playing([list(call)], prompt_tail="<think>\n") as live:
        streamed = stream(live, tools=tools)
        assert [c["function"] for c in streamed.calls] == [{"name": "rm", "arguments": '{"x":1}'}]
        assert streamed.finish_reason == "tool_calls"


def test_tools_that_may_not_be_called_are_text() -> None:
    text = '<tool_call>{"name":"get","arguments":{}}</tool_call>'
    with playing([[text]]) as live:
        assert message(chat(live))["content"] == text
        assert message(chat(live, tools=[TOOL], tool_choice="none"))["content"] == text


@pytest.mark.parametrize(
    ("pieces", "content", "reason", "tokens"),
    [
        (["##", "E", "ND", "##", "more"], "", "stop", 4),
        (["##", "E", "ND", "-", "y", "z"], "##END-yz", "length", 6),
        (["x", "##EN", "<eos>"], "x##EN", "stop", 3),
    ],
)
def test_what_may_begin_a_stop_is_held_back(pieces: list[str], content: str, reason: str, tokens: int) -> None:
    with playing([pieces]) as live:
        whole = chat(live, stop="##END##", max_tokens=6)
        streamed = stream(live, stop="##END##", max_tokens=6, stream_options={"include_usage": True})
    assert message(whole)["content"] == streamed.joined("content") == content
    assert whole["choices"][0]["finish_reason"] == streamed.finish_reason == reason
    assert streamed.result.usage is not None
    assert whole["usage"]["completion_tokens"] == streamed.result.usage["completion_tokens"] == tokens


def test_an_empty_stop_never_matches() -> None:
    with playing([["a", "b"]]) as live:
        assert message(chat(live, stop=["", "zz"]))["content"] == "ab"


@pytest.mark.parametrize(("thinking", "triggered"), [(6, False), (9, False), (10, False), (11, True)])
def test_a_budget_stops_counting_when_the_model_closes(thinking: int, triggered: bool) -> None:
    answer = ["t"] * thinking + ["</think>"] + list("abcdefghijklmnopqrst") + ["<eos>"]
    with playing([answer], **THINK) as live:
        whole = chat(live, thinking_budget_tokens=10, max_tokens=64)
    record = whole["metadata"]["thinking_budget"]
    assert (record["configured"], record["applied"], record["triggered"]) == (True, True, triggered)
    assert record["closed"] is True
    assert record["thinking_tokens"] == min(thinking, 10)
    assert message(whole)["content"].endswith("abcdefghijklmnopqrst")
    assert message(whole)["content"].count("</think>") == int(triggered)
    assert whole["choices"][0]["thinking_budget"]["triggered"] is triggered


def test_budget_problems_are_refused_before_any_work() -> None:
    with playing([["a"]], **THINK) as live:
        for members, rule in (
            ({"stop": ["k>Tot"]}, "budget.stop-overlap"),
            ({"stop": "hin"}, "budget.stop-overlap"),
        ):
            request = {"messages": HELLO, "thinking_budget_tokens": 4, **members}
            status, code, found = refused(live, CHAT, request)
            assert (status, code) == (400, "chat_invalid_request")
            assert rule in {r for _, r in found}
        assert chat(live, thinking_budget_tokens=4, max_tokens=1)["usage"]["completion_tokens"] == 1


def test_a_server_default_of_the_budget_with_no_tokens_asked_for() -> None:
    with playing([["a"]], settings={"default_thinking_budget_tokens": 3}, **THINK) as live:
        record = chat(live, max_tokens=0)["metadata"]["thinking_budget"]
    assert (record["tokens_source"], record["applied"]) == ("server_default", False)


def test_what_a_backend_does_not_measure_is_null() -> None:
    with playing([["a", "b"]]) as live:
        assert chat(live, include_performance=True)["metadata"]["performance"]["prefill_ms"] is None


def test_several_choices() -> None:
    with playing([["a"], ["b", "b"], ["c"]]) as live:
        whole = chat(live, n=3)
    assert [choice["message"]["content"] for choice in whole["choices"]] == ["a", "bb", "c"]
    assert whole["usage"]["completion_tokens"] == 2 + 3 + 2


def test_nothing_is_null_in_a_stream_and_roles_come_once() -> None:
    with playing([["Hi", " you", "<eos>"]]) as live:
        streamed = stream(live, max_tokens=3)
    assert b"null" not in streamed.raw
    assert [list(delta) for delta in streamed.deltas] == [["role"], ["content"], ["content"], []]
    assert len({(e["id"], e["created"], e["model"]) for e in streamed.events}) == 1
    assert all("usage" not in event for event in streamed.events)
    assert len(str(streamed.events[0]["created"])) == 10


def test_a_failure_after_the_headers_is_one_error_event() -> None:
    with playing([["a"] * 9], fail_after=3) as live:
        answer = live.ask("POST", CHAT, json={"messages": HELLO, "stream": True})
        result = kc.validate_stream(answer.content)
        assert (result.violations, result.outcome) == ([], "failed")
        assert answer.content.count(b"data: [DONE]") == 1
        assert answer.content.rstrip().endswith(b"data: [DONE]")
        assert b"finish_reason" not in answer.content
        status, code, _ = refused(live, CHAT, {"messages": HELLO})
        assert (status, code) == (500, "generation_error")


def test_stalls_and_deadlines_end_an_answer() -> None:
    with playing([["a"] * 9], delay_ms=400, settings={"stall_timeout_s": 0.1}) as live:
        assert refused(live, CHAT, {"messages": HELLO})[:2] == (500, "generation_error")
        answer = live.ask("POST", CHAT, json={"messages": HELLO, "stream": True})
        assert b'"code":"stalled"' in answer.content
    with playing([["a"] * 99], delay_ms=50, settings={"request_timeout_s": 0.3}) as live:
        assert refused(live, CHAT, {"messages": HELLO})[:2] == (408, "request_timeout")
        answer = live.ask("POST", CHAT, json={"messages": HELLO, "stream": True})
        assert b'"code":"request_timeout"' in answer.content


def test_silence_is_filled_with_comments() -> None:
    with playing([["a", "b"]], delay_ms=300, settings={"keep_alive_s": 0.1}) as live:
        streamed = stream(live)
    assert streamed.result.comments >= 2
    assert streamed.joined("content") == "ab"


def test_seeds_decide_and_absent_ones_differ() -> None:
    rows = [[0.0] * 300]
    with playing(logits=rows) as live:
        options = {"max_tokens": 12, "temperature": 1, "top_p": 1, "top_k": 0, "ignore_eos": True}
        first = stream(live, seed=42, **options).raw.split(b"created")[1:]
        one, two = (message(chat(live, seed=2**64 - 1, **options)) for _ in range(2))
        assert one == two
        assert message(chat(live, **options)) != message(chat(live, **options))
        assert first
