"""Find markup in text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TypeVar

_Result = TypeVar("_Result")
Reading = Generator[None, None, _Result]
"""Something that is read step by step; each step asks for more text."""


def split_at(text: str, tag: str) -> tuple[str, str, bool]:
    """Cut text at the first `tag`: what precedes it, what follows it, and whether it was there.

    Without the tag, the second part is the end of the text that may yet begin one.
    """
    before, found, after = text.partition(tag)
    if found:
        return before, after, True
    keep = len(text) - overlap(text, tag)
    return text[:keep], text[keep:], False


def overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` begin `tag`, short of all of it."""
    if tag[0] not in text[1 - len(tag) :]:
        return 0  # nearly always, and cheap to see
    return next((size for size in range(min(len(tag) - 1, len(text)), 0, -1) if tag.startswith(text[-size:])), 0)


class ArrivingText:
    """Text that grows while it is read.

    It is read step by step: `find` and `one_of` yield wherever what has arrived does not decide, and go on from there
    when they are resumed. `at` is the place in `text` to read from.
    """

    def __init__(self) -> None:
        self.text = ""

    def add(self, more: str) -> None:
        """More has arrived."""
        # A string that one variable alone holds grows in place, so that many small pieces cost no more than a long one.
        text, self.text = self.text, ""
        text += more
        self.text = text

    def drop(self, end: int) -> None:
        """Forget what stands before `end`."""
        self.text = self.text[end:]

    def find(self, mark: re.Pattern[str], at: int) -> Reading[int]:
        """Where the next mark stands, which is a single character."""
        while (found := mark.search(self.text, at)) is None:
            at = max(at, len(self.text))
            yield
        return found.start()

    def one_of(self, tags: Sequence[str], at: int) -> Reading[str | None]:
        """Which of some tags stands here; None if none does."""
        while True:
            for tag in tags:
                if self.text.startswith(tag, at):
                    return tag
            arrived = self.text[at : at + max(map(len, tags))]
            if not any(tag.startswith(arrived) for tag in tags):
                return None
            yield
