"""How tokens went from the model into an answer's body, and how long each part of the way took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from kiln_server.backend import TokenEvent

PHASES: Final = ("response_delivery", "handler_queue", "client_delivery")
"""The parts of the way, in order."""


class Interval(NamedTuple):
    """A measured stretch of one phase on the monotonic clock, in nanoseconds."""

    phase: str
    start_ns: int
    end_ns: int

    def overlap(self, start_ns: int, end_ns: int) -> int:
        """Nanoseconds shared with another stretch."""
        return max(0, min(self.end_ns, end_ns) - max(self.start_ns, start_ns))


class Passage(NamedTuple):
    """One token on its way out: made, handed off, received by the handler, put into the body."""

    ready_ns: int
    delivered_ns: int
    handled_ns: int
    enqueued_ns: int

    @classmethod
    def of(cls, event: TokenEvent, handled_ns: int, enqueued_ns: int) -> Passage:
        """A token's way, each stop no earlier than the one before."""
        ready_ns = event.ready_ns
        delivered_ns = max(event.delivered_ns or handled_ns, ready_ns)
        handled_ns = max(handled_ns, delivered_ns)
        return cls(ready_ns, delivered_ns, handled_ns, max(enqueued_ns, handled_ns))

    def intervals(self) -> Iterator[Interval]:
        """The parts of the way."""
        return map(Interval, PHASES, self, self[1:])


Delivery: TypeAlias = tuple[Sequence[TokenEvent], int, int]
"""Tokens that came together and went into the body together: received when, put there when. Made for every token, and
so a plain tuple."""


def passages(events: Sequence[TokenEvent], handled_ns: int, enqueued_ns: int) -> Iterator[Passage]:
    """The way of each token of a delivery, the last one first."""
    return (Passage.of(event, handled_ns, enqueued_ns) for event in reversed(events))


class Ways:
    """What the ways of all tokens cover, those that overlap joined, and the time in each of the phases on them.

    The same as a `Passage` for each token says, without making one.
    """

    def __init__(self, deliveries: Iterable[Delivery]) -> None:
        self._response = self._queue = self._client = 0
        self.stretches: list[Interval] = []
        self._start_ns = self._reached_ns = -1
        for events, handled_ns, enqueued_ns in deliveries:
            if len(events) == 1 or not self._add_together(events, handled_ns, enqueued_ns):
                self._add(events, handled_ns, enqueued_ns)
        self._close()
        self.totals = dict(zip(PHASES, (self._response, self._queue, self._client), strict=True))
        """Nanoseconds by phase."""

    def _add_together(self, events: Sequence[TokenEvent], handled_ns: int, enqueued_ns: int) -> bool:
        """Add a batch at once, if nothing is known of its hand-off and the clocks agree; returns whether it was."""
        made_ns = [event.ready_ns for event in events]
        given_ns = [event.delivered_ns for event in events]
        if any(given_ns) or not max(made_ns) <= handled_ns <= enqueued_ns:
            return False
        self._response += len(events) * handled_ns - sum(made_ns)
        self._client += len(events) * (enqueued_ns - handled_ns)
        self._cover(min(made_ns), enqueued_ns)
        return True

    def _add(self, events: Sequence[TokenEvent], handled_ns: int, enqueued_ns: int) -> None:
        for event in events:
            made_ns, given_ns = event.ready_ns, event.delivered_ns or handled_ns
            if not made_ns <= given_ns <= handled_ns <= enqueued_ns:
                self._add_disordered(Passage.of(event, handled_ns, enqueued_ns))
                continue
            self._response += given_ns - made_ns
            self._queue += handled_ns - given_ns
            self._client += enqueued_ns - handled_ns
            self._cover(made_ns, enqueued_ns)

    def _add_disordered(self, way: Passage) -> None:
        self._response += way.delivered_ns - way.ready_ns
        self._queue += way.handled_ns - way.delivered_ns
        self._client += way.enqueued_ns - way.handled_ns
        self._cover(way.ready_ns, way.enqueued_ns)

    def _cover(self, start_ns: int, end_ns: int) -> None:
        if not self._start_ns <= start_ns <= self._reached_ns:
            self._close()
            self._start_ns, self._reached_ns = start_ns, end_ns
        elif end_ns > self._reached_ns:
            self._reached_ns = end_ns

    def _close(self) -> None:
        if self._reached_ns > self._start_ns:
            self.stretches.append(Interval("way", self._start_ns, self._reached_ns))
