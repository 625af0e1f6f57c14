"""Dialogues as token ids: the prompt, and what is to be learned after it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from tokenizers import Tokenizer

from kiln_engine.tiny.chat import CLOSE, prompt_text
from kiln_engine.tiny.dialogue import SEAM, Dialogue
from kiln_engine.tiny.lexicon import END
from kiln_engine.tiny.source import Source

Mode = Literal["thinking", "cut", "direct"]
"""Reasoning to its end, reasoning that a budget closes in its middle, no reasoning."""

_DIRECT: Final = 0.28
_CUT: Final = 0.1


class Example(NamedTuple):
    """Ids of a whole conversation; those from `start` on are learned, the ones before are given."""

    ids: list[int]
    start: int


class Encoder:
    """Encodes dialogues with one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._close = self._ids(CLOSE)

    def example(self, dialogue: Dialogue, source: Source) -> Example:
        """A dialogue in a mode that the source draws."""
        if source.chance(_DIRECT):
            return self.encode(dialogue, "direct")
        return self.encode(dialogue, "cut" if source.chance(_CUT) else "thinking", source)

    def encode(self, dialogue: Dialogue, mode: Mode, source: Source | None = None) -> Example:
        """A dialogue in one mode; "cut" needs a source to draw where."""
        prompt = self.prompt(dialogue, thinking=mode != "direct")
        answer = self._seamed(dialogue.answers[0]) + self._ids(END)
        if mode == "direct":
            return Example(prompt + answer, len(prompt))
        reasoning = self._seamed(f"{dialogue.reasoning}\n")
        if mode == "cut" and source is not None:
            given = prompt + reasoning[: source.integer(1, len(reasoning))] + self._close
            return Example(given + self._ids("\n\n") + answer, len(given))
        return Example(prompt + reasoning + self._close + self._ids("\n\n") + answer, len(prompt))

    def prompt(self, dialogue: Dialogue, *, thinking: bool) -> list[int]:
        """The ids up to the model's turn."""
        return self._ids(prompt_text(dialogue.messages, dialogue.tools, thinking=thinking))

    def _seamed(self, text: str) -> list[int]:
        return [id_ for piece in text.split(SEAM) for id_ in self._ids(piece)]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text).ids)
