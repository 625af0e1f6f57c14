"""Request messages as chat templates read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from kiln_contract import ChatMessageInput
from kiln_contract.plain_json import read_plain
from kiln_contract.provenance import content_text
from kiln_server.text.trusted import trusted

ROLES: Final = {
    role: trusted(role) for role in ("system", "developer", "user", "assistant", "tool", "function", "ipython")
}
"""Roles that count as the protocol's own words, not as text of the request.

A template may build control tokens out of a role (`'<|' + message.role + '|>'`); with one of these it still can.
"""

_OPTIONAL: Final = ("reasoning_content", "name", "tool_call_id")


def template_messages(messages: Iterable[ChatMessageInput]) -> list[dict[str, Any]]:
    """Messages as a template sees them: `content` always there and flattened to text, what is null or empty left out.

    Arguments of tool calls that hold a JSON object as a string are decoded; the messages themselves stay as they are.
    """
    return [_message(message) for message in messages]


def parsed(value: Any) -> Any:
    """A JSON value that may have been kept as raw JSON text."""
    return read_plain(value) if isinstance(value, Raw) else value


def _message(message: ChatMessageInput) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "role": ROLES.get(message.role, message.role),
        "content": content_text(message.content),
    }
    if message.tool_calls is not UNSET and message.tool_calls:
        seen["tool_calls"] = [_tool_call(parsed(call)) for call in message.tool_calls]
    for name in _OPTIONAL:
        if (value := getattr(message, name)) is not None and value is not UNSET:
            seen[name] = value
    return seen


def _tool_call(call: Any) -> Any:
    match call:
        case {"function": {"arguments": str(arguments)} as function}:
            return {**call, "function": {**function, "arguments": _decoded(arguments)}}
    return call


def _decoded(arguments: str) -> Any:
    """Arguments as an object where the string holds one; any other string is rendered word for word."""
    try:
        value = read_plain(arguments)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments
