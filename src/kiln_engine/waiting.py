"""Sequences that hold nothing yet, or nothing any more."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from kiln_engine.sequence import Sequence


def arrival(sequence: Sequence) -> int:
    """By what sequences are ordered: who came first is served first."""
    return sequence.arrival


class WaitingQueue:
    """In order of arrival, so that a preempted sequence is ahead of all that came after it."""

    def __init__(self) -> None:
        self._sequences: list[Sequence] = []
        self._groups: dict[str, list[Sequence]] = {}

    def __len__(self) -> int:
        return len(self._sequences)

    def __iter__(self) -> Iterator[Sequence]:
        """All that wait now; the queue may change meanwhile."""
        return iter(tuple(self._sequences))

    def add(self, sequence: Sequence) -> None:
        """Let a sequence wait at its place."""
        insort(self._sequences, sequence, key=arrival)
        if sequence.group is not None:
            insort(self._groups.setdefault(sequence.group, []), sequence, key=arrival)

    def discard(self, sequence: Sequence) -> None:
        """Take a sequence out; no-op for one that does not wait here."""
        place = bisect_left(self._sequences, sequence.arrival, key=arrival)
        if place == len(self._sequences) or self._sequences[place] is not sequence:
            return
        del self._sequences[place]
        if sequence.group is not None:
            group = self._groups[sequence.group]
            group.remove(sequence)
            if not group:
                del self._groups[sequence.group]

    def siblings(self, leader: Sequence) -> tuple[Sequence, ...]:
        """Those that want another answer to the leader's prompt and have none of it yet, in order of arrival."""
        group = () if leader.group is None else self._groups.get(leader.group, ())
        return tuple(sequence for sequence in group if are_siblings(leader, sequence))


def are_siblings(leader: Sequence, other: Sequence) -> bool:
    """Whether what the leader computes for its prompt is what the other one needs for its own."""
    return (
        leader.group is not None
        and leader.group == other.group
        and not (leader.scores or other.scores)
        and not (leader.num_generated or other.num_generated)
        and leader.adapter_slot == other.adapter_slot
        and leader.adapter_revision == other.adapter_revision
        and leader.salt == other.salt
        and leader.prompt_ids == other.prompt_ids
    )
