"""Positions are checked by reading the value that stands there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_contract.cli import locate as module
from kiln_contract.cli.locate import Position, locate
from kiln_contract.errors import pointer

KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def every_path(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield from every_path(inner, (*path, key))


def read_at(text: str, position: Position) -> Any:
    lines = text.split("\n")
    rest = "\n".join([lines[position.line - 1][position.column - 1 :], *lines[position.line :]])
    return json.JSONDecoder().raw_decode(rest)[0]


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_pointer_leads_to_its_value(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    expected = {pointer(path): inner for path, inner in every_path(value)}
    positions = locate(text.encode(), set(expected))
    assert {at: read_at(text, position) for at, position in positions.items()} == expected


@pytest.mark.parametrize("at", ["/b", "/a/2", "/a/0/x", "/a/-1", "a"])
def test_a_pointer_to_nothing_has_no_place(at: str) -> None:
    assert locate(b'{"a": [1, 2]}', {at}) == {}


def test_the_last_of_a_member_given_twice_is_meant() -> None:
    assert locate(b'{"a": 1,\n "a": 2}', {"/a"}) == {"/a": Position(2, 7)}


def test_a_key_that_is_cut_in_pointers_is_found() -> None:
    long = "k" * 100
    text = json.dumps({"x": {long: 1}}).encode()
    assert locate(text, {pointer(["x", long])}) == {pointer(["x", long]): Position(1, len(text) - 2)}


def test_columns_count_characters() -> None:
    assert locate('["äöü😀", 1]'.encode(), {"/1"}) == {"/1": Position(1, 10)}


def test_structure_inside_strings_is_text() -> None:
    assert locate(rb'["]}\"{[,:", {"a\\": [5]}]', {"/1/a\\/0"}) == {"/1/a\\/0": Position(1, 23)}


def test_a_long_text_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 3)
    assert locate(b"[1]", {"/0"})
    assert locate(b"[ 1]", {"/0"}) == {}
