"""Colour where it is wanted, and text that stays text."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_contract.cli.style import Style, plain, wants_colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"TERM": "xterm"}, True),
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_colour_on_a_terminal(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], wanted: bool) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TERM", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(Terminal()) is wanted


def test_no_colour_elsewhere() -> None:
    assert not wants_colour(io.StringIO())


def test_paint() -> None:
    assert Style(colour=True).paint("bad", "x") == "\x1b[31mx\x1b[0m"
    assert Style(colour=False).paint("bad", "x") == "x"


@given(st.text(st.characters(), max_size=20))
def test_plain_text_is_printable_and_printable_text_is_kept(text: str) -> None:
    assert plain(text).isprintable()
    assert (plain(text) == text) is text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[2J", r"\x1b[2J"), ("a\nb", r"a\nb"), ("\u202e", r"\u202e"), ("\udcff", r"\udcff"), ("ä", "ä")],
)
def test_what_is_not_printable_is_escaped(text: str, shown: str) -> None:
    assert plain(text) == shown
