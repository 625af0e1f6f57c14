"""Honest latency evidence: what one request waited for, measured on one monotonic clock.

A phase that nothing measured is null; a phase that was measured and took no time is 0. Times are nanoseconds inside and
milliseconds in the contract's shapes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import sub
from typing import Final, NamedTuple

from kiln_contract import LatencyPhaseTimings, LatencyStallReasonCounts, RequestLatencyDiagnostics, StreamingTokenTiming
from kiln_server.backend import TokenEvent
from kiln_server.delivery import READY_NS, Delivery, Interval, Passage, Stretch, Ways, passages

MAX_GAPS: Final = 8192
"""Gaps between tokens that are kept for percentiles; the earliest are dropped first."""

MIN_STALL_MS: Final = 250.0
STALL_FACTOR: Final = 5
"""A gap is a stall from this many medians on, and never below `MIN_STALL_MS`."""

_NS_PER_MS: Final = 1_000_000

UNEXPLAINED: Final = "unexplained"
SERVER_PHASES: Final = ("tokenization", "response_delivery", "handler_queue", "client_delivery")
"""Phases that the server itself measures on every path."""

_MEMBER_OF: Final = {"actor_prefill": "prefill", "actor_decode": "decode"}
"""Backend phases that the phase record names differently from the stall counts."""

_PHASE_OF: Final = {name: name.removesuffix("_ms") for name in LatencyPhaseTimings.__struct_fields__}


class Gap(NamedTuple):
    """The time between two tokens, and what it is attributed to."""

    start_ns: int
    end_ns: int
    phase: str
    phase_ns: int

    @property
    def ms(self) -> float:
        return to_ms(self.end_ns - self.start_ns)


class Timing:
    """The record of one answer. `measured` names the backend phases that are measured on this path."""

    def __init__(self, received_ns: int, measured: Iterable[str] = ()) -> None:
        self.received_ns = received_ns
        self.first_ready_ns: int | None = None
        self.num_tokens = 0
        self._intervals: deque[Interval] = deque(maxlen=4 * MAX_GAPS)
        self._totals: dict[str, int] = dict.fromkeys((*SERVER_PHASES, *measured), 0)
        # A token costs next to nothing while the answer runs: everything else is worked out at its end.
        self._deliveries: list[Delivery] = []
        self._ready_ns: list[int] = []
        """When each token was made."""

    def add(self, interval: Interval) -> None:
        """Count a measured stretch."""
        if interval.end_ns > interval.start_ns:
            self._totals[interval.phase] = self._totals.get(interval.phase, 0) + interval.end_ns - interval.start_ns
            self._intervals.append(interval)

    def tokens(self, events: Sequence[TokenEvent], handled_ns: int, enqueued_ns: int) -> None:
        """Count tokens, at least one, that were received together and have gone into the body."""
        if self.first_ready_ns is None:
            self.first_ready_ns = events[0].ready_ns
        self.num_tokens += len(events)
        self._ready_ns.extend(map(READY_NS, events))
        self._deliveries.append((events, handled_ns, enqueued_ns))

    def token(self, event: TokenEvent, handled_ns: int, enqueued_ns: int) -> Passage:
        """Count one token that has gone into the body; returns its way."""
        self.tokens((event,), handled_ns, enqueued_ns)
        return Passage.of(event, handled_ns, enqueued_ns)

    def token_event(self, event: TokenEvent, passage: Passage, source: str) -> StreamingTokenTiming:
        """The contract's timing event for the token that was counted last, by itself."""
        gap = None
        if self.num_tokens > 1:
            gap = self._attribute(self._deliveries[-2][0][-1].ready_ns, passage.ready_ns)
        response, handler, client = (to_ms(i.end_ns - i.start_ns) for i in passage.intervals())
        return StreamingTokenTiming(
            object="kiln.token_timing",
            source=source,  # type: ignore[arg-type]
            token_index=self.num_tokens - 1,
            token_id=event.token_id,
            ready_ms=self._since(passage.ready_ns),
            producer_delivered_ms=self._since(passage.delivered_ns),
            handler_received_ms=self._since(passage.handled_ns),
            body_enqueued_ms=self._since(passage.enqueued_ns),
            response_delivery_ms=response,
            handler_queue_ms=handler,
            queue_delay_ms=response + handler,
            client_delivery_ms=client,
            blocking_phase=None if gap is None else gap.phase,  # type: ignore[arg-type]
            blocking_phase_ms=None if gap is None else to_ms(gap.phase_ns),
        )

    @property
    def ttft_ms(self) -> float | None:
        """Time to the first token, or None when there is none."""
        return None if self.first_ready_ns is None else self._since(self.first_ready_ns)

    def phase_ms(self, phase: str) -> float | None:
        """Time in a phase that intervals were added for, or None when nothing measures it."""
        return to_ms(self._totals[phase]) if phase in self._totals else None

    @property
    def gaps_ns(self) -> list[int]:
        """The kept gaps in order."""
        ready_ns = self._ready_ns[-MAX_GAPS - 1 :]
        return list(map(sub, ready_ns[1:], ready_ns))

    @property
    def gaps_ms(self) -> list[float]:
        """The kept gaps in order."""
        return list(map(to_ms, self.gaps_ns))

    def diagnostics(self, end_ns: int) -> RequestLatencyDiagnostics:
        """The contract's record, for a request that ends now."""
        gaps = sorted(self.gaps_ms)
        reasons = self.stall_reasons()
        counts = {reason: reasons.count(reason) for reason in LatencyStallReasonCounts.__struct_fields__}
        phases = self.phases_ms(end_ns)
        return RequestLatencyDiagnostics(
            emitted_tokens=self.num_tokens,
            gap_samples=max(0, self.num_tokens - 1),
            retained_gap_samples=len(gaps),
            gap_samples_truncated=self.num_tokens - 1 > len(gaps),
            ttft_ms=self.ttft_ms,
            itl_ms_p50=percentile(gaps, 0.5),
            itl_ms_p99=percentile(gaps, 0.99),
            itl_ms_p999=percentile(gaps, 0.999),
            max_itl_ms=gaps[-1] if gaps else None,
            stall_threshold_ms=stall_threshold(gaps),
            stall_count=len(reasons),
            unexplained_stall_count=counts[UNEXPLAINED],
            stall_reasons=LatencyStallReasonCounts(**counts),
            phases=LatencyPhaseTimings(**{name: phases.get(phase) for name, phase in _PHASE_OF.items()}),
        )

    def phases_ms(self, end_ns: int) -> dict[str, float]:
        """Time in each phase that was measured, by the phase record's names without `_ms`, for an end now."""
        ways = Ways(self._deliveries)
        totals = {
            _MEMBER_OF.get(phase, phase): (ns + ways.totals.get(phase, 0)) / _NS_PER_MS
            for phase, ns in self._totals.items()
        }
        measured = [(interval.start_ns, interval.end_ns) for interval in self._intervals]
        covered = covered_ns(measured + ways.stretches, self.received_ns, end_ns)
        totals[UNEXPLAINED] = to_ms(max(0, end_ns - self.received_ns - covered))
        return totals

    def stall_reasons(self) -> list[str]:
        """What each stall is attributed to, as the stall counts name it."""
        ready_ns = self._ready_ns[-MAX_GAPS - 1 :]
        # What all gaps come to is seen at a glance, and is more than any of them.
        if not ready_ns or to_ms(max(ready_ns) - min(ready_ns)) < MIN_STALL_MS:
            return []
        if to_ms(max(self.gaps_ns, default=0)) < MIN_STALL_MS:
            return []  # as nearly always
        threshold = stall_threshold(self.gaps_ms) or MIN_STALL_MS
        stalls = [(before, after) for before, after in pairwise(ready_ns) if to_ms(after - before) >= threshold]
        return [self._stall_reason(self._attribute(before, after)) for before, after in stalls]

    def _attribute(self, start_ns: int, end_ns: int) -> Gap:
        """The phase with the largest share of a gap; unexplained when no measured phase touches it."""
        shares: dict[str, int] = {}
        for interval in self._reaching_beyond(start_ns):
            shares[interval.phase] = shares.get(interval.phase, 0) + interval.overlap(start_ns, end_ns)
        phase = max(shares, key=lambda name: shares[name], default=UNEXPLAINED)
        if not shares.get(phase):
            return Gap(start_ns, end_ns, UNEXPLAINED, max(0, end_ns - start_ns))
        return Gap(start_ns, end_ns, phase, shares[phase])

    def _reaching_beyond(self, start_ns: int) -> Iterator[Interval]:
        for interval in reversed(self._intervals):
            if interval.end_ns <= start_ns:
                break
            yield interval
        for delivery in reversed(self._deliveries):
            for passage in passages(*delivery):
                # Tokens come in order of time but for small overlaps, so older ones cannot reach as far.
                if passage.enqueued_ns <= start_ns:
                    return
                yield from passage.intervals()

    def _stall_reason(self, gap: Gap) -> str:
        enough = min(MIN_STALL_MS, gap.ms / 2)
        reason = gap.phase if to_ms(gap.phase_ns) >= enough else UNEXPLAINED
        return reason if reason in LatencyStallReasonCounts.__struct_fields__ else UNEXPLAINED

    def _since(self, at_ns: int) -> float:
        return to_ms(max(0, at_ns - self.received_ns))


def to_ms(ns: int) -> float:
    """Nanoseconds as milliseconds."""
    return ns / _NS_PER_MS


def percentile(samples: Sequence[float], fraction: float) -> float | None:
    """Linear interpolation between the closest ranks, or None without samples."""
    if not samples:
        return None
    ordered = sorted(samples)
    position = (len(ordered) - 1) * fraction
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def stall_threshold(gaps_ms: Sequence[float]) -> float | None:
    """From which gap on a stall is counted, in milliseconds; None without gaps."""
    median = percentile(gaps_ms, 0.5)
    return None if median is None else max(MIN_STALL_MS, STALL_FACTOR * median)


def covered_ns(stretches: Iterable[Stretch], start_ns: int, end_ns: int) -> int:
    """How much of the time between two moments stretches cover together, overlaps counted once."""
    covered = 0
    reached = start_ns
    for low, high in sorted(stretches):
        if low < reached:
            low = reached
        if high > end_ns:
            high = end_ns
        if high > low:
            covered += high - low
            reached = high
    return covered
