"""How tokens went from the model into an answer's body, and how long each part of the way took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
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


READY_NS: Final = attrgetter("ready_ns")
_DELIVERED_NS: Final = attrgetter("delivered_ns")

Delivery: TypeAlias = tuple[Sequence[TokenEvent], int, int]
"""Tokens that came together and went into the body together: received when, put there when. Made for every token, and
so a plain tuple."""


def passages(events: Sequence[TokenEvent], handled_ns: int, enqueued_ns: int) -> Iterator[Passage]:
    """The way of each token of a delivery, the last one first."""
    return (Passage.of(event, handled_ns, enqueued_ns) for event in reversed(events))


Stretch: TypeAlias = tuple[int, int]
"""Start and end, on the monotonic clock in nanoseconds."""


class Ways:
    """What the ways of all tokens cover, and the time in each of the phases on them.

    The same as a `Passage` for each token says, mostly without making one.
    """

    def __init__(self, deliveries: Iterable[Delivery]) -> None:
        self.stretches: list[Stretch] = []
        """They may overlap."""
        response = queue = client = 0
        for events, handled_ns, enqueued_ns in deliveries:
            made = list(map(READY_NS, events)) if len(events) > 1 else ()
            # Nothing is known of the hand-off of tokens that came together, and the clocks agree.
            if made and max(made) <= handled_ns <= enqueued_ns and not any(map(_DELIVERED_NS, events)):
                response += len(events) * handled_ns - sum(made)
                client += len(events) * (enqueued_ns - handled_ns)
                self.stretches.append((min(made), enqueued_ns))
                continue
            for event in events:
                made_ns = event.ready_ns
                given_ns = event.delivered_ns or handled_ns
                if made_ns <= given_ns <= handled_ns <= enqueued_ns:
                    response += given_ns - made_ns
                    queue += handled_ns - given_ns
                    client += enqueued_ns - handled_ns
                    self.stretches.append((made_ns, enqueued_ns))
                else:
                    way = Passage.of(event, handled_ns, enqueued_ns)
                    response += way.delivered_ns - way.ready_ns
                    queue += way.handled_ns - way.delivered_ns
                    client += way.enqueued_ns - way.handled_ns
                    self.stretches.append((way.ready_ns, way.enqueued_ns))
        self.totals = dict(zip(PHASES, (response, queue, client), strict=True))
        """Nanoseconds by phase."""
