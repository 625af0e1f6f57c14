"""Where buffers go in one stretch of memory, when each is needed for a while only."""

from __future__ import annotations

from bisect import insort
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
    """The lowest places at which no two buffers meet that are in use at the same time, found in order of first use."""
    offsets, end = [0] * len(lifetimes), 0
    in_use: list[_Taken] = []
    for index, lifetime in sorted(enumerate(lifetimes), key=lambda each: each[1].first):
        size = -(-lifetime.num_bytes // ALIGNMENT) * ALIGNMENT
        in_use = [taken for taken in in_use if taken.last >= lifetime.first]
        offset = _lowest_gap(in_use, size)
        insort(in_use, _Taken(offset, offset + size, lifetime.last))
        offsets[index] = offset
        end = max(end, offset + size)
    return Placement(tuple(offsets), end)


class _Taken(NamedTuple):
    """A stretch of memory, and until when it is in use."""

    start: int
    stop: int
    last: int


def _lowest_gap(taken: Sequence[_Taken], size: int) -> int:
    """Where so many bytes fit among stretches that are in order and do not meet."""
    offset = 0
    for stretch in taken:
        if stretch.start >= offset + size:
            break
        offset = max(offset, stretch.stop)
    return offset
