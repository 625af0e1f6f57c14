"""Reading JSON text: what is refused, with which rule, and where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_contract.number import ExactFloat, HugeInteger
from kiln_contract.reader import MAX_DEPTH, depth_exceeds, read


@pytest.mark.parametrize(
    ("body", "rule", "says"),
    [
        (b"", "json.syntax", "expecting value at line 1, column 1"),
        (b'{"a": 1', "json.syntax", "at line 1, column 8"),
        (b'{"a": 1,}', "json.syntax", "line 1, column"),
        (b'{\n "a": nul\n}', "json.syntax", "expecting value at line 2, column 7"),
        (b"{} {}", "json.syntax", "extra data at line 1, column 4"),
        (b"NaN", "json.syntax", "instead of NaN"),
        (b"[-Infinity]", "json.syntax", "instead of -Infinity"),
        (b"01", "json.syntax", ""),
        (b"1.", "json.syntax", ""),
        (b"+1", "json.syntax", ""),
        (b'["a\nb"]', "json.syntax", ""),
        (b"\xef\xbb\xbf{}", "json.syntax", "byte order mark"),
        (b'{"a": "\xff"}', "json.utf8", "byte 7"),
        (b'"\xed\xa0\x80"', "json.utf8", "byte 1"),
        ("{}".encode("utf-16"), "json.utf8", "byte 0"),
        (b'"\\ud800"', "json.utf8", "surrogate"),
        (b'"\\udc00\\ud800"', "json.utf8", "surrogate"),
        ('"\ud800"', "json.utf8", "character 1"),
        (b"[" * 100_000, "json.depth", "128"),
        (b"[" * 100_000 + b"]" * 100_000, "json.depth", "128"),
        (b'{"a":' * 100_000, "json.depth", "128"),
    ],
)
def test_refused(body: bytes | str, rule: str, says: str) -> None:
    (violation,) = read(body).violations
    assert violation.rule == rule
    assert says in violation.message


def test_a_document_in_a_string_with_a_pair_of_surrogates_is_fine() -> None:
    assert read(b'"\\ud83d\\ude00"').value == "😀"


def test_every_duplicate_is_named_in_document_order() -> None:
    body = b'{"a": 1, "b": [{"c": 1, "c": 2, "c": 3}], "a": {"~/": 1, "~/": 2}}'
    assert [v.pointer for v in read(body).violations] == ["/a", "/b/0/c", "/b/0/c", "/a/~0~1"]
    assert [v.pointer for v in read(body, max_errors=2).violations] == ["/a", "/b/0/c"]
    assert read(body, strict=False).violations == []


def test_equal_names_written_differently_are_the_same() -> None:
    assert read(b'{"a": 1, "\\u0061": 2}').violations[0].rule == "json.duplicate-key"


Written = tuple[str, bool]
"""JSON text, and whether some object in it names a member twice."""

# Colons, letters and backslashes, each written plainly and as an escape.
CHARACTERS = [":", "\\u003a", "\\u003A", "a", "\\u0061", '\\"', "\\n", "\\\\", "\\\\u003a", "é"]
strings = st.lists(st.sampled_from(CHARACTERS), max_size=2).map(lambda characters: f'"{"".join(characters)}"')
scalars = st.one_of(strings, st.sampled_from(["null", "1.50", "-0.0", "12345678901234567890123"]))


def array(items: list[Written]) -> Written:
    return f"[{', '.join(text for text, _ in items)}]", any(twice for _, twice in items)


def mapping(members: list[tuple[str, Written]]) -> Written:
    text = ", ".join(f"{name} : {value}" for name, (value, _) in members)
    names = {json.loads(name) for name, _ in members}
    return f"{{{text}}}", len(names) < len(members) or any(twice for _, (_, twice) in members)


documents = st.recursive(
    scalars.map(lambda text: (text, False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(array), st.lists(st.tuples(strings, inner), max_size=3).map(mapping)
    ),
)


@given(documents)
def test_duplicates_are_found_however_names_and_values_are_written(document: Written) -> None:
    text, twice = document
    assert [violation.rule for violation in read(text, max_errors=1).violations] == ["json.duplicate-key"] * twice


@pytest.mark.parametrize(("levels", "exceeds"), [(MAX_DEPTH, False), (MAX_DEPTH + 1, True)])
@pytest.mark.parametrize("noise", ['"[[["', '"\\\\"', '"\\"[{"', "1"])
def test_depth_is_counted_outside_strings(levels: int, exceeds: bool, noise: str) -> None:
    body = ("[" * levels + noise + "]" * levels).encode()
    assert depth_exceeds(body, MAX_DEPTH) is exceeds
    assert bool(read(body).violations) is exceeds


def test_breadth_is_not_depth() -> None:
    body = b"[" + b",".join([b"[{}]"] * 1000) + b"]"
    assert not read(body).violations


def test_numbers_keep_every_digit() -> None:
    value = read(b"[1.0, 9007199254740993.0, 12345678901234567890123, 1e400, -0.0]").value
    assert value[0] == 1.0
    assert type(value[0]) is float
    assert isinstance(value[1], ExactFloat)
    assert value[1].text == "9007199254740993.0"
    assert value[2] == 12345678901234567890123


def test_overflow_is_noted_for_the_validator() -> None:
    assert read(b"[1e400]").inexact
    assert not read(b"[1e300, 1e-400]").inexact


def test_long_integers_are_not_converted() -> None:
    assert read(b"1" * 4300).value == int("1" * 4300)
    document = read(b"[" + b"9" * 1_000_000 + b", 1.5]")
    assert isinstance(document.value[0], HugeInteger)
    assert document.value[1] == 1.5
    assert document.inexact


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_reads_what_the_standard_library_writes(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only)
    document = read(body)
    assert document.violations == []
    assert document.value == value
