"""What was measured of engines, and the comparisons that hold: only between samples that had the same memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from tests.bench.engine_peers import KILN, KILN_TORCH

SAME_MEMORY: Final = 1.15
"""Two samples are compared when the probes around one read at most this many times as fast as around the other."""


@dataclass(frozen=True)
class Sample:
    """Seconds of a step of decoding, or of a prompt; bytes a second that were read before it and after it."""

    round: int
    seconds: float
    before: float
    after: float
    foreign: float = 0.0
    """Share of the processors that other processes had meanwhile."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each phase of a step, from an engine that tells."""

    @property
    def probe(self) -> float:
        return (self.before + self.after) / 2


@dataclass(frozen=True)
class Ratio:
    """How many times as long one contender takes as another, and over how many rounds that was found."""

    times: float
    rounds: int
    dropped: int
    """Rounds in which memory was faster for one than for the other."""


@dataclass
class Result:
    """Samples of one piece of work by contender, and why others have none."""

    title: str
    num_tokens: int
    """In one step of decoding, or in the prompt."""
    step_bytes: int | None
    """What a step of decoding must read; None where arithmetic is the limit."""
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def seconds(self, name: str) -> float:
        return median(sample.seconds for sample in self.samples[name])

    def tokens_a_second(self, name: str) -> float:
        return self.num_tokens / self.seconds(name)

    def probe(self, name: str) -> float:
        return median(sample.probe for sample in self.samples[name])

    def to_probe(self, name: str) -> float | None:
        """Bytes over time, to what the probe read in that time: the median over samples."""
        if self.step_bytes is None:
            return None
        return median(self.step_bytes / sample.seconds / sample.probe for sample in self.samples[name])

    def ratio(self, slow: str, fast: str) -> Ratio | None:
        """How many times as long `slow` takes: the median over rounds. None where no round can be compared."""
        pairs = list(_pairs(self.samples[slow], self.samples[fast]))
        if self.step_bytes is None:
            same = pairs  # arithmetic does not depend on the memory's speed
        else:
            same = [(a, b) for a, b in pairs if 1 / SAME_MEMORY <= a.probe / b.probe <= SAME_MEMORY]
        if not same:
            return None
        return Ratio(median(a.seconds / b.seconds for a, b in same), len(same), len(pairs) - len(same))

    def ours(self) -> str | None:
        """Our engine's name in this result, which says its number format."""
        return next((name for name in self.samples if peer_of(name) == KILN), None)

    def best(self, peer: str) -> str | None:
        """The peer's name with the number format that it is fastest in."""
        names = [name for name in self.samples if peer_of(name) == peer]
        return min(names, key=self.seconds, default=None)

    def peers(self) -> list[str]:
        """Each peer in its fastest number format, the fastest peer first."""
        found = dict.fromkeys(map(peer_of, self.samples))
        best = [self.best(peer) for peer in found if peer not in (KILN, KILN_TORCH)]
        return sorted((name for name in best if name is not None), key=self.seconds)


def peer_of(name: str) -> str:
    """The peer of a contender's name: what stands before its number format."""
    return name.rpartition(", ")[0]


def _pairs(one: Sequence[Sample], other: Sequence[Sample]) -> Iterator[tuple[Sample, Sample]]:
    by_round = {sample.round: sample for sample in other}
    for sample in one:
        if sample.round in by_round:
            yield sample, by_round[sample.round]
