"""Tool calls inside an answer's content, in the two formats that Qwen models write.

A call stands between `<tool_call>` tags: as JSON with a name and arguments, or as `<function=…>` with `<parameter=…>`
elements, with nothing but white space around it. What is not well formed stays content, word for word.

What an argument says is no markup, so it may mention the tags:

- JSON ends with the bracket that closes its first one; tags in its strings are text.
- A parameter's value ends with the `</parameter>` that closes it. All other tags in it are text, and so are parameters
  inside it, from `<parameter=…>` to `</parameter>`: a whole call may be quoted. A value with a `<parameter=…>` that
  nothing closes is therefore not well formed, and neither is one with a `</parameter>` too many.

An opening tag that no call follows is text, and what comes after it is read anew. So neither prose that mentions the
tag nor a broken call, say one with a string that nothing closes, takes a later call along; at worst that one is found
when the answer ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from kiln_contract.plain_json import read_plain
from kiln_server.text.markup import ArrivingText, Reading, overlap
from kiln_server.text.parameter import parameter_value

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"

_FUNCTION: Final = "<function="
_END_FUNCTION: Final = "</function>"
_PARAMETER: Final = "<parameter="
_END_PARAMETER: Final = "</parameter>"

_DEEPEST: Final = 8
"""How deep parameters may stand inside a value. Without a limit, text would be read anew again and again."""

_INK: Final = re.compile(r"\S")
_TAG: Final = re.compile("<")
_NAME_END: Final = re.compile("[<>]")
_JSON_MARK: Final = re.compile(r"[^ \t\r\n:,.+\-0-9aeflnrstuE]")
"""What is neither white space nor part of a number or of a word such as `true`."""
_STRING_MARK: Final = re.compile(r'["\\\x00-\x1f]')


class ToolCall(NamedTuple):
    """A call as the contract reports it: `arguments` is compact JSON text of an object."""

    id: str
    name: str
    arguments: str

    def as_json(self) -> dict[str, Any]:
        """The OpenAI shape."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


Part = str | ToolCall


class _MalformedError(Exception):
    """No call stands here."""


class _Written(NamedTuple):
    """A call that was written."""

    name: str
    arguments: dict[str, Any]
    end: int
    """Where its closing tag ends."""


class ToolCallParser:
    """Reads the content of one answer and takes the calls out of it.

    Text outside calls that is only white space is dropped once a call was parsed, so it is held back until then.
    """

    def __init__(self, tools: Sequence[Any], new_id: Callable[[], str]) -> None:
        self._parameters = {name: _parameters_of(tool) for tool in tools if (name := _name_of(tool))}
        self._new_id = new_id
        self._arriving = ArrivingText()
        self._given = 0
        """Where the text begins that is not given out yet."""
        self._call: Reading[_Written] | None = None
        """A call that may be under way, its opening tag at `_given`."""
        self._blank: str | None = ""  # white space since the start or a call; None once other text has followed
        self.parsed_any = False

    def feed(self, text: str) -> list[Part]:
        """Content and complete calls, in the order of the text."""
        if not self._arriving.text and OPEN[0] not in text:
            return self._outside(text)  # nearly always, and cheap to see
        self._arriving.add(text)
        return self._parts(is_end=False)

    def flush(self) -> list[Part]:
        """What was held back: an unfinished call is content, blank text is too unless a call was parsed."""
        parts = self._parts(is_end=True)
        blank, self._blank = self._blank, None
        return parts if self.parsed_any or not blank else [*parts, blank]

    def _parts(self, *, is_end: bool) -> list[Part]:
        parts: list[Part] = []
        start = self._given
        while self._call or (start := self._arriving.text.find(OPEN, start)) >= 0:
            call = self._call or _call(self._arriving, start + len(OPEN), self._parameters)
            self._call = None
            try:
                next(call)
            except StopIteration as done:
                written: _Written = done.value
                parts += self._content(start)
                parts.append(self._tool_call(written))
                start = self._given = written.end
            except _MalformedError:
                start += len(OPEN)
            else:
                if not is_end:
                    self._call = call
                    return parts + self._content(start)
                start += len(OPEN)
        text = self._arriving.text
        parts += self._content(len(text) - (0 if is_end else overlap(text, OPEN)))
        self._arriving.drop(self._given)
        self._given = 0
        return parts

    def _content(self, end: int) -> list[Part]:
        """The text up to `end` is none of a call."""
        text = self._arriving.text[self._given : end]
        self._given = end
        return self._outside(text)

    def _outside(self, text: str) -> list[Part]:
        if self._blank is not None:
            text = self._blank + text
            self._blank = text if not text.strip() else None
        return [text] if text and self._blank is None else []

    def _tool_call(self, written: _Written) -> ToolCall:
        self._blank = ""
        self.parsed_any = True
        return ToolCall(self._new_id(), written.name, msgspec.json.encode(written.arguments).decode())


