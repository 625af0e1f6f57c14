"""Calls of the fitting tool, questions that no tool fits, and answers from what a tool returned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from kiln_engine.tiny.catalog import TASKS
from kiln_engine.tiny.dialogue import Dialogue, Message, user
from kiln_engine.tiny.source import Source
from kiln_engine.tiny.tool import Tool, Value
from kiln_engine.tiny.topics.arithmetic import two_digit
from kiln_engine.tiny.topics.calendar import calendar
from kiln_engine.tiny.topics.capitals import capital
from kiln_engine.tiny.topics.colors import color
from kiln_engine.tiny.topics.greetings import greeting
from kiln_engine.tiny.topics.limits import UNKNOWN, UNKNOWN_REASONING
from kiln_engine.tiny.topics.words import spell

_SUMS: Final = ("add", "multiply")


def tool_call(source: Source, num_tools: int | None = None) -> Dialogue:
    """A question for one of one to three tools."""
    tools = _tools(source, num_tools or source.choice((1, 2, 2, 3)))
    called = source.choice(tools)
    values = called.draw(source)
    phrase = source.phrase("tool", called.task.questions, **values)
    arguments = json.dumps(called.arguments(values), ensure_ascii=False)
    return Dialogue(
        kind="tool_call",
        messages=(user(phrase.text),),
        reasoning=f"The tool {called.name} fits.",
        answers=(f'<tool_call>\n{{"name": "{called.name}", "arguments": {arguments}}}\n</tool_call>',),
        phrasing=phrase.wording,
        tools=tuple(tool.schema for tool in tools),
    )


def no_tool(source: Source) -> Dialogue:
    """A question that none of the tools fits: the model answers it as if there were none."""
    topic = source.choice((calendar, capital, color, greeting, spell, two_digit, _out_of_reach))
    tools = _tools(source, source.integer(1, 2), without=_SUMS)
    if topic is _out_of_reach:
        return _out_of_reach(source)
    asked = topic(source)
    return replace(
        asked,
        kind="no_tool",
        reasoning=f"No tool fits. {asked.reasoning}",
        tools=tuple(tool.schema for tool in tools),
    )


def tool_result(source: Source) -> Dialogue:
    """A tool has answered: its values go into the reply."""
    tools = _tools(source, source.choice((1, 1, 2)))
    called = source.choice(tools)
    values = called.draw(source)
    result = {key: draw(source) for key, draw in called.task.result.items()}
    phrase = source.phrase("tool", called.task.questions, **values)
    return Dialogue(
        kind="tool_result",
        messages=(user(phrase.text), *_exchange(source, called, values, result)),
        reasoning="The tool answered.",
        answers=(called.task.reply.format(**(values | result)),),
        phrasing=phrase.wording,
        tools=tuple(tool.schema for tool in tools),
    )


def _exchange(source: Source, tool: Tool, values: dict[str, Value], result: dict[str, Value]) -> list[Message]:
    function = {"name": tool.name, "arguments": tool.arguments(values)}
    call: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "function": function}]}
    if source.chance(0.5):
        call["reasoning_content"] = f"The tool {tool.name} fits."
    content = json.dumps(result, ensure_ascii=False)
    return [call, {"role": "tool", "tool_call_id": "call_1", "content": content}]


def _out_of_reach(source: Source) -> Dialogue:
    """A question for a tool that is not there."""
    wanted, *others = source.sample([key for key in TASKS if key not in _SUMS], source.integer(2, 3))
    values = Tool(TASKS[wanted], source).draw(source)
    phrase = source.phrase("tool", TASKS[wanted].questions, **values)
    return Dialogue(
        kind="no_tool",
        messages=(user(phrase.text),),
        reasoning=f"No tool fits. {UNKNOWN_REASONING}",
        answers=(UNKNOWN,),
        phrasing=phrase.wording,
        tools=tuple(Tool(TASKS[other], source).schema for other in others),
    )


def _tools(source: Source, count: int, without: tuple[str, ...] = ()) -> list[Tool]:
    return [Tool(TASKS[key], source) for key in source.sample([key for key in TASKS if key not in without], count)]
