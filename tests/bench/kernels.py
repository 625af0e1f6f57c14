"""Measure the CPU kernels against torch and against reading memory: `python -m tests.bench.kernels`.

Ours, torch and the probe take turns, and every sample stands between two probes, because a machine's memory changes its
speed within seconds. With one thread, times are CPU time: a busy machine does not count. A missed goal is reported and
is no failure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

import torch

from kiln_engine.kernels.choice import choose
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.facade import Kernels
from kiln_engine.kernels.reference import ReferenceKernels
from tests.bench import machine
from tests.bench.kernel_cases import CPU, Case, cases
from tests.bench.progress import Progress
from tests.bench.table import Rows, aligned, markdown

PROBE_BYTES: Final = 128 * 1024 * 1024


@dataclass(frozen=True)
class Sample:
    """Seconds that one call took, and bytes a second that were read just before and after it."""

    seconds: float
    probe: float


@dataclass
class Result:
    """A case's samples by kernels, ours and torch's."""

    case: Case
    ours: list[Sample] = field(default_factory=list)
    peer: list[Sample] = field(default_factory=list)

    @property
    def to_torch(self) -> float:
        """How many times longer torch takes."""
        return median(sample.seconds for sample in self.peer) / median(sample.seconds for sample in self.ours)

    def to_probe(self, samples: Sequence[Sample]) -> float | None:
        """Bytes over time, to what the probe read in that time: the median over samples."""
        if self.case.num_bytes is None:
            return None
        return median(self.case.num_bytes / sample.seconds / sample.probe for sample in samples)


class Bench:
    """Takes samples. `clock` is what a sample's time is read from."""

    def __init__(self, ours: CpuKernels, threads: int) -> None:
        torch.set_num_threads(threads)
        self.ours, self.peer = ours, ReferenceKernels()
        self.clock: Callable[[], float] = time.thread_time if threads == 1 else time.perf_counter
        self._threads = threads
        self._memory = torch.ones(PROBE_BYTES // 4)

    def measure(self, case: Case, rounds: int) -> Result:
        result = Result(case)
        for kernels in (self.ours, self.peer):
            case.work(kernels)
        for _ in range(rounds):
            result.ours.append(self._sample(case, self.ours))
            result.peer.append(self._sample(case, self.peer))
        return result

    def _sample(self, case: Case, kernels: Kernels) -> Sample:
        before = self._probe()
        started = self.clock()
        case.work(kernels)
        seconds = self.clock() - started
        return Sample(seconds, (before + self._probe()) / 2)

    def _probe(self) -> float:
        started = self.clock()
        self.ours.read(self._memory)
        return PROBE_BYTES / (self.clock() - started)


def rows_of(results: Sequence[Result]) -> Rows:
    """A row for each case."""
    head = ("work", "ours, µs", "torch, µs", "torch / ours", "goal", "ours / probe", "goal", "torch / probe")
    return [head, *(_row(result) for result in results)]


def _row(result: Result) -> tuple[str, ...]:
    case = result.case
    times = [f"{median(sample.seconds for sample in samples) * 1e6:,.0f}" for samples in (result.ours, result.peer)]
    shares = [_share(result.to_probe(samples)) for samples in (result.ours, result.peer)]
    return (
        case.title,
        *times,
        f"{result.to_torch:.2f}x",
        _goal(case.to_torch, result.to_torch),
        shares[0],
        _goal(case.to_probe, result.to_probe(result.ours)),
        shares[1],
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _goal(goal: float | None, measured: float | None) -> str:
    if goal is None or measured is None:
        return ""
    return f">= {goal:g} {'met' if measured >= goal else 'MISSED'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line. Returns 0 whether or not goals are met."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.kernels", description=__doc__)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=9, help="samples of each case")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their title")
    parser.add_argument("--kernels", default="auto", choices=("auto", "cpu", "jit"))
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="put the tables into a page, between its marks")
    options = parser.parse_args(arguments)
    choice = choose(options.kernels, CPU)
    if not isinstance(choice.kernels, CpuKernels):
        parser.error(f"there are no CPU kernels to measure: {choice.reason}")
    bench, progress, tables = Bench(choice.kernels, options.threads), Progress(), {}
    for dtype in (torch.float32, torch.bfloat16):
        results = []
        for make in cases(dtype):
            case = make()
            if options.only in case.title:
                progress.begin(f"{case.title}, {dtype}")
                results.append(bench.measure(case, options.rounds))
        tables[str(dtype).removeprefix("torch.")] = rows_of(results)
    progress.end()
    facts = machine.facts(["torch"]) | {"kernels": choice.kernels.name, "threads": str(options.threads)}
    print("\n\n".join(f"{name}\n{aligned(rows)}" for name, rows in tables.items()))
    if options.write:
        _publish(options.write, tables, facts)
    return 0


BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def _publish(page: Path, tables: dict[str, Rows], facts: dict[str, str]) -> None:
    """Replace what stands between the page's two marks; what was tried and learned around it is written by hand."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    parts = [f"### {name}\n\n{markdown(rows)}" for name, rows in tables.items()]
    parts.append("### Machine\n\n" + markdown([("fact", "value"), *facts.items()]))
    body = "\n\n".join([BEGIN, *parts, END])
    page.write_text(before + body + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
