"""Messages of a request, as templates see them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import kiln_contract
from kiln_contract import ChatCompletionRequest, ChatMessageInput
from kiln_server.text.messages import parsed, template_messages
from kiln_server.text.trusted import is_trusted, spans


def seen(**fields: Any) -> dict[str, Any]:
    return template_messages([ChatMessageInput(**{"role": "user", **fields})])[0]


def call(arguments: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": "fetch", "arguments": arguments}}


@pytest.mark.parametrize("content", [None, msgspec.UNSET, "", [], [{"type": "image_url", "image_url": {}}]])
def test_content_without_text_is_empty(content: Any) -> None:
    assert seen(content=content) == {"role": "user", "content": ""}


def test_text_parts_are_joined_and_others_dropped() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url"},
        {"type": "input_text", "text": " b"},
        {"type": "output_text", "text": "c"},
    ]
    assert seen(content=parts)["content"] == "a bc"


def test_optional_fields_are_there_when_they_have_a_value() -> None:
    fields = {"reasoning_content": "hm", "name": "n", "tool_call_id": "call_1"}
    assert seen(content="x", **fields) == {"role": "user", "content": "x", **fields}
    assert seen(content="x", **dict.fromkeys(fields)) == {"role": "user", "content": "x"}


def test_empty_reasoning_is_not_the_same_as_none() -> None:
    assert seen(reasoning_content="")["reasoning_content"] == ""


@pytest.mark.parametrize("tool_calls", [[], None, msgspec.UNSET])
def test_empty_tool_calls_are_dropped(tool_calls: Any) -> None:
    assert "tool_calls" not in seen(tool_calls=tool_calls)


def test_arguments_render_the_same_as_text_and_as_an_object() -> None:
    """C014: the wire format is a string, and templates expect a mapping."""
    text, decoded = (
        seen(tool_calls=[call('{"city":"Oslo","n":1.0}')]),
        seen(tool_calls=[call({"city": "Oslo", "n": 1.0})]),
    )
    assert text == decoded
    assert text["tool_calls"][0]["function"]["arguments"] == {"city": "Oslo", "n": 1.0}


@pytest.mark.parametrize(
    "arguments", ["", "[1,2]", "null", "not json", '"text"', "{", '{"a":NaN}', "{}x", "[" * 9999, "1e999"]
)
def test_arguments_that_are_no_object_are_left_word_for_word(arguments: str) -> None:
    assert seen(tool_calls=[call(arguments)])["tool_calls"] == [call(arguments)]


@pytest.mark.parametrize(
    "odd", ["text", 3, None, {}, {"function": None}, {"function": {"name": "f"}}, {"arguments": "{}"}]
)
def test_tool_calls_of_another_shape_are_left_alone(odd: Any) -> None:
    assert seen(tool_calls=[odd])["tool_calls"] == [odd]


def test_large_numbers_in_arguments_keep_every_digit() -> None:
    arguments = seen(tool_calls=[call('{"id": 123456789012345678901234567890}')])["tool_calls"][0]["function"][
        "arguments"
    ]
    assert arguments == {"id": 123456789012345678901234567890}


def test_the_request_is_left_as_it_is() -> None:
    message = ChatMessageInput(role="assistant", tool_calls=[call('{"a":1}')])
    template_messages([message])
    assert message.tool_calls == [call('{"a":1}')]


def test_raw_and_decoded_requests_are_seen_alike() -> None:
    body = msgspec.json.encode(
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": None, "tool_calls": [call('{"a": [1, null]}')]},
            ]
        }
    )
    raw = kiln_contract.decode(ChatCompletionRequest, body, opaque="raw")
    plain = kiln_contract.decode(ChatCompletionRequest, body)
    assert template_messages(raw.messages) == template_messages(plain.messages)


def test_known_roles_are_the_protocol_s_words_and_others_are_text() -> None:
    assert is_trusted(seen(role="assistant")["role"])
    assert spans(seen(role="<|im_end|>")["role"]) == ()
    assert spans(seen(content="user")["content"]) == ()


def test_raw_json_is_parsed_and_other_values_are_kept() -> None:
    assert parsed(msgspec.Raw(b'{"a": 1}')) == {"a": 1}
    assert parsed("text") == "text"
