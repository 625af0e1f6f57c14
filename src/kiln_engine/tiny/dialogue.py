"""Dialogues: one conversation that ends in a question, and what the model should think and answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Message: TypeAlias = dict[str, Any]
"""A message in OpenAI's form: role, content, and for tools `tool_calls` or `tool_call_id`."""

SEAM: Final = "\u2063"
"""Between two characters of what the model writes: they become different tokens. It is no part of the text."""


@dataclass(frozen=True, kw_only=True)
class Dialogue:
    """A conversation up to the model's turn, and that turn.

    `answers` are all texts that count as right; the first one is learned. `phrasing` names the wording of the question,
    so that wordings can be kept out of training.
    """

    kind: str
    messages: tuple[Message, ...]
    reasoning: str
    answers: tuple[str, ...]
    phrasing: str = ""
    tools: tuple[dict[str, Any], ...] = ()

    @property
    def answer(self) -> str:
        """The text of the model's turn after its reasoning."""
        return self.answers[0].replace(SEAM, "")


def user(content: str) -> Message:
    """A message of the user."""
    return {"role": "user", "content": content}


def assistant(content: str) -> Message:
    """A message of the model."""
    return {"role": "assistant", "content": content}


def system(content: str) -> Message:
    """A message that sets the scene."""
    return {"role": "system", "content": content}
