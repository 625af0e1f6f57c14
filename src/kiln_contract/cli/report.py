"""What every report is told, and the counts that each of them ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from kiln_contract.cli.exits import Exit, decide
from kiln_contract.cli.judgement import Judgement


class Report(Protocol):
    """Prints judgements as they come."""

    def open(self) -> None:
        """Before the first judgement."""

    def add(self, judgement: Judgement) -> None:
        """Print one judgement."""

    def close(self, tally: Tally) -> None:
        """After the last one: sum up."""


class Tally:
    """Counts of documents by verdict, and of violations."""

    def __init__(self) -> None:
        self.documents: Counter[Exit] = Counter()
        self.num_violations = 0

    def add(self, judgement: Judgement) -> None:
        """Count one judgement."""
        self.documents[judgement.exit] += 1
        self.num_violations += len(judgement.violations)

    @property
    def exit(self) -> Exit:
        """The code for everything counted."""
        return decide(self.documents)


def print_report(judgements: Iterable[Judgement], report: Report) -> Exit:
    """Print every judgement as it is made, then the sum; return the exit code."""
    tally = Tally()
    report.open()
    for judgement in judgements:
        tally.add(judgement)
        report.add(judgement)
    report.close(tally)
    return tally.exit
