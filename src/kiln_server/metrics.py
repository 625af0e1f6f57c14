"""What is counted, for Prometheus. Every label value comes from a closed set: a client cannot make a time series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, Literal, get_args

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric

from kiln_contract import LatencyPhaseTimings, LatencyStallReasonCounts, ThinkingBudgetSource
from kiln_server.admission import Admission
from kiln_server.backend import Stats
from kiln_server.edge.exchange import Outcome
from kiln_server.tally import Histogram, Tally

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Dimension = Literal["tokens", "time"]
BudgetOutcome = Literal[
    "unconfigured",
    "inert",
    "natural_close",
    "tokens",
    "time",
    "max_tokens",
    "unclosed",
    "interrupted",
    "unresolved",
]

OTHER: Final = "other"
"""The one label of phases and reasons that the contract does not name."""

PHASES: Final = (*(name.removesuffix("_ms") for name in LatencyPhaseTimings.__struct_fields__), OTHER)
STALL_REASONS: Final = (*LatencyStallReasonCounts.__struct_fields__, OTHER)

_NS_PER_S: Final = 1_000_000_000

_LONG: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180, 240, 300, 420, 600, 900)
_SHORT: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_BETWEEN: Final = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 10)
"""Bucket borders in seconds: whole requests, waits for a first token, and gaps between tokens."""


class Metrics:
    """The counters and histograms of one server, for its event loop. Times are seconds."""

    def __init__(self) -> None:
        self._active = 0
        self._requests = _tally("kiln_requests", "Inference requests, by how they ended.", "status", get_args(Outcome))
        self._answers = Tally("kiln_http_requests", "HTTP requests, by route and status.", ("route", "status"), ())
        self._tokens = Tally("kiln_tokens_generated", "Tokens generated.")
        self._prompt_tokens = Tally("kiln_prompt_tokens", "Tokens of admitted prompts.")
        self._stalls = _tally("kiln_token_stalls", "Stalls between tokens, by their cause.", "reason", STALL_REASONS)
        self._sources = Tally(
            "kiln_thinking_budget_source",
            "Requests, by what settled a limit of their thinking budget.",
            ("dimension", "source"),
            product(get_args(Dimension), get_args(ThinkingBudgetSource)),
        )
        self._outcomes = _tally(
            "kiln_thinking_budget_outcomes",
            "Answers, by what became of their thinking budget.",
            "outcome",
            get_args(BudgetOutcome),
        )
        self._duration = Histogram(_LONG)
        self._ttft = Histogram(_SHORT)
        self._itl = Histogram(_BETWEEN, per_unit=_NS_PER_S)
        self._phases = {phase: Histogram(_SHORT) for phase in PHASES}
        self._process = ProcessCollector(registry=None)

    def request_started(self) -> None:
        """An inference request has arrived."""
        self._active += 1

    def request_finished(self, status: Outcome, duration_s: float) -> None:
        """An inference request has ended."""
        self._active -= 1
        self._requests.add((status,))
        self._duration.observe(duration_s)

    def answered(self, route: str, status: int) -> None:
        """An answer of any kind has ended. `route` is a route's label, never a client's path."""
        values = (route, str(status))
        if values not in self._answers:
            self._answers.admit(values)
        self._answers.add(values)

    def ttft(self, seconds: float) -> None:
        """The first token of a request is there."""
        self._ttft.observe(seconds)

    def itl(self, gaps_ns: Sequence[int]) -> None:
        """Further tokens are there, each so many nanoseconds after the one before."""
        self._itl.observe_all(gaps_ns)

    def tokens(self, count: int) -> None:
        """Tokens were generated."""
        self._tokens.add((), count)

    def prompt_tokens(self, count: int) -> None:
        """A prompt of so many tokens was admitted."""
        self._prompt_tokens.add((), count)

    def phases(self, times_ms: Mapping[str, float]) -> None:
        """A request spent milliseconds in phases, named as in the contract's phase record, without `_ms`."""
        phases, other = self._phases, self._phases[OTHER]
        for name, time_ms in times_ms.items():
            phases.get(name, other).observe(time_ms / 1000)

    def stall(self, reason: str) -> None:
        """A stall, with its cause as in the contract's stall counts."""
        values = (reason,)
        self._stalls.add(values if values in self._stalls else (OTHER,))

    def budget_source(self, dimension: Dimension, source: ThinkingBudgetSource) -> None:
        """What settled one limit of a request's thinking budget."""
        self._sources.add((dimension, source))

    def budget_outcome(self, outcome: BudgetOutcome) -> None:
        """What became of an answer's thinking budget."""
        self._outcomes.add((outcome,))

    def render(self, stats: Stats, admission: Admission) -> bytes:
        """The exposition text (UTF-8, version 0.0.4), with gauges as they are now."""
        families = [
            *(tally.family() for tally in self._tallies()),
            *self._histograms(),
            *self._gauges(admission),
            *_backend_gauges(stats),
            *self._process.collect(),
        ]
        return generate_latest(_Exposed(families))

    def _tallies(self) -> tuple[Tally, ...]:
        return (
            self._requests,
            self._answers,
            self._tokens,
            self._prompt_tokens,
            self._stalls,
            self._sources,
            self._outcomes,
        )

    def _histograms(self) -> Iterator[Metric]:
        for name, text, histogram in (
            ("kiln_request_duration_seconds", "From a request's arrival to its answer's end.", self._duration),
            ("kiln_request_ttft_seconds", "Time to the first token.", self._ttft),
            ("kiln_token_itl_seconds", "Time between tokens.", self._itl),
        ):
            family = HistogramMetricFamily(name, text)
            histogram.add_to(family)
            yield family
        phases = HistogramMetricFamily(
            "kiln_request_latency_phase_seconds", "Time that requests spent in a phase.", labels=["phase"]
        )
        for phase, histogram in self._phases.items():
            histogram.add_to(phases, (phase,))
        yield phases

    def _gauges(self, admission: Admission) -> Iterator[Metric]:
        yield GaugeMetricFamily("kiln_active_requests", "Inference requests being answered now.", self._active)
        yield GaugeMetricFamily("kiln_running_requests", "Admitted requests.", admission.running)
        yield GaugeMetricFamily("kiln_running_answers", "Answers of admitted requests.", admission.running_answers)
        yield GaugeMetricFamily("kiln_waiting_requests", "Requests waiting for a place.", admission.waiting)
        yield GaugeMetricFamily("kiln_waiting_prompt_tokens", "Their prompt tokens.", admission.waiting_tokens)


