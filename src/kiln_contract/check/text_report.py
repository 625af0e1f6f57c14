"""The report for people: one line a violation, with its place first, and a sum at the end."""

from __future__ import annotations

from typing import Final, TextIO

from kiln_contract._generated.identity import SCHEMA_SHA256
from kiln_contract.check.exits import Exit
from kiln_contract.check.judgement import Judgement, Placed
from kiln_contract.check.readers import STDIN
from kiln_contract.check.report import Tally
from kiln_contract.check.style import Style, plain

UNKNOWN_MEMBER: Final = frozenset({"schema.additionalProperties", "schema.unevaluatedProperties"})

_COLOURS: Final = {Exit.CONFORMS: "good", Exit.VIOLATED: "bad", Exit.UNREADABLE: "bad", Exit.NOTHING_CHECKED: "warn"}
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
            count = len(judgement.violations)
            self._write(f"{self._place(judgement)} stopped after {count} violations; raise --max-errors to see more")
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
        counts = [f"{tally.documents[code]} {code.verdict}" for code in _COLOURS if tally.documents[code]]
        total = _counted(tally.documents.total(), "document")
        violations = f" ({_counted(tally.num_violations, 'violation')})" if tally.num_violations else ""
        sum_ = f"{total}: {', '.join(counts) or Exit.NOTHING_CHECKED.verdict}{violations}"
        self._write(self._style.paint(_COLOURS[tally.exit], sum_))

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


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
