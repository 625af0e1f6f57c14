"""Chat messages as OpenAI-compatible servers type them for pydantic: one TypedDict a role, joined in a union.

Written for this benchmark: the members that such servers accept, so that a peer has the usual work to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Required

# pydantic asks for this TypedDict below Python 3.12.
from typing_extensions import TypedDict


class TextPart(TypedDict, total=False):
    type: Required[Literal["text"]]
    text: Required[str]


class ImageAddress(TypedDict, total=False):
    url: Required[str]
    detail: Literal["auto", "low", "high"]


class ImagePart(TypedDict, total=False):
    type: Required[Literal["image_url"]]
    image_url: Required[ImageAddress]


class Sound(TypedDict, total=False):
    data: Required[str]
    format: Required[Literal["wav", "mp3"]]


class AudioPart(TypedDict, total=False):
    type: Required[Literal["input_audio"]]
    input_audio: Required[Sound]


class RefusalPart(TypedDict, total=False):
    type: Required[Literal["refusal"]]
    refusal: Required[str]


class CalledFunction(TypedDict, total=False):
    name: Required[str]
    arguments: Required[str]


class FunctionCall(TypedDict, total=False):
    id: Required[str]
    type: Required[Literal["function"]]
    function: Required[CalledFunction]


class CalledTool(TypedDict, total=False):
    name: Required[str]
    input: Required[str]


class ToolCall(TypedDict, total=False):
    id: Required[str]
    type: Required[Literal["custom"]]
    custom: Required[CalledTool]


class DeveloperMessage(TypedDict, total=False):
    role: Required[Literal["developer"]]
    content: Required[str | Iterable[TextPart]]
    name: str


class SystemMessage(TypedDict, total=False):
    role: Required[Literal["system"]]
    content: Required[str | Iterable[TextPart]]
    name: str


class UserMessage(TypedDict, total=False):
    role: Required[Literal["user"]]
    content: Required[str | Iterable[TextPart | ImagePart | AudioPart]]
    name: str


class AssistantMessage(TypedDict, total=False):
    role: Required[Literal["assistant"]]
    content: str | Iterable[TextPart | RefusalPart] | None
    refusal: str | None
    name: str
    # An iterable is checked when it is read, as those servers have it; a list would cost them more here.
    tool_calls: Iterable[FunctionCall | ToolCall]


class ToolMessage(TypedDict, total=False):
    role: Required[Literal["tool"]]
    content: Required[str | Iterable[TextPart]]
    tool_call_id: Required[str]


class FunctionMessage(TypedDict, total=False):
    role: Required[Literal["function"]]
    content: Required[str | None]
    name: Required[str]


class AnyMessage(TypedDict, total=False):
    """What a server accepts besides: any role, and members that templates may use."""

    role: Required[str]
    content: str | list[Any] | None
    name: str
    tool_call_id: str | None
    tool_calls: Iterable[FunctionCall] | None
    reasoning_content: str | None


Message = DeveloperMessage | SystemMessage | UserMessage | AssistantMessage | ToolMessage | FunctionMessage | AnyMessage