def _tally(name: str, text: str, label: str, values: Iterable[str]) -> Tally:
    return Tally(name, text, (label,), [(value,) for value in values])


def _backend_gauges(stats: Stats) -> Iterator[Metric]:
    yield GaugeMetricFamily("kiln_blocks_used", "KV-cache blocks in use.", stats.blocks_used)
    yield GaugeMetricFamily("kiln_blocks_total", "KV-cache blocks there are.", stats.blocks_total)
    yield GaugeMetricFamily("kiln_batching_engine_running", "Sequences the backend runs.", stats.running)
    yield GaugeMetricFamily("kiln_batching_engine_queue_depth", "Sequences it has queued.", stats.queue_depth)
    lookups = CounterMetricFamily("kiln_prefix_cache_lookups", "Prefix-cache lookups.", labels=["result"])
    lookups.add_metric(["hit"], stats.prefix_lookups_hit)
    lookups.add_metric(["miss"], stats.prefix_lookups_miss)
    yield lookups
    yield CounterMetricFamily(
        "kiln_prefix_cache_hit_tokens", "Prompt tokens that the prefix cache saved.", stats.prefix_hit_tokens
    )


class _Exposed(CollectorRegistry):
    """Families that exist already, as the client library wants them to write them out."""

    def __init__(self, families: list[Metric]) -> None:
        super().__init__()
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families
