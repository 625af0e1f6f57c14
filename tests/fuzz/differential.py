"""Read many documents with every reader there is and report where two disagree.

python -m tests.fuzz.differential --documents 100000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

import kiln_contract as kc
from tests.fuzz.documents import Case, cases
from tests.fuzz.verdicts import disagreements

PER_EXAMPLE = 9
"""Documents that one drawn example brings."""


class Disagreement(NamedTuple):
    """Two readers of one document say different things."""

    name: str
    case: Case
    what: str


class Report(NamedTuple):
    """What a run has read, by kind of document, and what it has found."""

    counts: Counter[str]
    found: list[Disagreement]

    @property
    def documents(self) -> int:
        return self.counts.total()


def run(name: str, *, documents: int, seed_: int) -> Report:
    """Read at least `documents` documents as one definition."""
    report = Report(Counter(), [])

    @seed(seed_)
    @settings(
        max_examples=-(-documents // PER_EXAMPLE),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(name))
    def read(drawn: list[Case]) -> None:
        for case in drawn:
            report.counts[case.kind] += 1
            report.found.extend(
                Disagreement(name, case, what) for what in disagreements(name, case.text, case.made_valid)
            )

    read()
    return report


def main(arguments: list[str] | None = None) -> int:
    """Run over all definitions; 1 when anything disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(kc.DEFINITIONS), help="one definition instead of all")
    options = parser.parse_args(arguments)
    names = [options.only] if options.only else list(kc.DEFINITIONS)
    report = _run_all(names, documents=options.documents, seed_=options.seed)
    _print_summary(report)
    return 1 if report.found else 0


def _run_all(names: list[str], *, documents: int, seed_: int) -> Report:
    total = Report(Counter(), [])
    for index, name in enumerate(names, 1):
        started = time.monotonic()
        report = run(name, documents=-(-documents // len(names)), seed_=seed_)
        total = Report(total.counts + report.counts, total.found + report.found)
        took = f"{len(report.found)} disagreements, {time.monotonic() - started:.0f} s"
        print(f"[{index:2}/{len(names)}] {name}: {report.documents} documents, {took}", flush=True)
    return total


def _print_summary(report: Report) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.counts.items()))
    print(f"{report.documents} documents ({kinds}): {len(report.found)} disagreements")
    shortest: dict[tuple[str, str], Disagreement] = {}
    for one in report.found:
        key = (one.name, one.what.splitlines()[-1])
        if key not in shortest or len(one.case.text) < len(shortest[key].case.text):
            shortest[key] = one
    for one in shortest.values():
        print(f"\n{one.name}, {one.case.kind}: {one.what}\n{one.case.text[:2000]!r}")


if __name__ == "__main__":
    sys.exit(main())
