"""Control tokens in text: found where it is trusted, by the rules of their flags."""

from __future__ import annotations

import pytest

from kiln_server.text.control_tokens import ControlToken, ControlTokens

PLAIN = ControlTokens.of({"<a>": 1, "<a><b>": 2, "<b>": 3})


def split(tokens: ControlTokens, text: str) -> list[str | int]:
    return tokens.split(text, [(0, len(text))])


def flagged(**flags: bool) -> ControlTokens:
    return ControlTokens([ControlToken("<a>", 1, **flags)])


def test_the_longer_of_two_tokens_counts() -> None:
    assert split(PLAIN, "x<a><b><a>y<b>") == ["x", 2, 1, "y", 3]


def test_without_tokens_or_text_there_is_nothing_to_find() -> None:
    assert split(ControlTokens([]), "<a>") == ["<a>"]
    assert split(ControlTokens.of({"": 9}), "<a>") == ["<a>"]
    assert split(PLAIN, "") == []


@pytest.mark.parametrize(
    ("regions", "pieces"),
    [
        ([], ["<a><b><b>"]),
        ([(0, 9)], [2, 3]),
        ([(0, 3)], [1, "<b><b>"]),
        ([(0, 5)], [1, "<b><b>"]),
        ([(1, 9)], ["<a>", 3, 3]),
        ([(0, 3), (6, 9)], [1, "<b>", 3]),
        ([(0, 4), (4, 9)], [1, "<b>", 3]),
        ([(1, 2), (4, 5)], ["<a><b><b>"]),
    ],
)
def test_a_token_lies_wholly_inside_one_region(regions: list[tuple[int, int]], pieces: list[str | int]) -> None:
    assert PLAIN.split("<a><b><b>", regions) == pieces


def test_stripping_tokens_take_white_space_with_them_trusted_or_not() -> None:
    assert split(flagged(lstrip=True), "x \n<a> y") == ["x", 1, " y"]
    assert split(flagged(rstrip=True), "x <a>\u3000\n y") == ["x ", 1, "y"]
    assert flagged(lstrip=True, rstrip=True).split(" <a> ", [(1, 4)]) == [1]
    assert split(flagged(lstrip=True, rstrip=True), "<a> <a>  <a>") == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<a>", True),
        (" <a>.", True),
        ("x<a>", False),
        ("<a>é", False),
        ("<a>_", False),
        ("1<a>", False),
        ("\u0301<a>", False),
        ("²<a>", True),
    ],
)
def test_single_words_stand_between_other_characters(text: str, found: bool) -> None:
    assert (1 in split(flagged(single_word=True), text)) is found


def test_ordinary_tokens_are_found_anywhere() -> None:
    tokens = ControlTokens([ControlToken("\n\n", 5, anywhere=True), ControlToken("<a>\n", 1), ControlToken("<a>", 2)])
    assert tokens.split("\n\nx<a>\n\n\n", [(2, 7)]) == [5, "x", 1, 5]
    assert split(tokens, "<a>\n\n\n<a>") == [1, 5, 2]
    assert tokens.split("\n\nx<a>\n\n\n", []) == [5, "x<a>", 5, "\n"]
