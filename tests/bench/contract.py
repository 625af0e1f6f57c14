"""Measure the contract library against its peers: `python -m tests.bench.contract`.

Prints every time and, last, each target with what was measured. A missed target is reported and is no failure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench import contenders, machine
from tests.bench.chart import svg
from tests.bench.memory import memory
from tests.bench.payloads import Payload, payloads
from tests.bench.progress import Progress
from tests.bench.report import Report
from tests.bench.startup import startup
from tests.bench.timing import Effort, interleave


@dataclass(frozen=True)
class Plan:
    """How much is measured: sampling of reading each document and of all else, and how many fresh processes."""

    reading: Effort
    other: Effort
    starts: int
    memories: int


FULL: Final = Plan(Effort(seconds=15, rounds=15), Effort(seconds=5, rounds=15), starts=25, memories=3)
QUICK: Final = Plan(Effort(seconds=0.4, rounds=1), Effort(seconds=0.2, rounds=1), starts=4, memories=1)


def measure(documents: Sequence[Payload], plan: Plan, progress: Progress) -> Report:
    """Measure everything that applies to the documents; the process-wide figures too when `plan` asks for them."""
    report = Report(machine.facts())
    for payload in documents:
        progress.begin(payload.title)
        report.keys[payload.key] = payload.title
        report.decoding[payload.title] = interleave(contenders.decoding(payload), plan.reading, progress.round)
    for payload in documents:
        if payload.broken:
            progress.begin(f"{payload.title}, broken")
            report.failing[payload.title] = interleave(contenders.failing(payload), plan.other, progress.round)
        if payload.key == "c":
            progress.begin(f"{payload.title}, written")
            report.encoding[payload.title] = interleave(contenders.encoding(payload), plan.other, progress.round)
    _processes(report, documents, plan, progress)
    progress.end()
    return report


def _processes(report: Report, documents: Sequence[Payload], plan: Plan, progress: Progress) -> None:
    if plan.starts:
        progress.begin("fresh processes")
        report.startup = startup(plan.starts)
    largest = next((payload for payload in documents if payload.key == "d100k"), None)
    if largest and plan.memories:
        progress.begin(f"{largest.title}, memory")
        grown = memory(largest, plan.memories)
        if grown:
            report.memory[largest.title] = grown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line. Returns 0 whether or not targets are met."""
    options = _parser().parse_args(arguments)
    chosen = [payload for payload in payloads() if payload.key in (options.only or payload.key)]
    report = measure(chosen, QUICK if options.quick else FULL, Progress())
    print(report.text())
    if options.json:
        options.json.write_text(report.json())
    if options.write:
        _publish(report, options.write)
    return 0


def _parser() -> argparse.ArgumentParser:
    keys = [payload.key for payload in payloads()]
    parser = argparse.ArgumentParser(prog="python -m tests.bench.contract", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough picture in less than 20 seconds")
    parser.add_argument("--only", nargs="+", choices=keys, metavar="KEY", help=f"documents: {', '.join(keys)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="write a page, and its chart beside it as .svg")
    return parser


def _publish(report: Report, page: Path) -> None:
    chart = page.with_suffix(".svg")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(report.markdown(str(page), chart.name))
    chart.write_text(svg(report.decoding))


if __name__ == "__main__":
    sys.exit(main())
