"""Tool calls in text: arguments that mention the tags, broken calls before sound ones, and what reading costs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.text import tool_calls
from kiln_server.text.tool_calls import Part, ToolCall, ToolCallParser
from tests.kiln_server.text.calls import num_calls

TAGS = ["<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=", "<tool", "</", "<think>"]
PAIRED = ["<parameter=x>", "</parameter>"]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"s": {"type": "string"}}}}}]
SOUND = '<tool_call>{"name":"g"}</tool_call>'
ELEMENTS = "<tool_call><function=g></function></tool_call>"


def read(chunks: Iterable[str]) -> list[str | tuple[str, Any]]:
    """Content, joined, and calls, in order."""
    numbers = count()
    parser = ToolCallParser(TOOLS, lambda: f"call_{next(numbers)}")
    found: list[str | tuple[str, Any]] = []
    for part in [*(part for chunk in chunks for part in parser.feed(chunk)), *parser.flush()]:
        if isinstance(part, ToolCall):
            found.append((part.name, json.loads(part.arguments)))
        elif found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return found


def every_way(text: str) -> list[str | tuple[str, Any]]:
    """What all ways to cut a text once give, and that to cut it everywhere."""
    whole = read([text])
    assert read(text) == whole
    for place in range(1, len(text)):
        assert read([text[:place], text[place:]]) == whole
    return whole


# Arguments that mention the tags


@given(st.lists(st.sampled_from([*TAGS, *PAIRED, '"', "\\", "{", "}", "a", "\n", "é"]), max_size=8).map("".join))
def test_a_string_of_json_may_hold_anything(value: str) -> None:
    call = json.dumps({"name": "f", "arguments": {value: [value], "s": value}})
    text = f"<tool_call>\n{call}\n</tool_call>"
    assert every_way(f"a{text}b{text}") == ["a", called := ("f", {value: [value], "s": value}), "b", called]


NO_PARAMETER = ["<parameter=>", "<parameter=x<", "<parameter=<", "</parameter", "<", "a", "\n", *TAGS[:4]]
balanced = st.recursive(
    st.lists(st.sampled_from(NO_PARAMETER), max_size=4).map("".join),
    lambda inner: st.builds("{0}<parameter=x>{1}</parameter>{0}".format, inner, inner),
    max_leaves=4,
)


@given(balanced)
def test_a_value_may_hold_anything_but_a_parameter_that_is_not_whole(value: str) -> None:
    text = f"<tool_call>\n<function=f>\n<parameter=s>\n{value}\n</parameter>\n</function>\n</tool_call>"
    assert every_way(f"a{text}b") == ["a", ("f", {"s": value}), "b"]


@pytest.mark.parametrize("value", PAIRED)
def test_a_value_with_half_a_parameter_is_content(value: str) -> None:
    text = f"<tool_call><function=f><parameter=s>{value}</parameter></function></tool_call>"
    assert every_way(text) == [text]


def test_parameters_may_stand_eight_deep_in_a_value() -> None:
    for depth in (8, 9):
        value = "<parameter=x>" * depth + "</parameter>" * depth
        text = f"<tool_call><function=f><parameter=s>{value}</parameter></function></tool_call>"
        assert read(text) == ([("f", {"s": value})] if depth == 8 else [text])


# Broken calls


@pytest.mark.parametrize(
    "broken",
    [
        "<tool_call>",
        "<tool_call>oops</tool_call>",
        "<tool_call>{}</tool_call>",
        "<tool_call>[]</tool_call>",
        '<tool_call>{"name":"f"}}</tool_call>',
        '<tool_call>{"name":"f"} and</tool_call>',
        '<tool_call>{"name":"f"]</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s":"oops}}</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s":"oops\n}}</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s":"oops\\"}}</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s":oops"}}</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s":"\\',
        '<tool_call>{"name":"f","arguments":{',
        "<tool_call><function=f>",
        "<tool_call><function=>",
        "<tool_call><function= ></function></tool_call>",
        "<tool_call><function=f</function></tool_call>",
        "<tool_call><function=f>oops</function></tool_call>",
        "<tool_call><function=f></function>oops</tool_call>",
        "<tool_call><function=f><parameter=s>1</function></tool_call>",
        "<tool_call><function=f><parameter=s>1<parameter=n>2</parameter></function></tool_call>",
        "<tool_call><function=f><parameter=s>1</parameter></tool_call>",
        "<tool_call><function=f><parameter=s>1</parameter></parameter></function></tool_call>",
        "<tool_call><function=f><parameter=>1</parameter></function></tool_call>",
    ],
)
@pytest.mark.parametrize("sound", [SOUND, ELEMENTS, f"{SOUND} {ELEMENTS}"])
def test_a_broken_call_is_content_and_takes_no_later_call_along(broken: str, sound: str) -> None:
    calls: list[str | tuple[str, Any]] = [("g", {})] * (2 if " " in sound else 1)
    assert every_way(broken) == [broken]
    assert every_way(f"{broken} then {sound}") == [f"{broken} then ", *calls]


def test_what_is_no_call_is_given_out_as_soon_as_that_is_clear() -> None:
    parser = ToolCallParser(TOOLS, str)
    fed: list[list[Part]] = [
        parser.feed(piece) for piece in ("a<tool_", "call> is", " a tag", "<", "b", "<tool_call>{ ")
    ]
    assert fed == [["a"], ["<tool_call> is"], [" a tag"], [], ["<b"], []]
    assert parser.feed("x") == ["<tool_call>{ x"]


def test_a_line_break_ends_a_string_that_nothing_closes() -> None:
    parser = ToolCallParser(TOOLS, str)
    broken = '<tool_call>{"name":"f","arguments":{"s":"oops\n}}</tool_call>'
    assert parser.feed(f"{broken}{ELEMENTS}") == [broken, ToolCall("", "g", "{}")]


# What reading costs


class Examining:
    """A pattern that counts the characters that it looks at."""

    def __init__(self, pattern: re.Pattern[str], looked_at: list[int]) -> None:
        self._pattern = pattern
        self._looked_at = looked_at

    def search(self, text: str, at: int) -> re.Match[str] | None:
        found = self._pattern.search(text, at)
        self._looked_at.append((found.end() if found else len(text)) - at)
        return found


@pytest.mark.parametrize(
    "opening", ["<tool_call>", '<tool_call>{"name":"f","arguments":{"s":"', "<tool_call><function=f><parameter=s>"]
)
@pytest.mark.parametrize("piece", ["abcdefgh", "        ", "<b>"])
def test_an_open_call_is_looked_at_once(opening: str, piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    for name in ("_INK", "_TAG", "_NAME_END", "_JSON_MARK", "_STRING_MARK"):
        monkeypatch.setattr(tool_calls, name, Examining(getattr(tool_calls, name), looked_at))
    parser = ToolCallParser(TOOLS, str)
    for chunk in [opening] + [piece] * 5_000:
        parser.feed(chunk)
    assert sum(looked_at) <= 2 * 5_000 * len(piece)


@pytest.mark.parametrize(
    "opening",
    [
        "<tool_call>",
        "<tool_call>{",
        '<tool_call>{"',
        '<tool_call>{"a":"',
        '<tool_call>{"a":" "',
        '<tool_call>{"",":"',
        "<tool_call><function=",
        "<tool_call><function=f>",
        "<tool_call><function=f><parameter=s>",
        "<tool_call><function=f><parameter=s>1</parameter>",
        '<tool_call><function=f><parameter=s><tool_call>{"',
        '<tool_call>{"<tool_call><function=f><parameter=s>',
    ],
)
def test_many_calls_that_nothing_closes_cost_as_much_as_they_are_long(opening: str) -> None:
    few, many = (num_calls(lambda size=size: read([opening * size])) for size in (50, 400))  # type: ignore[misc]
    assert many < 12 * few
