"""The report for people: one line a violation, with its place first, and a sum at the end."""

from __future__ import annotations

from typing import Final, TextIO

from kiln_contract._generated.tables import SCHEMA_SHA256
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.judgement import Judgement, Placed
from kiln_contract.cli.readers import STDIN
from kiln_contract.cli.report import Tally
from kiln_contract.cli.style import Style, plain

UNKNOWN_MEMBER: Final = frozenset({"schema.additionalProperties", "schema.unevaluatedProperties"})

_COLOURS: Final = {Exit.CONFORMS: "good", Exit.VIOLATED: "bad", Exit.UNREADABLE: "bad", Exit.NOTHING_CHECKED: "warn"}
_LABELS: Final = {
    Exit.CONFORMS: "conforming",
    Exit.VIOLATED: "violated",
    Exit.UNREADABLE: "unreadable",
    Exit.NOTHING_CHECKED: "empty",
}
_EMPTY: Final = "holds nothing to check"


class TextReport:
    """Writes `path:line:column: pointer: message [rule]` lines. `show_values` adds what was got."""

    def __init__(self, out: TextIO, style: Style, *, semantics: bool, show_values: bool) -> None:
        self._out = out
        self._style = style
        self._semantics = semantics
        self._show_values = show_values
        self._met_unknown_member = False

    def open(self) -> None:
        """Nothing stands above the first line, so that other tools can read it."""

    def add(self, judgement: Judgement) -> None:
        """Write the lines of one document; a JSON document that conforms has none."""
        for placed in judgement.violations:
            self._write(f"{self._place(judgement, placed)} {self._violation(placed)}")
        if judgement.is_cut:
            count = _counted(len(judgement.violations), "violation")
            self._write(f"{self._place(judgement)} stopped after {count}; there may be more, see --max-errors")
        problem = _EMPTY if judgement.exit is Exit.NOTHING_CHECKED else judgement.problem
        if problem is not None:
            self._write(f"{self._place(judgement)} {plain(problem)}")
        if judgement.stream is not None:
            stream = judgement.stream
            self._write(f"{self._place(judgement)} stream {stream.outcome}: {_counted(stream.events, 'event')}")

    def close(self, tally: Tally) -> None:
        """Write the sum, and what the reader should know beside it."""
        if self._met_unknown_member:
            note = "note: an unknown member may come from a newer revision of the contract; this one has sha256"
            self._write(self._style.paint("faint", f"{note} {SCHEMA_SHA256}"))
        if not self._semantics:
            self._write(self._style.paint("faint", "note: checked by the schema alone, without its semantic rules"))
        self._write(self._style.paint(_COLOURS[tally.exit], _sum(tally)))

    def _place(self, judgement: Judgement, placed: Placed | None = None) -> str:
        place = "<stdin>" if judgement.path == STDIN else plain(judgement.path)
        if placed is not None and placed.position is not None:
            place += f":{placed.position.line}:{placed.position.column}"
        elif judgement.line is not None:
            place += f":{judgement.line}"
        return self._style.paint("strong", f"{place}:")

    def _violation(self, placed: Placed) -> str:
        violation = placed.violation
        self._met_unknown_member |= violation.rule in UNKNOWN_MEMBER
        event = f"event {violation.event}: " if violation.event is not None else ""
        at = f"{plain(violation.pointer)}: " if violation.pointer else ""
        got = f" (got {plain(violation.got)})" if self._show_values else ""
        rule = self._style.paint("faint", f"[{violation.rule}]")
        return f"{event}{at}{plain(violation.message)}{got} {rule}"

    def _write(self, line: str) -> None:
        self._out.write(line + "\n")


def _sum(tally: Tally) -> str:
    counts = [f"{tally.documents[code]} {label}" for code, label in _LABELS.items() if tally.documents[code]]
    violations = f" ({_counted(tally.num_violations, 'violation')})" if tally.num_violations else ""
    total = _counted(tally.documents.total(), "document")
    return f"{total}: {', '.join(counts)}{violations}" if counts else "nothing to check: no FILE was named"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
