"""The report for people, line by line."""

from __future__ import annotations

import io
from typing import Any

import pytest

import kiln_contract as kc
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.judgement import Judgement, Placed, StreamSummary
from kiln_contract.cli.locate import Position
from kiln_contract.cli.report import print_report
from kiln_contract.cli.style import Style
from kiln_contract.cli.text_report import UNKNOWN_MEMBER, TextReport
from kiln_contract.errors import Violation


def violation(**members: Any) -> Violation:
    defaults: dict[str, Any] = {"pointer": "/a", "rule": "schema.type", "keyword": "type", "schema_ref": "#"}
    return Violation(**{**defaults, "message": "use a string", "expected": "a string", "got": "integer", **members})


def lines(*judgements: Judgement, semantics: bool = True, show_values: bool = False, colour: bool = False) -> list[str]:
    out = io.StringIO()
    print_report(judgements, TextReport(out, Style(colour=colour), semantics=semantics, show_values=show_values))
    return out.getvalue().splitlines()


def violated(*violations: Placed, **members: Any) -> Judgement:
    return Judgement(path="f", exit=Exit.VIOLATED, violations=list(violations), **members)


def test_a_document_that_conforms_needs_no_words() -> None:
    assert lines(Judgement(path="f", exit=Exit.CONFORMS)) == ["1 document: 1 conforming"]


def test_nothing_at_all_is_said() -> None:
    assert lines() == ["nothing to check: no FILE was named"]


@pytest.mark.parametrize(
    ("placed", "members", "line"),
    [
        (Placed(violation(), Position(3, 9)), {}, "f:3:9: /a: use a string [schema.type]"),
        (Placed(violation(pointer=""), Position(1, 1)), {}, "f:1:1: use a string [schema.type]"),
        (Placed(violation()), {}, "f: /a: use a string [schema.type]"),
        (Placed(violation()), {"line": 7}, "f:7: /a: use a string [schema.type]"),
        (Placed(violation(event=2)), {}, "f: event 2: /a: use a string [schema.type]"),
        (Placed(violation(pointer="/\x1b[2J\nok")), {}, r"f: /\x1b[2J\nok: use a string [schema.type]"),
        (Placed(violation(pointer="", message="use\n\x9b")), {}, r"f: use\n\x9b [schema.type]"),
    ],
)
def test_a_violation_is_one_line_with_its_place(placed: Placed, members: dict[str, Any], line: str) -> None:
    assert lines(violated(placed, **members)) == [line, "1 document: 1 violated (1 violation)"]


def test_values_come_from_the_violation() -> None:
    assert lines(violated(Placed(violation(got="integer 5"))), show_values=True)[0].endswith(
        "use a string (got integer 5) [schema.type]"
    )


def test_what_kept_a_document_unread() -> None:
    judgement = Judgement(path="a\nb", exit=Exit.UNREADABLE, line=2, problem="is not JSON: x\x07")
    assert lines(judgement) == [r"a\nb:2: is not JSON: x\x07", "1 document: 1 unreadable"]


def test_standard_input_has_a_name() -> None:
    assert lines(Judgement(path="-", exit=Exit.NOTHING_CHECKED)) == [
        "<stdin>: holds nothing to check",
        "1 document: 1 empty",
    ]


def test_a_stream_says_how_it_ended() -> None:
    summary = StreamSummary(outcome="failed", events=1, comments=0, tokens=0)
    assert lines(Judgement(path="f", exit=Exit.CONFORMS, stream=summary))[0] == "f: stream failed: 1 event"


def test_a_cut_list_says_so() -> None:
    assert lines(violated(Placed(violation()), is_cut=True))[1] == (
        "f: stopped after 1 violation; there may be more, see --max-errors"
    )


@pytest.mark.parametrize("rule", sorted(UNKNOWN_MEMBER))
def test_an_unknown_member_names_this_revision_of_the_contract(rule: str) -> None:
    found = lines(violated(Placed(violation(rule=rule))), violated(Placed(violation(rule=rule))))
    assert [line for line in found if kc.SCHEMA_SHA256 in line] == [found[-2]]
    assert rule in kc.RULES


def test_a_check_without_semantics_says_so() -> None:
    assert lines(Judgement(path="f", exit=Exit.CONFORMS), semantics=False)[0] == (
        "note: checked by the schema alone, without its semantic rules"
    )


def test_the_sum_counts_by_verdict() -> None:
    judgements = [Judgement(path="f", exit=code) for code in Exit if code is not Exit.USAGE]
    assert lines(*judgements, violated(Placed(violation()), Placed(violation())))[-1] == (
        "5 documents: 1 conforming, 2 violated, 1 unreadable, 1 empty (2 violations)"
    )


def test_colour_changes_nothing_but_colour() -> None:
    judgements = [violated(Placed(violation(rule=min(UNKNOWN_MEMBER)))), Judgement(path="g", exit=Exit.CONFORMS)]
    painted = "\n".join(lines(*judgements, colour=True))
    assert "\x1b[31m2 documents" in painted
    for code in ("1", "2", "31", "0"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted.split("\n") == lines(*judgements)
