"""A long agent conversation: a system prompt, many tools, and a history of calls with their results.

Everything follows from counters, so that each run measures the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

TOOLS: Final = 20
ROUNDS: Final = 12
"""Turns of four messages: a question, a call, its result, an answer. With the two opening messages that makes 50."""

_PROSE: Final = (
    "the build failed because a module that reads the schema was moved while its tests still import it from the old "
    "place so run the suite again after the path is fixed and compare every row with what was stored before"
)
_WORDS: Final = tuple(_PROSE.split())
ASCII: Final = ("the parser of the cafe", "a pause of 3 us, twice", "answer: yes", "just one line differs")
UNICODE: Final = ("the café's naïve parser", "a 3 µs pause — twice", "ответ: да", "一行だけ違う")
"""Asides that are strewn over the messages. One character outside ASCII changes how a body is read."""

_VERBS: Final = ("read", "write", "search", "list", "move")
_NOUNS: Final = ("file", "branch", "ticket", "table")


def agent_request(base: dict[str, Any], asides: Sequence[str] = ASCII) -> dict[str, Any]:
    """A chat request with 50 messages, 20 tools and nearly every option, on top of a smaller valid one."""
    return {
        **base,
        "model": "example-model",
        "messages": list(_messages(asides)),
        "n": 1,
        "temperature": 0.7,
        "top_p": 0.95,
        "top_k": 20,
        "min_p": 0.05,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.25,
        "repetition_penalty": 1.05,
        "sampling_preset": "qwen3-thinking-coding",
        "max_tokens": 4096,
        "ignore_eos": False,
        "thinking_budget_tokens": 2048,
        "thinking_budget_ms": None,
        "stream": False,
        "stream_options": None,
        "stop": ["\n\nUser:", "<end>"],
        "seed": 123_456_789_012_345,
        "adapter": "code-review",
        "tools": [_tool(index) for index in range(TOOLS)],
        "tool_choice": "auto",
        "chat_template_kwargs": {"enable_thinking": True, "date": "2025-01-01"},
        "fold_reasoning_into_content": False,
        "include_performance": True,
        "include_config_hashes": True,
    }


def _messages(asides: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": _text(0, 300)}
    yield {"role": "user", "content": [{"type": "text", "text": _text(1, 60)}, {"type": "text", "text": asides[0]}]}
    for turn in range(ROUNDS):
        yield {"role": "user", "content": f"{_text(turn, 30)} {asides[turn % len(asides)]}"}
        yield {
            "role": "assistant",
            "content": "",
            "reasoning_content": _text(turn + 3, 65),
            "tool_calls": [_call(turn)],
        }
        yield {"role": "tool", "tool_call_id": f"call_{turn:04}", "content": _result(turn)}
        yield {"role": "assistant", "content": _text(turn + 5, 75)}


def _text(start: int, words: int) -> str:
    return " ".join(_WORDS[(start * 5 + index * 7) % len(_WORDS)] for index in range(words))


def _call(turn: int) -> dict[str, Any]:
    arguments = {"target": f"src/part_{turn}/main.py", "limit": 40 + turn, "reason": _text(turn, 8)}
    return {
        "id": f"call_{turn:04}",
        "type": "function",
        "function": {"name": _tool_name(turn), "arguments": json.dumps(arguments)},
    }


def _result(turn: int) -> str:
    lines = [{"line": line, "text": _text(turn + line, 9), "score": line / 8} for line in range(6)]
    return json.dumps({"found": lines, "more": turn % 2 == 0})


def _tool_name(index: int) -> str:
    return f"{_VERBS[index % len(_VERBS)]}_{_NOUNS[index // len(_VERBS) % len(_NOUNS)]}"


def _tool(index: int) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": _tool_name(index),
            "description": _text(index, 24),
            "parameters": {
                "type": "object",
                "properties": {
                    "target": {"type": "string", "description": _text(index + 1, 10)},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 40},
                    "mode": {"type": "string", "enum": ["exact", "prefix", "regex"]},
                    "filters": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"key": {"type": "string"}, "value": {"type": ["string", "null"]}},
                            "required": ["key"],
                        },
                    },
                    "since": {"type": "string", "format": "date-time", "description": _text(index + 2, 12)},
                    "reason": {"type": "string", "description": _text(index + 3, 16)},
                },
                "required": ["target"],
                "additionalProperties": False,
            },
        },
    }