def _call(arriving: ArrivingText, at: int, parameters: Mapping[str, Any]) -> Reading[_Written]:
    """Read what follows an opening tag, step by step; `parameters` are the schemas of the tools' parameters."""
    begin = yield from arriving.find(_INK, at)
    if arriving.text[begin] == "{":
        json_end = yield from _json_end(arriving, begin)
        end = yield from _closed(arriving, json_end)
        return _Written(*_parsed_json(arriving.text[begin:json_end]), end)
    name, values, function_end = yield from _function(arriving, begin)
    end = yield from _closed(arriving, function_end)
    return _Written(name, _typed(values, parameters.get(name)), end)


def _typed(values: Mapping[str, str], parameters: Any) -> dict[str, Any]:
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    schemas = properties if isinstance(properties, dict) else {}
    return {key: parameter_value(text, schemas.get(key), parameters) for key, text in values.items()}


def _closed(arriving: ArrivingText, at: int) -> Reading[int]:
    """The end of the closing tag, before which only white space may stand."""
    at = yield from arriving.find(_INK, at)
    _, at = yield from _tag(arriving, at, CLOSE)
    return at


def _tag(arriving: ArrivingText, at: int, *tags: str) -> Reading[tuple[str, int]]:
    """Which of some tags stands here, and where it ends."""
    found = yield from arriving.one_of(tags, at)
    if found is None:
        raise _MalformedError
    return found, at + len(found)


# JSON


def _json_end(arriving: ArrivingText, at: int) -> Reading[int]:
    """Where an object ends. Not all before that need be JSON, but no tag stands outside its strings."""
    depth = 0
    while True:
        at = yield from arriving.find(_JSON_MARK, at)
        mark = arriving.text[at]
        at += 1
        if mark == '"':
            at = yield from _string_end(arriving, at)
        elif mark in "{[":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if not depth:
                return at
        else:
            raise _MalformedError


def _string_end(arriving: ArrivingText, at: int) -> Reading[int]:
    while True:
        at = yield from arriving.find(_STRING_MARK, at)
        mark = arriving.text[at]
        if mark == '"':
            return at + 1
        if mark != "\\":
            raise _MalformedError  # a control character, say a line break: nothing closed the string
        at += 2


def _parsed_json(text: str) -> tuple[str, dict[str, Any]]:
    try:
        call = read_plain(text)
        arguments = call.get("arguments", {})
        if isinstance(arguments, str):
            arguments = read_plain(arguments)
        name = call["name"]
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError, TypeError, KeyError, AttributeError):
        raise _MalformedError from None
    if not (isinstance(name, str) and name and isinstance(arguments, dict)):
        raise _MalformedError
    return name, arguments


# Elements


def _function(arriving: ArrivingText, at: int) -> Reading[tuple[str, dict[str, str], int]]:
    """A function's name, the text of its parameters, and where it ends."""
    _, at = yield from _tag(arriving, at, _FUNCTION)
    name, at = yield from _name(arriving, at)
    if not name:
        raise _MalformedError
    values: dict[str, str] = {}
    while True:
        at = yield from arriving.find(_INK, at)
        tag, at = yield from _tag(arriving, at, _PARAMETER, _END_FUNCTION)
        if tag == _END_FUNCTION:
            return name, values, at
        key, at = yield from _name(arriving, at)
        end = yield from _value_end(arriving, at)
        values[key] = _unwrapped(arriving.text[at:end])
        at = end + len(_END_PARAMETER)


def _name(arriving: ArrivingText, at: int) -> Reading[tuple[str, int]]:
    """The name that a tag ends with, and where the tag ends."""
    end = yield from arriving.find(_NAME_END, at)
    if end == at or arriving.text[end] == "<":
        raise _MalformedError
    return arriving.text[at:end].strip(), end + 1


def _value_end(arriving: ArrivingText, at: int) -> Reading[int]:
    """Where the tag that closes a parameter stands."""
    depth = 0
    while depth <= _DEEPEST:
        at = yield from arriving.find(_TAG, at)
        tag = yield from arriving.one_of((_PARAMETER, _END_PARAMETER), at)
        if tag == _PARAMETER:
            named = at + len(tag)
            at = yield from arriving.find(_NAME_END, named)
            depth += at > named and arriving.text[at] == ">"
        elif tag == _END_PARAMETER:
            if not depth:
                return at
            depth -= 1
            at += len(tag)
        else:
            at += 1
    raise _MalformedError


def _unwrapped(text: str) -> str:
    """A value without the line breaks that set it off from its tags."""
    return text.removeprefix("\n").removesuffix("\n")


# Tools


def _function_of(tool: Any) -> Mapping[str, Any]:
    function = tool.get("function", tool) if isinstance(tool, dict) else None
    return function if isinstance(function, dict) else {}


def _name_of(tool: Any) -> str | None:
    name = _function_of(tool).get("name")
    return name if isinstance(name, str) else None


def _parameters_of(tool: Any) -> Any:
    return _function_of(tool).get("parameters")
