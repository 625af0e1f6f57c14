"""Prompts: a conversation and what goes with it, rendered and encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, Protocol, runtime_checkable

from msgspec import UNSET, Struct

from kiln_contract import ChatMessageInput
from kiln_server.backend import TextAssets, Tokenizer
from kiln_server.text.control_tokens import ControlTokens
from kiln_server.text.messages import parsed, template_messages
from kiln_server.text.template import ChatTemplate
from kiln_server.text.trusted import Span, TrustedText, spans, trusted

RESERVED: Final = frozenset(
    {
        "messages",
        "tools",
        "tool_choice",
        "add_generation_prompt",
        "chat_template",
        "bos_token",
        "eos_token",
        "tokenize",
    }
)
"""Names that `chat_template_kwargs` may not set."""

THINK: Final = "<think>"

ThinkingSource = Literal["request", "custom", "server_default", "template_default"]


class Prompt(Struct, frozen=True):
    """A rendered and encoded prompt. `inside_thinking` says that it ends inside a thinking block it has opened."""

    text: str
    ids: tuple[int, ...]
    inside_thinking: bool


@runtime_checkable
class RenderedEncoder(Protocol):
    """A tokenizer with rules of its own for the text beside control tokens; others need no such method."""

    def encode_rendered(self, text: str, trusted_spans: Sequence[Span]) -> list[int]:
        """Encode a text in which control tokens count only inside the trusted spans.

        Raises ValueError for text that has no encoding.
        """


class PromptBuilder:
    """Builds the prompts of one model; threads may share it.

    `default_thinking_enabled` is the template variable `enable_thinking` for requests that do not set it. Raises
    TemplateRefusal when the model's template cannot be read.
    """

    def __init__(
        self, assets: TextAssets, *, default_thinking_enabled: bool | None = None, template: ChatTemplate | None = None
    ) -> None:
        self._template = ChatTemplate(assets.chat_template) if template is None else template
        self._encode = _encoder(assets.tokenizer)
        self._always = {"bos_token": trusted(assets.bos_token), "eos_token": trusted(assets.eos_token)}
        self._defaults = {} if default_thinking_enabled is None else {"enable_thinking": default_thinking_enabled}

    def build(
        self,
        messages: Sequence[ChatMessageInput],
        *,
        tools: Any = None,
        tool_choice: Any = None,
        template_kwargs: Any = None,
    ) -> Prompt:
        """Render and encode a conversation; null and missing mean the same for each of the others.

        Raises TemplateRefusal, or ValueError for text that the model's vocabulary cannot express.
        """
        rendered = self.render(messages, tools=tools, tool_choice=tool_choice, template_kwargs=template_kwargs)
        text = str.__str__(rendered)  # the same text, as a plain string
        return Prompt(text, tuple(self._encode(text, spans(rendered))), text.rstrip().endswith(THINK))

    def render(
        self,
        messages: Sequence[ChatMessageInput],
        *,
        tools: Any = None,
        tool_choice: Any = None,
        template_kwargs: Any = None,
    ) -> TrustedText:
        """The prompt's text alone. Raises TemplateRefusal."""
        return self._template.render(
            {
                **self._defaults,
                **{name: parsed(value) for name, value in (template_kwargs or {}).items()},
                **self._always,
                "messages": template_messages(messages),
                "add_generation_prompt": True,
                **tool_variables(tools, tool_choice),
            }
        )


def reserved_names(template_kwargs: Any) -> list[str]:
    """The names in a request's `chat_template_kwargs` that it may not set, in order."""
    return [name for name in template_kwargs or () if name in RESERVED]


def tool_variables(tools: Any, tool_choice: Any) -> dict[str, Any]:
    """The variables `tools` and `tool_choice`, as far as a template gets to see them."""
    variables: dict[str, Any] = {}
    if tools:
        variables["tools"] = [parsed(tool) for tool in tools]
    choice = None if tool_choice is UNSET else parsed(tool_choice)
    if choice is not None and (tools or choice not in ("auto", "none")):
        variables["tool_choice"] = choice
    return variables


def thinking_source(template_kwargs: Any, default_thinking_enabled: bool | None) -> ThinkingSource:
    """What decided whether the model thinks: `thinking_source` of a response's metadata."""
    if template_kwargs and "enable_thinking" in template_kwargs:
        return "request" if isinstance(parsed(template_kwargs["enable_thinking"]), bool) else "custom"
    return "template_default" if default_thinking_enabled is None else "server_default"


def _encoder(tokenizer: Tokenizer) -> Callable[[str, Sequence[Span]], list[int]]:
    if isinstance(tokenizer, RenderedEncoder):
        return tokenizer.encode_rendered
    control, plain = ControlTokens.of(tokenizer.special_ids), tokenizer.encode
    return lambda text, regions: control.encode(text, regions, plain)
