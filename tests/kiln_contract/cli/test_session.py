"""Files and pairs of files."""

from __future__ import annotations

from typing import Any

import pytest

from kiln_contract.cli.exits import Exit, decide
from kiln_contract.cli.judge import Options
from kiln_contract.cli.judgement import Judgement
from kiln_contract.cli.names import STREAM
from kiln_contract.cli.session import judge_files, judge_pairs
from tests.kiln_contract.cli.ran import Write
from tests.kiln_contract.cli.recordings import COMPLETED, FAILED, dump, request, response, wrong_total

Seen = tuple[str, int | None, Exit]
OK, BAD, UNREAD, EMPTY = Exit.CONFORMS, Exit.VIOLATED, Exit.UNREADABLE, Exit.NOTHING_CHECKED


def seen(judgements: list[Judgement]) -> list[Seen]:
    return [(judgement.path, judgement.line, judgement.exit) for judgement in judgements]


def test_every_document_of_every_file_is_judged(write: Write) -> None:
    paths = [
        write("a.json", dump(response())),
        write("b.jsonl", dump(response(), wrong_total()) + b"{\n"),
        write("c.sse", COMPLETED),
        write("d.json", b" \n"),
        "nowhere.json",
        write("e.txt", FAILED),
    ]
    assert seen(list(judge_files(paths, Options()))) == [
        ("a.json", None, OK),
        ("b.jsonl", 1, OK),
        ("b.jsonl", 2, BAD),
        ("b.jsonl", 3, UNREAD),
        ("c.sse", None, OK),
        ("d.json", None, EMPTY),
        ("nowhere.json", None, UNREAD),
        ("e.txt", None, OK),
    ]


def test_no_files_give_no_judgement() -> None:
    assert list(judge_files([], Options())) == []


def test_a_file_that_breaks_off_keeps_what_was_judged(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiln_contract.cli.readers.MAX_DOCUMENT_BYTES", 1000)
    path = write("a.jsonl", dump(response(), response(), "x" * 2000, response()))
    assert seen(list(judge_files([path], Options()))) == [(path, 1, OK), (path, 2, OK), (path, 3, UNREAD)]


PAIRS: dict[str, tuple[bytes, bytes, list[Seen]]] = {
    "all in order": (
        dump(request(), request(n=1)),
        dump(response(), response()),
        [("q.jsonl", 1, OK), ("r.jsonl", 1, OK), ("q.jsonl", 2, OK), ("r.jsonl", 2, OK)],
    ),
    "the second answers something else": (
        dump(request(), request(n=2)),
        dump(response(), response()),
        [("q.jsonl", 1, OK), ("r.jsonl", 1, OK), ("q.jsonl", 2, OK), ("r.jsonl", 2, BAD)],
    ),
    "a broken request": (dump(request(n=0)), dump(response()), [("q.jsonl", 1, BAD), ("r.jsonl", 1, OK)]),
    "a broken response": (dump(request()), dump(wrong_total()), [("q.jsonl", 1, OK), ("r.jsonl", 1, BAD)]),
    "a request that is no json": (b"{\n", dump(response()), [("q.jsonl", 1, UNREAD), ("r.jsonl", 1, OK)]),
    "a response that is no json": (dump(request()), b"{\n", [("r.jsonl", 1, UNREAD)]),
    "a request is left over": (
        dump(request(), request()),
        dump(response()),
        [("q.jsonl", 1, OK), ("r.jsonl", 1, OK), ("q.jsonl", 2, UNREAD)],
    ),
    "a response is left over": (
        dump(request()),
        dump(response(), response()),
        [("q.jsonl", 1, OK), ("r.jsonl", 1, OK), ("r.jsonl", 2, UNREAD)],
    ),
    "blank lines that agree": (
        b"\n" + dump(request()),
        b"\n" + dump(response()),
        [("q.jsonl", 2, OK), ("r.jsonl", 2, OK)],
    ),
    "blank lines that shift": (b"\n" + dump(request()), dump(response()), [("r.jsonl", 1, UNREAD)]),
    "no request": (b"", dump(response()), [("q.jsonl", None, EMPTY)]),
    "no response": (dump(request()), b"\n", [("r.jsonl", None, EMPTY)]),
    "neither": (b"", b"", [("r.jsonl", None, EMPTY)]),
    "a chunk is no whole answer": (
        dump(request()),
        dump({"object": "chat.completion.chunk"}),
        [("r.jsonl", 1, UNREAD)],
    ),
    "a response that names a member twice": (dump(request()), b'{"a": 1, "a": 1}\n', [("r.jsonl", 1, BAD)]),
}


@pytest.mark.parametrize("case", PAIRS)
def test_pairs_by_line(write: Write, case: str) -> None:
    requests, responses, expected = PAIRS[case]
    found = list(judge_pairs(write("q.jsonl", requests), write("r.jsonl", responses), Options()))
    assert seen(found) == expected
    assert all(judgement.problem for judgement in found if judgement.exit is UNREAD)


@pytest.mark.parametrize("definition", [None, STREAM])
@pytest.mark.parametrize(("members", "exit_"), [({}, OK), ({"stream_options": {"include_usage": True}}, BAD)])
def test_a_stream_and_its_request(write: Write, definition: str | None, members: Any, exit_: Exit) -> None:
    asked = write("q.json", dump(request(stream=True, **members)))
    found = list(judge_pairs(asked, write("r.sse", COMPLETED), Options(definition=definition)))
    assert seen(found) == [("q.json", None, OK), ("r.sse", None, exit_)]


def test_streams_kept_in_json_lines_pair_by_line(write: Write) -> None:
    asks_usage = request(stream=True, stream_options={"include_usage": True})
    asked = write("q.jsonl", dump(request(stream=True), asks_usage))
    kept = write("r.jsonl", dump(COMPLETED.decode(), COMPLETED.decode()))
    assert [exit_ for _, _, exit_ in seen(list(judge_pairs(asked, kept, Options(definition=STREAM))))] == [
        OK,
        OK,
        OK,
        BAD,
    ]


def test_a_stream_is_no_request(write: Write) -> None:
    found = list(judge_pairs(write("q.sse", COMPLETED), write("r.json", dump(response())), Options()))
    assert seen(found) == [("q.sse", None, UNREAD), ("r.json", None, OK)]


def test_a_request_file_that_is_missing(write: Write) -> None:
    found = list(judge_pairs("nowhere.json", write("r.json", dump(response())), Options()))
    assert seen(found) == [("nowhere.json", None, UNREAD)]
    assert decide(judgement.exit for judgement in found) is UNREAD
