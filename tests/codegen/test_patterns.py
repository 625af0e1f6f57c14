"""Patterns keep their ECMA meaning in Python."""

from __future__ import annotations

import re

import pytest

from codegen.model import SchemaError
from codegen.patterns import python_pattern


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        ("^[0-9]+$", ["0", "42"], ["", "42\n", "٣", "a1"]),
        ("^chatcmpl-", ["chatcmpl-", "chatcmpl-\n"], ["x\nchatcmpl-", "Chatcmpl-"]),
        (r"^[^\u0000-\u001f\u007f]+$", ["a", "é", "\u0080"], ["", "a\n", "\x7f", "a\x00"]),
        (r"^[$]$", ["$"], ["", "$\n"]),
    ],
)
def test_meaning(pattern: str, accepted: list[str], refused: list[str]) -> None:
    search = re.compile(python_pattern(pattern)).search
    assert all(search(text) for text in accepted)
    assert not any(search(text) for text in refused)


@pytest.mark.parametrize("pattern", [r"\d", r"\w+", r"\s", r"\bx", "a.c"])
def test_constructs_that_differ_are_refused(pattern: str) -> None:
    with pytest.raises(SchemaError):
        python_pattern(pattern)
