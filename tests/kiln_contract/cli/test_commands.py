"""The commands, run in this process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

import kiln_contract as kc
from kiln_contract.cli.names import STREAM
from kiln_contract.vectors import Vector
from tests.kiln_contract.cli.ran import Run, Write
from tests.kiln_contract.cli.recordings import COMPLETED, PRIVATE, UNFINISHED, dump, request, response, wrong_total
from tests.kiln_contract.samples import example


@pytest.mark.parametrize("name", sorted(kc.schema()["x-kiln-examples"]))
def test_the_examples_of_the_schema_conform(write: Write, run: Run, name: str) -> None:
    assert run("validate", "--as", name, write("x.json", dump(example(name)))).code == 0


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.json": dump(response()), "b.sse": COMPLETED}, 0),
        ({"a.json": dump(response()), "b.json": dump(wrong_total())}, 1),
        ({"a.json": dump(wrong_total()), "b.json": b"{", "c.json": b""}, 1),
        ({"a.json": b"{", "b.json": b"", "c.json": dump(response())}, 3),
        ({"a.json": b"", "b.json": dump(response())}, 4),
        ({"a.jsonl": dump(response()) * 2 + b"\n{\n" + dump(wrong_total())}, 1),
        ({"a.sse": UNFINISHED}, 1),
        ({}, 4),
    ],
    ids=str,
)
def test_exit_codes(write: Write, run: Run, files: dict[str, bytes], code: int, form: str) -> None:
    ran = run("validate", "--format", form, *[write(name, body) for name, body in files.items()])
    assert (ran.code, ran.err) == (code, "")
    if form == "json":
        assert json.loads(ran.out)["exit_code"] == code


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("flags", [[], ["--show-values"]], ids=["hidden", "shown"])
def test_content_stays_out_of_reports_unless_asked_for(write: Write, run: Run, flags: list[str], form: str) -> None:
    broken = response()
    broken["choices"][0]["finish_reason"] = PRIVATE
    streamed = COMPLETED.replace(b'"stop"', json.dumps(PRIVATE).encode())
    paths = [write("a.json", dump(broken)), write("b.sse", streamed)]
    ran = run("validate", "--format", form, *flags, *paths)
    assert ran.code == 1
    assert ran.out.count(PRIVATE) == (2 if flags else 0)


OPTIONS: dict[str, tuple[list[str], str]] = {
    "unknown definition": (["--as", "chatcompletionresponse", "r.json"], "did you mean 'ChatCompletionResponse'"),
    "a stream as json": (["--input", "sse", "--as", "Usage", "r.json"], f"checked --as {STREAM}"),
    "stdin twice": (["-", "-"], "can be read once"),
    "stdin for both": (["--request", "-", "-"], "can be read once"),
    "a request for two": (["--request", "q.json", "r.json", "r.json"], "one FILE, not with 2"),
    "a request for none": (["--request", "q.json"], "one FILE, not with 0"),
    "a request for a part": (["--request", "q.json", "--as", "Usage", "r.json"], "Usage answers no request"),
    "a request for a request": (["--request", "q.json", "--as", "ChatCompletionRequest", "r.json"], "answers no"),
    "pairs without semantics": (["--request", "q.json", "--no-semantics", "r.json"], "leave it or --no-semantics out"),
    "no errors": (["--max-errors", "0", "r.json"], "whole number from 1"),
    "too many errors": (["--max-errors", "9" * 5000, "r.json"], "got '99999999999999999999…'"),
    "signed errors": (["--max-errors", "+5", "r.json"], "whole number from 1"),
    "unknown form": (["--input", "yaml", "r.json"], "invalid choice"),
    "abbreviated option": (["--show", "r.json"], "unrecognized arguments"),
}


@pytest.mark.parametrize("case", OPTIONS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_wrong_options(write: Write, run: Run, case: str, form: str) -> None:
    write("r.json", dump(response()))
    write("q.json", dump(request()))
    arguments, reason = OPTIONS[case]
    ran = run("validate", "--format", form, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert reason in ran.err


def test_a_pair(write: Write, run: Run) -> None:
    answer = write("r.json", dump(response()))
    assert run("validate", "--request", write("q.json", dump(request())), answer).code == 0
    ran = run("validate", "--request", write("q.json", dump(request(n=2))), answer)
    assert ran.code == 1
    assert "[pair.choices]" in ran.out


def test_max_errors(write: Write, run: Run) -> None:
    path = write("a.json", dump({"object": "chat.completion"}))
    assert len(run("validate", path).out.splitlines()) > 3
    assert len(run("validate", "--max-errors", "1", path).out.splitlines()) == 3


def test_no_semantics(write: Write, run: Run) -> None:
    path = write("a.json", dump(wrong_total()))
    assert (run("validate", path).code, run("validate", "--no-semantics", path).code) == (1, 0)


def test_the_form_can_be_set(write: Write, run: Run) -> None:
    path = write("a.json", dump(response(), response()))
    assert (run("validate", path).code, run("validate", "--input", "jsonl", path).code) == (3, 0)


def test_the_whole_schema_is_printed_byte_for_byte(run: Run) -> None:
    assert hashlib.sha256(run("schema").out.encode()).hexdigest() == kc.SCHEMA_SHA256


@pytest.mark.parametrize("name", ["Usage", "thinking_budget.record"])
def test_one_schema(run: Run, name: str) -> None:
    assert json.loads(run("schema", name).out) == kc.schema(name)


def test_the_names_of_all_schemas(run: Run) -> None:
    names = run("schema", "--list").out.splitlines()
    assert set(names) >= set(kc.schema()["$defs"])
    assert "thinking_budget.record" in names


@pytest.mark.parametrize("arguments", [["usage"], ["Usage", "--list"]], ids=str)
def test_wrong_schema_arguments(run: Run, arguments: list[str]) -> None:
    assert run("schema", *arguments).code == 2


def test_explain(run: Run) -> None:
    assert run("explain", "usage.total").out.startswith("usage.total (payload rule)\n")
    assert len(run("explain").out.splitlines()) == len(kc.RULES)
    assert run("explain", "usage.totl").code == 2


def test_explain_for_programs(run: Run) -> None:
    assert json.loads(run("explain", "usage.total", "--format", "json").out)["definitions"] == ["Usage"]
    assert [rule["id"] for rule in json.loads(run("explain", "--format", "json").out)] == list(kc.RULES)


@pytest.mark.parametrize("name", ["Usage", "thinking_budget.record", "TextCompletionRequest"])
def test_vectors_keep_what_they_promise(write: Write, run: Run, name: str) -> None:
    accepted = [json.loads(line) for line in run("vectors", name).out.splitlines()]
    refused = [json.loads(line) for line in run("vectors", name, "--refused").out.splitlines()]
    assert accepted
    assert refused
    good = write("good.jsonl", dump(*(line["document"] for line in accepted if "document" in line)))
    assert run("validate", "--as", name, good).code == 0
    bad = write("bad.jsonl", dump(*(line["document"] for line in refused if "document" in line)))
    report = json.loads(run("validate", "--as", name, "--format", "json", bad).out)
    found = [[(v["pointer"], v["rule"]) for v in document["violations"]] for document in report["documents"]]
    assert found == [[(line["pointer"], line["rule"])] for line in refused if "document" in line]


def test_recipes_are_written_out_on_request(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    recipe = {"base": {"a": ""}, "repeat": [{"at": "/a", "text": "xy", "count": 2}]}

    def vectors(name: str) -> Iterator[Vector]:
        yield Vector(definition=name, constraints=("c",), accepted=True, stored={"recipe": recipe})
        yield Vector(definition=name, constraints=("d",), accepted=True, stored={"document": 1})

    monkeypatch.setattr("kiln_contract.vectors.vectors", vectors)
    lines: list[Any] = [json.loads(line) for line in run("vectors", "Usage").out.splitlines()]
    assert lines == [{"constraints": ["c"], "recipe": recipe}, {"constraints": ["d"], "document": 1}]
    lines = [json.loads(line) for line in run("vectors", "Usage", "--expand").out.splitlines()]
    assert lines == [{"constraints": ["c"], "document": {"a": "xyxy"}}, {"constraints": ["d"], "document": 1}]


def test_no_vectors_are_no_success(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr("kiln_contract.vectors.vectors", lambda _: iter(()))
    ran = run("vectors", "Usage", "--refused")
    assert (ran.code, ran.out, ran.err) == (4, "", "kiln-contract: Usage has no refused vectors\n")
