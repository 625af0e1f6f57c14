"""The report for programs: one JSON object, its shape versioned and described in docs/cli.md."""

from __future__ import annotations

import json
from typing import Any, Final, TextIO

import msgspec

import kiln_contract
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.judgement import Judgement, Placed
from kiln_contract.cli.report import Tally

VERSION: Final = 1
"""Members may be added under one version; it changes when one is removed or changes its meaning."""


class JsonReport:
    """Writes the object as it goes, a document a line, so that a long report takes no memory."""

    def __init__(self, out: TextIO, *, semantics: bool) -> None:
        self._out = out
        self._semantics = semantics
        self._separator = "\n"

    def open(self) -> None:
        """Write what is known before anything is checked: under which contract it is."""
        head = {
            "report": "kiln-contract validate",
            "version": VERSION,
            "tool_version": kiln_contract.__version__,
            "schema_sha256": kiln_contract.SCHEMA_SHA256,
            "thinking_budget_schema_sha256": kiln_contract.THINKING_BUDGET_SCHEMA_SHA256,
            "semantics": self._semantics,
        }
        self._out.write(_dump(head)[:-1] + ', "documents": [')

    def add(self, judgement: Judgement) -> None:
        """Write one document."""
        self._out.write(self._separator + _dump(_document(judgement)))
        self._separator = ",\n"

    def close(self, tally: Tally) -> None:
        """Write the sum and end the object."""
        tail = {
            "counts": {code.verdict: tally.documents[code] for code in Exit if code is not Exit.USAGE},
            "violations": tally.num_violations,
            "verdict": tally.exit.verdict,
            "exit_code": int(tally.exit),
        }
        self._out.write("\n], " + _dump(tail)[1:] + "\n")


def _document(judgement: Judgement) -> dict[str, Any]:
    return {
        "path": _sound(judgement.path),
        "line": judgement.line,
        "definition": judgement.definition,
        "verdict": judgement.exit.verdict,
        "problem": judgement.problem,
        "violations": [_violation(placed) for placed in judgement.violations],
        "truncated": judgement.is_cut,
        "stream": None if judgement.stream is None else msgspec.structs.asdict(judgement.stream),
    }


def _sound(path: str) -> str:
    """A path whose bytes are no UTF-8, written so that every JSON reader takes it: such bytes as `\\xff`."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _violation(placed: Placed) -> dict[str, Any]:
    line, column = placed.position or (None, None)
    return {**msgspec.structs.asdict(placed.violation), "line": line, "column": column}


def _dump(value: Any) -> str:
    # The standard writer keeps to ASCII, so no terminal or encoding stands in the way.
    return json.dumps(value)
