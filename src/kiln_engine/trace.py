"""Where the time of an answer went: one record a step, and for each answer the steps that it took part in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kiln_server.backend import Phase, Span

PHASES: Final[frozenset[Phase]] = frozenset(
    {
        "actor_queue",
        "actor_admission",
        "actor_prefill",
        "actor_decode",
        "actor_cycle_idle",
        "sampling",
        "readback",
    }
)
"""Phases that are measured; on a CPU there are no graphs to capture and nothing to synchronise with."""


class StepRecord(NamedTuple):
    """One step, on the monotonic clock in nanoseconds; each stretch begins where the one before ends."""

    number: int
    start_ns: int
    planned_ns: int
    forwarded_ns: int
    sampled_ns: int
    end_ns: int
    """The sampled tokens were on the host, and every answer had its own."""
    num_prompt_rows: int
    num_decode_rows: int
    num_adapters: int


class Part(NamedTuple):
    """What an answer had in a step: the forward pass is prefill for its prompt rows, decode for its decode row."""

    record: StepRecord
    is_prefill: bool
    samples: bool


class Trace:
    """The times of one answer. The engine's thread adds to it, the event loop's reads it."""

    def __init__(self, received_ns: int) -> None:
        self.received_ns = received_ns
        self.parts: list[Part] = []
        self._spans: list[Span] = []
        self._num_told = 0
        """Parts that `_spans` tells of."""

    def add(self, record: StepRecord, *, is_prefill: bool, samples: bool) -> None:
        """Count a step that the answer took part in."""
        self.parts.append(Part(record, is_prefill, samples))

    def spans(self, first: int = 0) -> list[Span]:
        """Measured stretches in order of time, without the first ones."""
        parts = self.parts
        for index in range(self._num_told, len(parts)):
            if index == 0:
                self._spans += _before(self.received_ns, parts[0].record)
            else:
                self._spans += _between(parts[index - 1].record, parts[index].record)
            self._spans += _inside(parts[index])
            self._num_told = index + 1
        return self._spans[first:]


def _before(received_ns: int, record: StepRecord) -> Iterator[Span]:
    yield Span("actor_queue", min(received_ns, record.start_ns), record.start_ns)
    yield Span("actor_admission", record.start_ns, record.planned_ns)


def _between(before: StepRecord, record: StepRecord) -> Iterator[Span]:
    if record.start_ns <= before.end_ns:
        return
    # Steps without this answer came between them: it was waiting for room again.
    phase: Phase = "actor_cycle_idle" if record.number == before.number + 1 else "actor_queue"
    yield Span(phase, before.end_ns, record.start_ns)


def _inside(part: Part) -> Iterator[Span]:
    record = part.record
    yield Span("actor_prefill" if part.is_prefill else "actor_decode", record.planned_ns, record.forwarded_ns)
    if part.samples:
        yield Span("sampling", record.forwarded_ns, record.sampled_ns)
        yield Span("readback", record.sampled_ns, record.end_ns)
