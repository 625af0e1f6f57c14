"""Split an answer into reasoning and content at the thinking tags."""

from __future__ import annotations

from typing import Final, NamedTuple

from kiln_server.text.markup import split_at

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class Split(NamedTuple):
    """Text that has arrived in each channel."""

    reasoning: str
    content: str


class ReasoningSplitter:
    """Reads one answer. `inside` says that the prompt has already opened the thinking block.

    A model may also open the block itself, as the very first thing it writes. Neither part is trimmed; a block that
    never closes is all reasoning.
    """

    def __init__(self, *, inside: bool) -> None:
        self._inside = inside
        self._held = ""
        self.is_over = False
        """Whether all that comes is content."""

    def feed(self, text: str) -> Split:
        """Text whose channel is certain."""
        if self.is_over:
            return Split("", text)
        text = self._held + text
        self._held = ""
        if not self._inside:
            if text == OPEN[: len(text)] and len(text) < len(OPEN):
                self._held = text
                return Split("", "")
            if not text.startswith(OPEN):
                self.is_over = True
                return Split("", text)
            self._inside = True
            text = text.removeprefix(OPEN)
        reasoning, rest, closed = split_at(text, CLOSE)
        if closed:
            self.is_over = True
            return Split(reasoning, rest)
        self._held = rest
        return Split(reasoning, "")

    def flush(self) -> Split:
        """What was held back, in the channel it belongs to after all."""
        held, self._held = self._held, ""
        return Split(held, "") if self._inside else Split("", held)
