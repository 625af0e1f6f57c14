"""Find markup in text that arrives in pieces."""

from __future__ import annotations


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
