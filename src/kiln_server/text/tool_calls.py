"""Tool calls inside an answer's content, in the two formats that Qwen models write.

A call stands between `<tool_call>` tags: as JSON with a name and arguments, or as `<function=…>` with `<parameter=…>`
elements. What is not well formed stays content, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from kiln_server.text.markup import split_at

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"

_FUNCTION: Final = re.compile(r"\s*<function=([^<>]+)>(.*)</function>\s*", re.DOTALL)
_PARAMETER: Final = re.compile(r"\s*<parameter=([^<>]+)>(.*?)</parameter>\s*", re.DOTALL)


class ToolCall(NamedTuple):
    """A call as the contract reports it: `arguments` is compact JSON text of an object."""

    id: str
    name: str
    arguments: str

    def as_json(self) -> dict[str, Any]:
        """The OpenAI shape."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


Part = str | ToolCall


class ToolCallParser:
    """Reads the content of one answer and takes the calls out of it.

    Text outside calls that is only white space is dropped once a call was parsed, so it is held back until then.
    """

    def __init__(self, tools: Sequence[Any], new_id: Callable[[], str]) -> None:
        self._types = {name: _parameter_types(tool) for tool in tools if (name := _name_of(tool))}
        self._new_id = new_id
        self._text = ""  # not yet given out: the possible beginning of a tag, or an open call
        self._blank: str | None = ""  # white space since the start or a call; None once other text has followed
        self._open = False
        self.parsed_any = False

    def feed(self, text: str) -> list[Part]:
        """Content and complete calls, in the order of the text."""
        parts: list[Part] = []
        self._text += text
        while True:
            before, rest, found = split_at(self._text, CLOSE if self._open else OPEN)
            if self._open:
                if not found:
                    return parts
                self._text = rest
                self._open = False
                parts += self._close(before)
            else:
                parts += self._content(before)
                self._text = rest
                if not found:
                    return parts
                self._open = True

    def flush(self) -> list[Part]:
        """What was held back: an unfinished call is content, blank text is too unless a call was parsed."""
        rest = (OPEN if self._open else "") + self._text
        self._text, self._open = "", False
        parts = self._content(rest)
        blank, self._blank = self._blank, None
        return parts if self.parsed_any or not blank else [*parts, blank]

    def _content(self, text: str) -> list[Part]:
        if self._blank is not None:
            text = self._blank + text
            self._blank = text if not text.strip() else None
        return [text] if text and self._blank is None else []

    def _close(self, body: str) -> list[Part]:
        # Prose may mention the opening tag before a real call: the innermost one counts.
        prose, mentioned, inner = body.rpartition(OPEN)
        call = self._parse(inner)
        if call is None:
            return self._content(OPEN + body + CLOSE)
        parts = self._content(OPEN + prose) if mentioned else []
        self._blank = ""
        self.parsed_any = True
        return [*parts, call]

    def _parse(self, body: str) -> ToolCall | None:
        parsed = _parse_json(body) or self._parse_xml(body)
        if parsed is None:
            return None
        name, arguments = parsed
        return ToolCall(self._new_id(), name, msgspec.json.encode(arguments).decode())

    def _parse_xml(self, body: str) -> tuple[str, dict[str, Any]] | None:
        function = _FUNCTION.fullmatch(body)
        if function is None:
            return None
        name, inner = function[1].strip(), function[2]
        types = self._types.get(name, {})
        arguments = {}
        position = 0
        while match := _PARAMETER.match(inner, position):
            key = match[1].strip()
            arguments[key] = _typed(_unwrapped(match[2]), types.get(key, frozenset()))
            position = match.end()
        return (name, arguments) if name and not inner[position:].strip() else None


def _parse_json(body: str) -> tuple[str, dict[str, Any]] | None:
    try:
        call = msgspec.json.decode(body.strip())
        arguments = call.get("arguments", {})
        if isinstance(arguments, str):
            arguments = msgspec.json.decode(arguments)
        name = call["name"]
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError, TypeError, KeyError, AttributeError):
        return None  # not this format, or malformed: the caller keeps the text as content
    return (name, arguments) if isinstance(name, str) and name and isinstance(arguments, dict) else None


def _typed(text: str, types: frozenset[str]) -> Any:
    """A parameter's value: as the tool's schema types it, else as JSON if it is JSON, else the text."""
    if "string" in types:
        return None if "null" in types and text.strip() == "null" else text
    try:
        return msgspec.json.decode(text.strip())
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return text  # the model wrote no JSON: the text is all there is


def _unwrapped(text: str) -> str:
    """A value without the line breaks that set it off from its tags."""
    return text.removeprefix("\n").removesuffix("\n")


def _function_of(tool: Any) -> Mapping[str, Any]:
    function = tool.get("function", tool) if isinstance(tool, dict) else None
    return function if isinstance(function, dict) else {}


def _name_of(tool: Any) -> str | None:
    name = _function_of(tool).get("name")
    return name if isinstance(name, str) else None


def _parameter_types(tool: Any) -> dict[str, frozenset[str]]:
    parameters = _function_of(tool).get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {name: _types_of(schema) for name, schema in properties.items()}


def _types_of(schema: Any) -> frozenset[str]:
    """The JSON types that a parameter's schema names."""
    named = schema.get("type") if isinstance(schema, dict) else None
    return frozenset(type_ for type_ in (named if isinstance(named, list) else [named]) if isinstance(type_, str))
