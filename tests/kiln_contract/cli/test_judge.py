"""One document, one judgement."""

from __future__ import annotations

from typing import Any

import pytest

from kiln_contract.cli import judge as module
from kiln_contract.cli.exits import Exit
from kiln_contract.cli.judge import Options, judge, read_record
from kiln_contract.cli.judgement import Judgement
from kiln_contract.cli.locate import Position
from kiln_contract.cli.names import STREAM
from kiln_contract.cli.readers import EventStream, Text, Unreadable
from tests.kiln_contract.cli.recordings import (
    COMPLETED,
    FAILED,
    PRIVATE,
    UNFINISHED,
    USAGE,
    dump,
    request,
    response,
    stream,
    wrong_total,
)


def judge_text(body: bytes, *, line: int | None = None, asked: Any = None, **options: Any) -> Judgement:
    chosen = Options(**options)
    return judge(read_record("f", Text(body, line), chosen.definition, chosen), chosen, asked)


def judge_stream(*chunks: bytes, asked: Any = None, **options: Any) -> Judgement:
    chosen = Options(**options)
    return judge(read_record("f", EventStream(iter(chunks)), chosen.definition, chosen), chosen, asked)


def rules(judgement: Judgement) -> list[str]:
    return [placed.violation.rule for placed in judgement.violations]


@pytest.mark.parametrize("definition", ["ChatCompletionResponse", None])
def test_a_document_that_conforms(definition: str | None) -> None:
    assert judge_text(dump(response()), definition=definition) == Judgement(
        path="f", exit=Exit.CONFORMS, definition="ChatCompletionResponse"
    )


def test_a_document_that_does_not() -> None:
    judgement = judge_text(dump(wrong_total()))
    assert (judgement.exit, rules(judgement), judgement.is_cut) == (Exit.VIOLATED, ["usage.total"], False)


def test_semantics_can_be_left_out() -> None:
    assert judge_text(dump(wrong_total()), semantics=False).exit is Exit.CONFORMS
    assert judge_text(dump({"object": "chat.completion"}), semantics=False).exit is Exit.VIOLATED


@pytest.mark.parametrize(
    ("body", "definition", "rule"),
    [
        (b'{"a": 1, "a": 2}', None, "json.duplicate-key"),
        (b'{"a": 1, "a": 2}', "AdapterRef", "json.duplicate-key"),
        (b"[" * 200 + b"]" * 200, None, "json.depth"),
        (b"[" * 100_000 + b"]" * 100_000, "Usage", "json.depth"),
        (b"9" * 5000, "NonNegativeInteger", "json.number"),
        (b'{"messages": [], "tools": [{"x": 1e400}]}', "ChatCompletionRequest", "number.finite"),
        (b'{"messages": [], "tools": [' + b"9" * 5000 + b"]}", "ChatCompletionRequest", "json.number"),
    ],
    ids=["twice", "twice, named", "deep", "deeper", "long", "infinite in opaque", "long in opaque"],
)
def test_json_that_the_contract_refuses_is_a_violation(body: bytes, definition: str | None, rule: str) -> None:
    judgement = judge_text(body, definition=definition)
    assert (judgement.exit, rules(judgement), judgement.problem) == (Exit.VIOLATED, [rule], None)


@pytest.mark.parametrize(
    "body",
    [b"", b'{"a": ', b"{} {}", b"NaN", b"\xef\xbb\xbf{}", b'"\xff"', b'"\\ud800"', b"\xff\xfe{\0}\0", b"<html>", b"\0"],
    ids=repr,
)
@pytest.mark.parametrize("definition", ["AdapterRef", None])
def test_what_is_not_json_cannot_be_read(body: bytes, definition: str | None) -> None:
    judgement = judge_text(body, definition=definition)
    assert (judgement.exit, judgement.violations) == (Exit.UNREADABLE, [])
    assert judgement.problem is not None
    assert judgement.problem.startswith("is not JSON: ")


@pytest.mark.parametrize("value", [request(), {"object": "chat.completion2"}, "text", None, [response()]], ids=str)
def test_what_does_not_say_what_it_is_needs_a_name(value: Any) -> None:
    judgement = judge_text(dump(value))
    assert (judgement.exit, judgement.definition) == (Exit.UNREADABLE, None)
    assert judgement.problem is not None
    assert "--as" in judgement.problem


def test_violations_have_their_place_in_the_file() -> None:
    body = b'\n{"prompt_tokens": 1,\n  "total_tokens": "x"}'
    places = [(p.violation.pointer, p.position) for p in judge_text(body, definition="Usage").violations]
    assert places == [("", Position(2, 1)), ("/total_tokens", Position(3, 19))]


def test_a_line_of_json_lines_keeps_its_number() -> None:
    judgement = judge_text(b'{"total_tokens": "x"}', line=7, definition="Usage")
    assert judgement.line == 7
    assert {placed.position for placed in judgement.violations} == {Position(7, 1), Position(7, 18)}


