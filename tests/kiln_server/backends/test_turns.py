from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_contract import ChatMessageInput
from kiln_server.backend import TextAssets
from kiln_server.backends import turns
from kiln_server.backends.bytes_tokenizer import BytesTokenizer
from kiln_server.text.prompt import Prompt, PromptBuilder


def build(messages: list[dict[str, Any]], *, tail: str = "", tools: Any = None, **special: int) -> tuple[Prompt, Any]:
    tokenizer = BytesTokenizer(special)
    turns.add_marks(tokenizer)
    builder = PromptBuilder(TextAssets(tokenizer=tokenizer, chat_template=turns.chat_template(tail)))
    return builder.build(msgspec.convert(messages, list[ChatMessageInput]), tools=tools), tokenizer


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


texts = st.text() | st.lists(st.sampled_from(["<|im_start|>", "<|im_end|>", "user\n", "\n", "{{", "a"])).map("".join)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), texts), min_size=1, max_size=5))
def test_the_last_user_message_is_found_whatever_the_texts_spell(conversation: list[tuple[str, str]]) -> None:
    prompt, tokenizer = build([{"role": role, "content": text} for role, text in conversation])
    said = [text for role, text in conversation if role == "user"]
    found = turns.last_user_message(prompt.ids, tokenizer)
    assert found.decode() == (said[-1] if said else "")


def test_a_prompt_without_turns_or_with_an_open_one() -> None:
    tokenizer = BytesTokenizer()
    turns.add_marks(tokenizer)
    assert turns.last_user_message((), tokenizer) == b""
    assert turns.last_user_message(tuple(b"user\nhello"), tokenizer) == b""
    start = tokenizer.special_ids[turns.START]
    assert turns.last_user_message((start, *b"user\nhello"), tokenizer) == b"hello"


def test_the_prompt_of_a_conversation() -> None:
    prompt, tokenizer = build([{"role": "system", "content": "Be brief."}, user("Hi")])
    assert (
        prompt.text
        == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt.ids.count(tokenizer.special_ids[turns.START]) == 3
    assert not prompt.inside_thinking


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_tail_ends_the_prompt_word_for_word(tail: str) -> None:
    prompt, _ = build([user("q")], tail=tail)
    assert prompt.text.endswith("<|im_end|>\n<|im_start|>assistant\n" + tail)


def test_control_tokens_of_the_tail() -> None:
    prompt, _ = build([user("<think>")], tail="<think>\n", **{"<think>": 300})
    assert prompt.inside_thinking
    assert prompt.ids.count(300) == 1
    assert prompt.ids[-2:] == (300, 10)


@pytest.mark.parametrize("arguments", ['{"city":"Oslo"}', {"city": "Oslo"}])
@pytest.mark.parametrize("content", [{"content": None}, {}, {"content": ""}])
def test_earlier_calls_are_in_the_prompt(arguments: Any, content: dict[str, Any]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "fetch_temp", "arguments": arguments}}
    prompt, _ = build(
        [
            user("How cold?"),
            {"role": "assistant", "tool_calls": [call], **content},
            {"role": "tool", "tool_call_id": "call_1", "content": "17.5"},
        ]
    )
    written = '<tool_call>\n{"name": "fetch_temp", "arguments": {"city": "Oslo"}}\n</tool_call>'
    assert f"<|im_start|>assistant\n\n{written}<|im_end|>\n" in prompt.text
    assert "None" not in prompt.text


@pytest.mark.parametrize("arguments", ["", "[1,2]", "null", "not json"])
def test_arguments_that_are_no_object_are_rendered_word_for_word(arguments: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    prompt, _ = build([user("?"), {"role": "assistant", "content": "", "tool_calls": [call]}])
    assert f'"arguments": {arguments}}}\n</tool_call>' in prompt.text


def test_tools_and_reasoning() -> None:
    tool = {"type": "function", "function": {"name": "get"}}
    prompt, _ = build(
        [user("?"), {"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}, user("ok")], tools=[tool]
    )
    assert prompt.text.startswith('<|im_start|>tools\n{"type": "function", "function": {"name": "get"}}\n<|im_end|>\n')
    assert "<|im_start|>assistant\n<think>\nHm.\n</think>\n\nYes.<|im_end|>" in prompt.text
