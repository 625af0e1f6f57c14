"""The form of a file, by its name and by its start."""

from __future__ import annotations

import pytest

from kiln_contract.cli.forms import Form, form_of_name, form_of_start


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a.json", "json"),
        ("dir.sse/a.JSONL", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.sse", "sse"),
        ("a.txt", None),
        ("-", None),
        (".json", None),
    ],
)
def test_extensions(path: str, form: Form | None) -> None:
    assert form_of_name(path) == form


@pytest.mark.parametrize(
    ("start", "form"),
    [
        (b"data: {}\n", "sse"),
        (b"data\n", "sse"),
        (b"event: x\r\n", "sse"),
        (b"id\r", "sse"),
        (b"retry:1", "sse"),
        (b": keep-alive\n", "sse"),
        (b"\xef\xbb\xbfdata: {}\n", "sse"),
        (b'{"data": 1}\n', "jsonl"),
        (b"  16 \n", "jsonl"),
        (b"null", "jsonl"),
        (b'{"a": 1, "a": 2}\n', "jsonl"),
        (b"{\n", "json"),
        (b"[1,\n", "json"),
        (b'\xef\xbb\xbf{"a": 1}\n', "json"),
        (b"database: x\n", "json"),
        (b"<html>\n", "json"),
    ],
)
def test_starts(start: bytes, form: Form) -> None:
    assert form_of_start(start) == form
