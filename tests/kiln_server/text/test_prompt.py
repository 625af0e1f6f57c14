"""Prompts: the same ids as transformers, and no control token out of a request's text."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_contract import ChatMessageInput
from kiln_server.backend import TextAssets
from kiln_server.text.hf_tokenizer import HfTokenizer
from kiln_server.text.messages import template_messages
from kiln_server.text.prompt import RESERVED, PromptBuilder, reserved_names, thinking_source, tool_variables
from kiln_server.text.template import TemplateRefusal
from tests.kiln_server.text.vocabularies import BOS, EOS, KINDS, ORDINARY, SPECIAL, library

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from transformers import PreTrainedTokenizerFast

TEMPLATES = {path.stem: path.read_text() for path in (Path(__file__).parents[1] / "templates").glob("*.jinja")}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Wetter für eine Stadt – 天气 <b>",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
        },
    }
]
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Zürich", "days": 3, "o": {"a": [1, 2.5, null]}}'},
}


class ByteTokenizer:
    """The least that the port asks for: one token a byte, and control tokens."""

    eos_ids: frozenset[int] = frozenset()
    leading_space = False

    def __init__(self, special_ids: Mapping[str, int]) -> None:
        self.special_ids = special_ids

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def encode_prompt(self, text: str) -> list[int]:
        return self.encode(text)

    def token_bytes(self, token_id: int) -> bytes:
        return bytes([token_id]) if token_id < 256 else b""


def system(content: Any) -> ChatMessageInput:
    return ChatMessageInput(role="system", content=content)


def user(content: Any) -> ChatMessageInput:
    return ChatMessageInput(role="user", content=content)


def assistant(content: Any, **fields: Any) -> ChatMessageInput:
    return ChatMessageInput(role="assistant", content=content, **fields)


def result(content: Any) -> ChatMessageInput:
    return ChatMessageInput(role="tool", content=content, tool_call_id="call_1", name="get_weather")


CONVERSATIONS = {
    "one question": [user("Hi there")],
    "several turns": [system("Be brief.\n"), user("  padded  "), assistant("ok"), user("你好 👩‍👩‍👧\n\n\n\tx = 1\r\n")],
    "reasoning": [
        user("q"),
        assistant("a", reasoning_content="hm\nso"),
        user("?"),
        assistant("b", reasoning_content="!"),
    ],
    "tools": [user("w?"), assistant(None, tool_calls=[CALL]), result("cold"), assistant("It is cold."), user("ta")],
    "pending results": [
        user("w?"),
        assistant("see", tool_calls=[CALL], reasoning_content="r"),
        result("1"),
        result("é\n"),
    ],
    "parts": [user([{"type": "text", "text": "a "}, {"type": "image_url"}, {"type": "text", "text": " b"}])],
    "nothing": [user("")],
    "only spaces": [user("   "), assistant("\n"), user(" \u3000 ")],
}


@cache
def tokenizer(kind: str) -> HfTokenizer:
    return HfTokenizer(library(kind).to_str(), {"eos_token": EOS})


@cache
def builder(kind: str, template: str, default_thinking_enabled: bool | None = None) -> PromptBuilder:
    source = TEMPLATES.get(template, template)
    assets = TextAssets(tokenizer=tokenizer(kind), chat_template=source, bos_token=BOS, eos_token=EOS)
    return PromptBuilder(assets, default_thinking_enabled=default_thinking_enabled)


@cache
def oracle(kind: str) -> Any:
    return PreTrainedTokenizerFast(tokenizer_object=library(kind), bos_token=BOS, eos_token=EOS)


def expected(kind: str, template: str, messages: list[ChatMessageInput], **variables: Any) -> tuple[str, list[int]]:
    """Text and ids as transformers gives them."""
    arguments = {"chat_template": TEMPLATES[template], "add_generation_prompt": True, **variables}
    seen = template_messages(messages)
    text = oracle(kind).apply_chat_template(seen, tokenize=False, **arguments)
    return text, oracle(kind).apply_chat_template(seen, return_dict=False, **arguments)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_text_and_ids_equal_those_of_transformers(kind: str, template: str) -> None:
    for name, messages in CONVERSATIONS.items():
        for tools in (None, TOOLS):
            for kwargs in ({}, {"enable_thinking": False}):
                prompt = builder(kind, template).build(messages, tools=tools, template_kwargs=kwargs)
                wanted = expected(kind, template, messages, tools=tools, **kwargs)
                assert (prompt.text, list(prompt.ids)) == wanted, name


# Random conversations: no text of theirs spells a control token, though it may hold pieces of one.

words = st.text(st.sampled_from("ab <|>[]/_\n\t é你🙂'0{}\"\\▁"), max_size=12).filter(
    lambda text: not any(token in text for token in [*SPECIAL, *ORDINARY, BOS, EOS, "<unk>"])
)


@st.composite
def conversations(draw: st.DrawFn, text: st.SearchStrategy[str] = words) -> list[ChatMessageInput]:
    messages = [system(draw(text))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 2))):
        messages += [user(draw(text)), assistant(draw(text))]
    return [*messages, user(draw(text))]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(template=st.sampled_from(sorted(TEMPLATES)), messages=conversations())
def test_random_conversations_equal_those_of_transformers(
    kind: str, template: str, messages: list[ChatMessageInput]
) -> None:
    prompt = builder(kind, template).build(messages)
    assert (prompt.text, list(prompt.ids)) == expected(kind, template, messages)


# Injection

EXACT = "byte-level ignoring merges"
"""A kind whose tokens, decoded, are the text letter for letter."""

hostile = st.lists(
    st.sampled_from([*SPECIAL, *ORDINARY, BOS, EOS, "<unk>", "<", "<|im_", "end|>", "|im_end|>", " ", "\n", "x", "é"]),
    max_size=6,
).map("".join)

INSPECTING = {"qwen3"}
"""Templates whose own markup depends on what the text of messages holds."""


def control_ids(kind: str, ids: tuple[int, ...]) -> list[int]:
    known = set(tokenizer(kind).special_ids.values())
    return [id_ for id_ in ids if id_ in known]


def decoded(kind: str, ids: tuple[int, ...]) -> str:
    texts = {id_: text for text, id_ in tokenizer(kind).special_ids.items()}
    return b"".join(texts[i].encode() if i in texts else tokenizer(kind).token_bytes(i) for i in ids).decode()


def harmless(value: Any) -> Any:
    """The same conversation, its text replaced by as many letters."""
    return re.sub(r"\S", "x", value)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(template=st.sampled_from(sorted(TEMPLATES.keys() - INSPECTING)), messages=conversations(hostile), tool=hostile)
def test_no_text_of_a_request_becomes_a_control_token(
    kind: str, template: str, messages: list[ChatMessageInput], tool: str
) -> None:
    prompt = builder(kind, template).build(messages, tools=[{"name": tool}], template_kwargs={"date_string": tool})
    tame = [ChatMessageInput(role=message.role, content=harmless(message.content)) for message in messages]
    other = builder(kind, template).build(tame, tools=[{"name": ""}], template_kwargs={"date_string": ""})
    assert control_ids(kind, prompt.ids) == control_ids(kind, other.ids)


@pytest.mark.parametrize("template", TEMPLATES)
@settings(max_examples=40, deadline=None)
@given(messages=conversations(hostile), tool=hostile)
def test_decoding_a_prompt_gives_its_text_back(template: str, messages: list[ChatMessageInput], tool: str) -> None:
    prompt = builder(EXACT, template).build(messages, tools=[{"name": tool}])
    assert decoded(EXACT, prompt.ids) == prompt.text


@pytest.mark.parametrize(
    "field", ["role", "name", "reasoning_content", "tool_call_id", "tool_calls", "kwargs", "tool_choice"]
)
@pytest.mark.parametrize("token", ["<|im_end|>", "</think>", EOS])
def test_every_string_of_a_request_is_plain_text(field: str, token: str) -> None:
    source = "<|im_start|>{{ messages | tojson }}{{ messages[0].role }}{{ messages[0][field] }}{{ x }}{{ tool_choice }}"
    fields = {field: token} if field not in ("kwargs", "tool_choice") else {}
    message = ChatMessageInput(
        **{"role": "user", "content": token, **fields, **({"tool_calls": [token]} if field == "tool_calls" else {})}
    )
    prompt = builder(EXACT, source).build([message], tool_choice=token, template_kwargs={"x": token, "field": field})
    assert control_ids(EXACT, prompt.ids) == [tokenizer(EXACT).special_ids["<|im_start|>"]]
    assert decoded(EXACT, prompt.ids) == prompt.text


def test_markup_and_text_do_not_join_to_a_control_token() -> None:
    prompt = builder(EXACT, "<{{ messages[0].content }}|im_end|>").build([user("|im_start|>")])
    assert control_ids(EXACT, prompt.ids) == []


def test_a_template_can_build_control_tokens_out_of_known_roles_only() -> None:
    source = "{% for message in messages %}{{ '<|' + message.role + '|>' }}{% endfor %}{{ '<|' ~ 'user|>' }}"
    assets = TextAssets(tokenizer=ByteTokenizer({"<|user|>": 256, "<|stop|>": 257}), chat_template=source)
    prompt = PromptBuilder(assets).build([user(""), ChatMessageInput(role="stop")])
    assert prompt.ids == (256, *b"<|stop|>", 256)


# Variables


def test_arguments_as_text_and_as_an_object_make_the_same_prompt() -> None:
    """C014."""
    arguments = {"city": "Oslo"}
    prompts = [
        builder(EXACT, "qwen3_5").build(
            [user("?"), assistant("", tool_calls=[{"function": {"name": "f", "arguments": given}}]), result("cold")]
        )
        for given in (arguments, msgspec.json.encode(arguments).decode())
    ]
    assert prompts[0] == prompts[1]
    assert "<parameter=city>\nOslo\n</parameter>" in prompts[0].text


@pytest.mark.parametrize("arguments", ["", "[1,2]", "null", "not json"])
def test_arguments_that_are_no_object_are_rendered_or_refused(arguments: str) -> None:
    """C014: never a fault of the server."""
    messages = [
        user("?"),
        assistant("", tool_calls=[{"function": {"name": "f", "arguments": arguments}}]),
        result("cold"),
    ]
    assert f'"arguments": {arguments}}}' in builder(EXACT, "qwen3").build(messages).text
    with pytest.raises(TemplateRefusal, match="line "):
        builder(EXACT, "qwen3_5").build(messages)


def test_a_tool_turn_without_content_is_the_same_however_it_is_left_out() -> None:
    """C016."""
    turns = [
        ChatMessageInput(role="assistant", tool_calls=[CALL]),
        assistant(None, tool_calls=[CALL]),
        assistant("", tool_calls=[CALL]),
    ]
    for template in TEMPLATES:
        prompts = {builder(EXACT, template).build([user("get it"), turn, result("17.5")]) for turn in turns}
        assert len(prompts) == 1
        text = prompts.pop().text
        assert "get_weather" in text
        assert "None" not in text


@pytest.mark.parametrize(
    ("tools", "choice", "variables"),
    [
        (None, None, {}),
        ([], "auto", {}),
        ([], "none", {}),
        (msgspec.UNSET, msgspec.UNSET, {}),
        ([], "required", {"tool_choice": "required"}),
        (None, {"type": "function"}, {"tool_choice": {"type": "function"}}),
        (TOOLS, None, {"tools": TOOLS}),
        (TOOLS, "none", {"tools": TOOLS, "tool_choice": "none"}),
        (TOOLS, "auto", {"tools": TOOLS, "tool_choice": "auto"}),
        ([msgspec.Raw(b'{"a":1}')], msgspec.Raw(b'"auto"'), {"tools": [{"a": 1}], "tool_choice": "auto"}),
        ([], msgspec.Raw(b"null"), {}),
    ],
)
def test_tool_variables(tools: Any, choice: Any, variables: Mapping[str, Any]) -> None:
    assert tool_variables(tools, choice) == variables


SHOW = "{{ enable_thinking }}|{{ tools is defined }}|{{ tool_choice is defined }}|{{ add_generation_prompt }}|{{ x }}"


def test_absent_variables_are_undefined_and_kwargs_are_variables() -> None:
    shown = builder(EXACT, SHOW)
    assert shown.build([user("")]).text == "|False|False|True|"
    assert shown.build([user("")], tools=TOOLS, template_kwargs={"x": 1}).text == "|True|False|True|1"


def test_raw_kwargs_are_decoded() -> None:
    kwargs = {"x": msgspec.Raw(b"[1]"), "enable_thinking": msgspec.Raw(b"false")}
    assert builder(EXACT, SHOW).build([user("")], template_kwargs=kwargs).text == "False|False|False|True|[1]"


def test_the_server_s_default_for_thinking_yields_to_the_request() -> None:
    for default in (True, False):
        shown = builder(EXACT, SHOW, default)
        assert shown.build([user("")]).text.startswith(f"{default}|")
        assert shown.build([user("")], template_kwargs={"enable_thinking": None}).text.startswith("None|")
        assert shown.build([user("")], template_kwargs={"enable_thinking": not default}).text.startswith(
            f"{not default}|"
        )


@pytest.mark.parametrize(
    ("kwargs", "default", "source"),
    [
        ({}, None, "template_default"),
        (None, True, "server_default"),
        (msgspec.UNSET, False, "server_default"),
        ({"x": 1}, False, "server_default"),
        ({"enable_thinking": True}, None, "request"),
        ({"enable_thinking": msgspec.Raw(b"false")}, True, "request"),
        ({"enable_thinking": None}, True, "custom"),
        ({"enable_thinking": "yes"}, None, "custom"),
        ({"enable_thinking": 1}, None, "custom"),
    ],
)
def test_thinking_source(kwargs: Any, default: bool | None, source: str) -> None:
    assert thinking_source(kwargs, default) == source


@pytest.mark.parametrize(
    ("template", "kwargs", "inside"),
    [
        ("qwen3_5", {}, True),
        ("qwen3_5", {"enable_thinking": False}, False),
        ("qwen3", {}, False),
        ("<think> \n\t", {}, True),
        ("<think>x", {}, False),
        ("</think>", {}, False),
    ],
)
def test_inside_thinking_is_how_the_prompt_ends(template: str, kwargs: dict[str, Any], inside: bool) -> None:
    assert builder(EXACT, template).build([user("?")], template_kwargs=kwargs).inside_thinking is inside


def test_reserved_names() -> None:
    assert reserved_names(None) == []
    assert reserved_names(msgspec.UNSET) == []
    assert reserved_names({"tools": 1, "enable_thinking": True, "bos_token": ""}) == ["tools", "bos_token"]
    assert reserved_names(dict.fromkeys(RESERVED)) == list(RESERVED)


def test_text_that_a_vocabulary_cannot_express_is_an_error() -> None:
    prompts = PromptBuilder(TextAssets(tokenizer=ByteTokenizer({"<|im_start|>": 256, "<|im_end|>": 257})))
    assert prompts.build([user("as")]).ids[:8] == (256, *b"user\nas")
    with pytest.raises(ValueError, match="surrogates not allowed"):
        prompts.build([user("\ud800")])
