"""The report for programs: its shape is a promise."""

from __future__ import annotations

import io
from typing import Any

import msgspec

import kiln_contract as kc
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.json_report import JsonReport
from kiln_contract.cli.judgement import Judgement, Placed, StreamSummary
from kiln_contract.cli.locate import Position
from kiln_contract.cli.report import print_report
from kiln_contract.errors import Violation

VIOLATION = Violation(
    pointer="/ä\u2028\x7f", rule="r", keyword="k", schema_ref="#/x", message="m", expected="e", got="g", event=None
)


def report(*judgements: Judgement, semantics: bool = True) -> tuple[str, Any]:
    out = io.StringIO()
    print_report(judgements, JsonReport(out, semantics=semantics))
    return out.getvalue(), msgspec.json.decode(out.getvalue())


def test_the_whole_shape() -> None:
    _, found = report(
        Judgement(path="a", exit=Exit.CONFORMS, definition="Usage"),
        Judgement(
            path="b",
            line=4,
            exit=Exit.VIOLATED,
            violations=[Placed(VIOLATION, Position(4, 2))],
            is_cut=True,
            stream=StreamSummary(outcome="failed", events=3, comments=2, tokens=1),
        ),
        Judgement(path="c", exit=Exit.UNREADABLE, problem="is not JSON"),
    )
    assert found == {
        "report": "kiln-contract validate",
        "version": 1,
        "tool_version": kc.__version__,
        "schema_sha256": kc.SCHEMA_SHA256,
        "thinking_budget_schema_sha256": kc.THINKING_BUDGET_SCHEMA_SHA256,
        "semantics": True,
        "documents": [
            {
                "path": "a",
                "line": None,
                "definition": "Usage",
                "verdict": "conforms",
                "problem": None,
                "violations": [],
                "truncated": False,
                "stream": None,
            },
            {
                "path": "b",
                "line": 4,
                "definition": None,
                "verdict": "violated",
                "problem": None,
                "violations": [
                    {
                        "pointer": "/ä\u2028\x7f",
                        "rule": "r",
                        "keyword": "k",
                        "schema_ref": "#/x",
                        "message": "m",
                        "expected": "e",
                        "got": "g",
                        "event": None,
                        "line": 4,
                        "column": 2,
                    }
                ],
                "truncated": True,
                "stream": {"outcome": "failed", "events": 3, "comments": 2, "tokens": 1},
            },
            {
                "path": "c",
                "line": None,
                "definition": None,
                "verdict": "unreadable",
                "problem": "is not JSON",
                "violations": [],
                "truncated": False,
                "stream": None,
            },
        ],
        "counts": {"conforms": 1, "violated": 1, "unreadable": 1, "nothing-checked": 0},
        "violations": 1,
        "verdict": "violated",
        "exit_code": 1,
    }


def test_nothing_checked_is_a_report_too() -> None:
    _, found = report(semantics=False)
    assert (found["documents"], found["verdict"], found["exit_code"]) == ([], "nothing-checked", 4)
    assert found["semantics"] is False


def test_the_text_is_ascii_with_a_document_a_line() -> None:
    text, found = report(
        Judgement(path="ä\udcff", exit=Exit.CONFORMS),
        Judgement(path="x", exit=Exit.VIOLATED, violations=[Placed(VIOLATION)]),
    )
    assert text.isascii()
    assert found["documents"][0]["path"] == "ä\\xff"
    assert len(text.splitlines()) == 4