def test_the_number_of_violations_is_bounded() -> None:
    judgement = judge_text(b"{}", definition="Usage", max_errors=2)
    assert (len(judgement.violations), judgement.is_cut) == (2, True)


@pytest.mark.parametrize("show_values", [False, True])
def test_values_are_shown_on_request_only(show_values: bool) -> None:
    broken = response()
    broken["choices"][0]["finish_reason"] = PRIVATE
    judgement = judge_text(dump(broken), show_values=show_values)
    assert (PRIVATE in str(judgement)) is show_values


def test_a_request_adds_the_rules_that_need_both() -> None:
    assert judge_text(dump(response()), asked=request()).exit is Exit.CONFORMS
    judgement = judge_text(dump(response()), asked=request(n=2))
    assert (judgement.exit, rules(judgement)) == (Exit.VIOLATED, ["pair.choices"])
    assert judgement.violations[0].position is not None


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_streams_are_judged_in_pieces_of_any_size(size: int) -> None:
    pieces = [COMPLETED[start : start + size] for start in range(0, len(COMPLETED), size)]
    judgement = judge_stream(*pieces)
    assert (judgement.exit, judgement.definition) == (Exit.CONFORMS, STREAM)
    assert judgement.stream is not None
    assert (judgement.stream.outcome, judgement.stream.events) == ("completed", 4)


def test_a_stream_that_fails_as_it_should_conforms_and_says_so() -> None:
    judgement = judge_stream(FAILED)
    assert judgement.exit is Exit.CONFORMS
    assert judgement.stream is not None
    assert judgement.stream.outcome == "failed"


def test_comments_are_counted() -> None:
    judgement = judge_stream(b": one\n\n", COMPLETED, b": two\n\n")
    assert judgement.stream is not None
    assert (judgement.stream.comments, judgement.stream.events) == (2, 4)


@pytest.mark.parametrize("missing", [1, 2, 5])
def test_a_stream_that_is_cut_off(missing: int) -> None:
    judgement = judge_stream(COMPLETED[:-missing])
    assert (judgement.exit, rules(judgement)) == (Exit.VIOLATED, ["stream.truncated"])


def test_a_broken_stream() -> None:
    judgement = judge_stream(UNFINISHED)
    assert (judgement.exit, rules(judgement)) == (Exit.VIOLATED, ["stream.finish-missing"])
    assert (judgement.violations[0].violation.event, judgement.violations[0].position) == (2, None)


def test_broken_json_inside_a_stream_is_a_violation() -> None:
    judgement = judge_stream(b"data: {\n\n" + COMPLETED)
    assert judgement.exit is Exit.VIOLATED
    assert "json.syntax" in rules(judgement)


def test_a_stream_is_held_against_its_request() -> None:
    asks = request(stream=True, stream_options={"include_usage": True})
    assert rules(judge_stream(COMPLETED, asked=asks)) == ["stream.usage-missing"]


def test_the_events_of_a_stream_can_go_without_semantics() -> None:
    body = stream({**USAGE, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1}}, done=False)
    assert "usage.total" in rules(judge_stream(body))
    assert "usage.total" not in rules(judge_stream(body, semantics=False))


def test_a_stream_is_nothing_else() -> None:
    judgement = judge_stream(COMPLETED, definition="ChatCompletionResponse")
    assert (judgement.exit, judgement.problem) == (
        Exit.UNREADABLE,
        "is an event stream, and ChatCompletionResponse is JSON",
    )


def test_an_event_too_large_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DOCUMENT_BYTES", 1024)
    with pytest.raises(Unreadable, match="holds an event of more than"):
        judge_stream(COMPLETED, b"data: " + b"x" * 2000)


@pytest.mark.parametrize(
    ("text", "expected"), [(COMPLETED, []), (UNFINISHED, ["stream.finish-missing"]), (b"x", ["stream.truncated"])]
)
def test_a_stream_kept_as_a_json_string_is_judged_by_its_grammar(text: bytes, expected: list[str]) -> None:
    judgement = judge_text(dump(text.decode()), definition=STREAM)
    assert (rules(judgement), judgement.exit) == (expected, Exit.VIOLATED if expected else Exit.CONFORMS)
    assert judgement.stream is not None
    assert all(placed.position is None for placed in judgement.violations)


def test_a_stream_kept_as_anything_else_is_no_stream() -> None:
    judgement = judge_text(dump({"body": COMPLETED.decode()}), definition=STREAM)
    assert (rules(judgement), judgement.stream) == (["schema.type"], None)


def test_reading_a_stream_does_not_walk_it() -> None:
    chunks = iter([COMPLETED])
    read_record("f", EventStream(chunks), None, Options())
    assert next(chunks) == COMPLETED
