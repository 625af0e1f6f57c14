"""The chat template: as training renders it, and as the server does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.tiny.chat import TEMPLATE, prompt_text
from kiln_engine.tiny.dialogues import dialogue
from kiln_server.text.template import ChatTemplate

SERVER = ChatTemplate(TEMPLATE.read_text(encoding="utf-8"))
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}],
        **more,
    }


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": "1"}


@given(st.integers(), st.booleans())
@settings(max_examples=200)
def test_the_server_renders_what_training_rendered(seed: int, thinking: bool) -> None:
    made = dialogue(str(seed))
    variables = {"messages": list(made.messages), "add_generation_prompt": True}
    variables |= {"tools": list(made.tools)} if made.tools else {}
    variables |= {} if thinking else {"enable_thinking": False}
    assert str(SERVER.render(variables)) == prompt_text(made.messages, made.tools, thinking=thinking)


def test_thinking_opens_a_block() -> None:
    assert prompt_text([user("Hi")]) == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"


def test_without_thinking_the_block_is_empty() -> None:
    assert prompt_text([user("Hi")], thinking=False).endswith("assistant\n<think>\n\n</think>\n\n")


def test_tools_follow_the_first_system_message() -> None:
    text = prompt_text([{"role": "system", "content": "Be kind."}, user("Hi")], [TOOL])
    assert text.startswith('<|im_start|>system\nBe kind.\n\nTools:\n<tools>\n{"name": "look", "parameters"')
    assert text.count("<|im_start|>system") == 1


def test_reasoning_of_the_current_turn_stays_and_earlier_reasoning_goes() -> None:
    earlier = {"role": "assistant", "content": "Yes.", "reasoning_content": "old"}
    current = call("look", {}, reasoning_content="new")
    text = prompt_text([user("a"), earlier, user("b"), current, result("c")])
    assert "old" not in text
    assert "<think>\nnew\n</think>\n\n<tool_call>" in text


def test_results_side_by_side_share_a_turn() -> None:
    text = prompt_text([user("a"), call("look", {}), result("one"), result("two"), result("three")])
    assert text.count("<|im_start|>user") == 2
    assert "\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>" in text


@pytest.mark.parametrize(("arguments", "written"), [({"a": 1}, '{"a": 1}'), ("{broken", "{broken")])
def test_arguments_are_json_or_stay_as_they_are(arguments: Any, written: str) -> None:
    assert f'{{"name": "look", "arguments": {written}}}' in prompt_text([user("a"), call("look", arguments)])


def test_a_later_system_message_stays_where_it_is() -> None:
    text = prompt_text([user("a"), {"role": "system", "content": "late"}, user("b")])
    assert text.index("a<|im_end|>") < text.index("<|im_start|>system\nlate<|im_end|>") < text.index("b<|im_end|>")
