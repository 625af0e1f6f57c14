"""Dialogues with tools."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kiln_engine.tiny.catalog import TASKS
from kiln_engine.tiny.dialogue import Dialogue
from kiln_engine.tiny.source import Source
from kiln_engine.tiny.tool import Tool
from kiln_engine.tiny.topics.tools import no_tool, tool_call, tool_result
from kiln_server.text.tool_calls import ToolCall, ToolCallParser

seeds = st.integers().map(str)


def parsed(made: Dialogue) -> list[Any]:
    numbers = count()
    parser = ToolCallParser(made.tools, lambda: f"call_{next(numbers)}")
    return parser.feed(made.answer) + parser.flush()


@given(seeds)
def test_an_answer_is_one_call_that_the_schema_of_a_given_tool_accepts(seed: str) -> None:
    made = tool_call(Source(seed))
    (call,) = parsed(made)
    assert isinstance(call, ToolCall)
    (schema,) = (tool["function"]["parameters"] for tool in made.tools if tool["function"]["name"] == call.name)
    closed = {**schema, "additionalProperties": False, "required": list(schema["properties"])}
    Draft202012Validator(closed).validate(json.loads(call.arguments))


@given(seeds)
def test_every_argument_stands_in_the_question(seed: str) -> None:
    made = tool_call(Source(seed))
    (call,) = parsed(made)
    question = made.messages[-1]["content"]
    assert all(str(value) in question for value in json.loads(call.arguments).values())


@given(seeds, st.integers(1, 3))
def test_names_of_tools_differ(seed: str, num_tools: int) -> None:
    names = [tool["function"]["name"] for tool in tool_call(Source(seed), num_tools).tools]
    assert len(set(names)) == num_tools


@given(seeds)
def test_where_no_tool_fits_none_is_called(seed: str) -> None:
    made = no_tool(Source(seed))
    assert made.tools
    assert parsed(made) == [made.answer]
    assert made.reasoning.startswith("No tool fits.")


@given(seeds)
def test_a_reply_holds_values_of_the_result_or_the_question(seed: str) -> None:
    made = tool_result(Source(seed))
    asked, call, result = made.messages
    assert call["tool_calls"][0]["function"]["name"] in {tool["function"]["name"] for tool in made.tools}
    known = asked["content"] + " ".join(map(str, json.loads(result["content"]).values()))
    numbers = [word for word in made.answer.replace(":", " ").rstrip(".").split() if word.isdecimal()]
    assert all(number in known for number in numbers)


@given(st.sampled_from(sorted(TASKS)), seeds)
def test_every_question_names_every_parameter(task: str, seed: str) -> None:
    keys = set(Tool(TASKS[task], Source(seed)).draw(Source(seed)))
    assert all({key for key in keys if f"{{{key}}}" in question} == keys for question in TASKS[task].questions)
