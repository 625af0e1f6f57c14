"""Dialogues as text: the chat template's prompt, and what the model should write after it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

TEMPLATE: Final = Path(__file__).parent / "chat_template.jinja"
CLOSE: Final = "</think>"


def prompt_text(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = (), *, thinking: bool = True
) -> str:
    """The text up to the model's turn: with an open reasoning block, or an empty one where it should not think."""
    variables: dict[str, Any] = {"tools": tools} if tools else {}
    if not thinking:
        variables["enable_thinking"] = False
    return _template().render(messages=messages, add_generation_prompt=True, **variables)


@cache
def _template() -> Template:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
