"""What one run measured of the engines, and its forms: terminal, Markdown, and JSON for a later run to add to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec

from tests.bench.engine_accuracy import Errors
from tests.bench.engine_goals import MAX_ERROR, MAX_START_S, MIN_SERVED, speed_verdicts
from tests.bench.engine_measure import averages
from tests.bench.engine_models import SMALL
from tests.bench.engine_peers import KILN
from tests.bench.engine_result import Result, Sample, peer_of
from tests.bench.engine_serving import Serving
from tests.bench.goals import Verdict
from tests.bench.table import Rows, aligned, markdown, verdict_rows

_HEAD: Final = ("ms", "tokens/s", "kiln is faster by", "bytes/time to probe", "probe GB/s", "samples")
_SERVED_HEAD: Final = ("over HTTP", "step alone, ms", "step served, ms", "speed to alone", "client CPU µs / token")

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


@dataclass
class EngineReport:
    """Everything measured, by title of the work or name of the model."""

    facts: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    """Why a peer was not measured at all, by peer."""
    results: dict[str, Result] = field(default_factory=dict)
    serving: dict[str, Serving] = field(default_factory=dict)
    errors: dict[str, Errors] = field(default_factory=dict)
    starts: dict[str, list[float]] = field(default_factory=dict)
    """Seconds from a fresh process to the first token, by contender."""

    @classmethod
    def read(cls, path: Path) -> EngineReport:
        """What an earlier run wrote; empty where there was none."""
        return msgspec.json.decode(path.read_bytes(), type=cls) if path.is_file() else cls()

    def write(self, path: Path) -> None:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1))

    def verdicts(self) -> list[Verdict]:
        """Every target that can be judged."""
        return [*speed_verdicts(self.results), *self._other_verdicts()]

    def _other_verdicts(self) -> Iterator[Verdict]:
        for name, serving in self.serving.items():
            title = f"{name}, {serving.streams} streams over HTTP"
            yield Verdict(title, "engine alone", serving.ratio, MIN_SERVED[name], "x", at_least=True)
        for name, errors in self.errors.items():
            yield Verdict(f"{name}, error of logits", "transformers", errors.ratio, MAX_ERROR, "x", at_least=False)
        for name, seconds in self.starts.items():
            if peer_of(name) == KILN:
                title = f"{SMALL.name}, load to first token"
                yield Verdict(title, "fresh process", median(seconds), MAX_START_S, "s", at_least=False)

    def text(self) -> str:
        """Tables for a terminal, the targets last."""
        tables = [aligned(rows) for rows in self._tables()]
        return "\n\n".join([aligned(self._facts()), *tables, *self._remarks(), aligned(verdict_rows(self.verdicts()))])

    def publish(self, page: Path, chart: str) -> None:
        """Replace what stands between the page's two marks; the words around it are written by hand."""
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        parts = ["### Targets", markdown(verdict_rows(self.verdicts())), f"![ours and the peers]({chart})"]
        parts += ["### All rows", *(markdown(rows) for rows in self._tables())]
        parts += ["### Left out", *(f"* {remark}" for remark in self._remarks())]
        parts += ["### Machine", markdown(self._facts())]
        page.write_text(before + "\n\n".join([BEGIN, *parts, END]) + rest.partition(END)[2], encoding="utf-8")

    def _facts(self) -> Rows:
        probes = [sample.probe / 1e9 for sample in self._samples()]
        facts = dict(self.facts)
        if len(probes) > 1:
            deciles = quantiles(probes, n=10)
            spread = f"{deciles[4]:.0f} GB/s; nine of ten over {deciles[0]:.0f}, one of ten over {deciles[8]:.0f}"
            facts["memory probe"] = spread
            facts["other processes"] = f"{median(sample.foreign for sample in self._samples()):.0%} of the processors"
        return [("fact", "value"), *facts.items()]

    def _samples(self) -> Iterator[Sample]:
        for result in self.results.values():
            for samples in result.samples.values():
                yield from samples

    def _remarks(self) -> Iterator[str]:
        for peer, reason in self.absent.items():
            yield f"{peer}: {reason}"
        for title, result in self.results.items():
            for name, reason in result.left_out.items():
                yield f"{title}: {name}: {reason}"

    def _tables(self) -> Iterator[Rows]:
        for result in self.results.values():
            yield [(result.title, *_HEAD), *(_row(result, name) for name in sorted(result.samples, key=result.seconds))]
        phases = list(self._phases())
        yield from _table(("where a step of ours goes, ms", "plan", "forward", "sampling", "deliver"), phases)
        served = [_served_row(name, serving) for name, serving in self.serving.items()]
        yield from _table(_SERVED_HEAD, served)
        starts = [(name, *_spread(seconds)) for name, seconds in self.starts.items()]
        yield from _table((f"{SMALL.name}, fresh process to first token", "median s", "least", "most"), starts)
        errors = [(name, f"{each.ours:.4f}", f"{each.transformers:.4f}") for name, each in self.errors.items()]
        yield from _table(("error of bfloat16 logits, to float32's", "ours", "transformers"), errors)

    def _phases(self) -> Iterator[tuple[str, ...]]:
        for result in self.results.values():
            ours = result.ours()
            if ours and (phases := averages(result.samples[ours])):
                cells = (f"{seconds * 1e3:.2f}" for seconds in phases.values())
                yield (result.title, *cells)


def _table(head: Sequence[str], rows: Rows) -> Iterator[Rows]:
    """A table, where there is anything to put into it."""
    if rows:
        yield [head, *rows]


def _row(result: Result, name: str) -> tuple[str, ...]:
    samples, share = result.samples[name], result.to_probe(name)
    return (
        name,
        f"{result.seconds(name) * 1e3:,.2f}",
        f"{result.tokens_a_second(name):,.1f}",
        _faster(result, name),
        "" if share is None or not name.endswith("16") else f"{share:.2f}",
        f"{result.probe(name) / 1e9:.0f}",
        f"{len(samples)}",
    )


def _faster(result: Result, name: str) -> str:
    ours = result.ours()
    if ours is None or name == ours:
        return ""
    ratio = result.ratio(name, ours)
    if ratio is None:
        return "no round with the same memory"
    return f"{ratio.times:.2f}x" + (f" ({ratio.dropped} rounds dropped)" if ratio.dropped else "")


def _served_row(name: str, serving: Serving) -> tuple[str, ...]:
    return (
        f"{name}, {serving.streams} streams",
        f"{median(each.alone_s for each in serving.rounds) * 1e3:.2f}",
        f"{median(each.served_s for each in serving.rounds) * 1e3:.2f}",
        f"{serving.ratio:.2f}",
        f"{median(each.client_cpu_s for each in serving.rounds) * 1e6:.0f}",
    )


def _spread(seconds: list[float]) -> list[str]:
    return [f"{value:.2f}" for value in (median(seconds), min(seconds), max(seconds))]
