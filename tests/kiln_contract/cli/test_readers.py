"""Documents come out of files one by one, and what cannot be read says why."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pytest

from kiln_contract.cli import readers
from kiln_contract.cli.forms import Form
from kiln_contract.cli.readers import EventStream, Text, Unreadable, records
from tests.kiln_contract.cli.ran import Write

CASES: dict[str, tuple[str, bytes, Form | None, list[Text]]] = {
    "json by name": ("a.json", b"{}\n[", None, [Text(b"{}\n[")]),
    "json keeps its blank start": ("a.json", b"\n \n{}", None, [Text(b"\n \n{}")]),
    "jsonl by name": ("a.jsonl", b"{\n{}\n", None, [Text(b"{", 1), Text(b"{}", 2)]),
    "blank lines count but are no documents": ("a.jsonl", b"\n1\r\n \t\r\n2", None, [Text(b"1", 2), Text(b"2", 4)]),
    "a form that is asked for beats the name": ("a.json", b"1\n2\n", "jsonl", [Text(b"1", 1), Text(b"2", 2)]),
    "several lines, json by content": ("a.txt", b"{\n}\n", None, [Text(b"{\n}\n")]),
    "complete lines, jsonl by content": ("a", b"\n{}\n{", None, [Text(b"{}", 2), Text(b"{", 3)]),
    "empty json": ("a.json", b"", None, []),
    "blank jsonl": ("a.jsonl", b"\n\r\n  \n", None, []),
    "blank sse": ("a.sse", b"\n\n", None, []),
    "empty, unknown": ("a", b"", None, []),
}


@pytest.mark.parametrize("case", CASES)
def test_documents(write: Write, case: str) -> None:
    name, body, form, expected = CASES[case]
    assert list(records(write(name, body), form)) == expected


@pytest.mark.parametrize("name", ["a.sse", "a.txt"])
def test_a_stream_is_one_record_with_every_byte(write: Write, name: str) -> None:
    body = b"\n: hi\r\n" + b"data: x\n\n" * 20_000
    (record,) = (record for record in records(write(name, body), None) if isinstance(record, EventStream))
    assert isinstance(record, EventStream)


def test_the_pieces_of_a_stream_are_the_file(write: Write) -> None:
    body = b"\n: hi\r\n" + b"data: x\n\n" * 20_000
    for record in records(write("a.sse", body), None):
        assert isinstance(record, EventStream)
        assert b"".join(record.chunks) == body


def test_standard_input(write: Write) -> None:
    with open(write("in", b"1\n2\n"), "rb") as file:
        saved = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            assert list(records("-", None)) == [Text(b"1", 1), Text(b"2", 2)]
        finally:
            os.dup2(saved, 0)
            os.close(saved)


@pytest.mark.parametrize(("path", "reason"), [("nowhere.json", "No such file"), (".", "directory")])
def test_what_cannot_be_opened(write: Write, path: str, reason: str) -> None:
    write("here", b"")
    with pytest.raises(Unreadable, match=f"cannot be read: .*{reason}") as caught:
        list(records(path, None))
    assert (caught.value.path, caught.value.line) == (path, None)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
@pytest.mark.parametrize("form", ["json", "sse", None])
def test_what_fails_while_it_is_read(form: Form | None) -> None:
    with pytest.raises(Unreadable, match="cannot be read: Input/output error"):
        list(records("/proc/self/mem", form))


def test_a_stream_that_fails_while_it_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(readers, "_open", lambda _: Broken(b"data: x\n\n"))
    for record in records("a.sse", None):
        assert isinstance(record, EventStream)
        with pytest.raises(Unreadable, match="cannot be read: Input/output error"):
            list(record.chunks)


@pytest.mark.parametrize(
    ("form", "body", "line"),
    [("json", b"[\n" + b"1" * 30, None), ("json", b"1" * 40, None), ("jsonl", b"1\n" + b"2" * 40 + b"\n3\n", 2)],
)
def test_a_document_too_large(
    write: Write, monkeypatch: pytest.MonkeyPatch, form: Form, body: bytes, line: int | None
) -> None:
    monkeypatch.setattr(readers, "MAX_DOCUMENT_BYTES", 30)
    with pytest.raises(Unreadable, match="MiB; check it in smaller parts") as caught:
        list(records(write("a", body), form))
    assert caught.value.line == line


def test_a_large_file_of_small_lines_is_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_DOCUMENT_BYTES", 30)
    assert len(list(records(write("a.jsonl", b"[1, 2, 3]\n" * 1000), None))) == 1000
