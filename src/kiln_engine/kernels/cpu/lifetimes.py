"""Where buffers go in one stretch of memory, when each is needed for a while only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

ALIGNMENT: Final = 64
"""A cache line, which is also the widest vector."""


class Lifetime(NamedTuple):
    """A buffer of so many bytes, in use from one moment to another, both included."""

    num_bytes: int
    first: int
    last: int


class Placement(NamedTuple):
    """Where each buffer begins, and how much memory all of them take."""

    offsets: tuple[int, ...]
    num_bytes: int


def place(lifetimes: Sequence[Lifetime]) -> Placement:
    """The lowest places at which no two buffers meet that are in use at the same time, found one after the other."""
    placed: list[tuple[int, int, Lifetime]] = []
    offsets, end = [], 0
    for lifetime in lifetimes:
        size = -(-lifetime.num_bytes // ALIGNMENT) * ALIGNMENT
        offset = 0
        for start, stop, other in sorted(placed):
            if other.first <= lifetime.last and lifetime.first <= other.last and start < offset + size:
                offset = max(offset, stop)
        placed.append((offset, offset + size, lifetime))
        offsets.append(offset)
        end = max(end, offset + size)
    return Placement(tuple(offsets), end)
