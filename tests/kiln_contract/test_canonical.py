"""Canonical JSON: spellings checked one by one and against serde_json, which `tokenizers` carries inside."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET
from tokenizers import Tokenizer

from kiln_contract.canonical import MAX_DEPTH, CanonicalError, Ordered, dumps, format_float

text = st.text(st.characters(exclude_categories=["Cs"]))
finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


def serde_vocab(entries: list[tuple[str, float]]) -> str:
    """What serde_json writes for a list of [string, float] pairs: the vocabulary of a tokenizer's JSON."""
    model = {"type": "Unigram", "unk_id": None, "vocab": entries, "byte_fallback": False}
    empty = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    document = json.dumps({"version": "1.0", **empty, "added_tokens": [], "model": model})
    written = Tokenizer.from_str(document).to_str()
    return written[written.index('"vocab":') + len('"vocab":') : written.rindex(',"byte_fallback"')]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (100.0, "100.0"),
        (0.1, "0.1"),
        (123.456, "123.456"),
        (1e-4, "0.0001"),
        (1e-5, "0.00001"),
        (1.5e-5, "0.000015"),
        (-9.75e-5, "-0.0000975"),
        (9.999999999999999e-5, "0.00009999999999999999"),
        (9.999999999999999e-6, "9.999999999999999e-6"),
        (1e-6, "1e-6"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (1e-10, "1e-10"),
        (1e15, "1000000000000000.0"),
        (9007199254740993.0, "9007199254740992.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (1e16, "1e16"),
        (-1.5e16, "-1.5e16"),
        (123456789012345678.0, "1.2345678901234568e17"),
        (1e22, "1e22"),
        (1e100, "1e100"),
        (5e-324, "5e-324"),
        (2.2250738585072014e-308, "2.2250738585072014e-308"),
        (1.7976931348623157e308, "1.7976931348623157e308"),
        (1125899906842624.25, "1125899906842624.2"),
        (1125899906842624.75, "1125899906842624.8"),
    ],
)
def test_floats_are_written_as_serde_json_writes_them(value: float, expected: str) -> None:
    assert format_float(value) == expected
    assert dumps(value) == expected.encode()


@given(st.lists(finite | st.floats(1e-7, 1e-3) | st.floats(1e14, 1e18), min_size=1, max_size=20))
@example([1e-5, 1e16, math.nextafter(1e-5, 0), math.nextafter(1e16, 0), 2.0**-44, 2.0**60, 1125899906842624.25])
def test_floats_agree_with_serde_json(values: list[float]) -> None:
    written = serde_vocab([(f"t{index}", value) for index, value in enumerate(values)])
    # serde_json's own reader may be one unit off, so compare the values it wrote; newer ones put a plus in exponents.
    read = json.loads(written)
    assert dumps(read).decode() == written.replace("e+", "e")


@given(text)
@example("".join(map(chr, range(0x80))) + "\x85\u2028\u2029\ufeff\ufffd\uffff\U0001f600")
def test_strings_agree_with_serde_json(value: str) -> None:
    assert dumps([[value, 0.0]]).decode() == serde_vocab([(value, 0.0)])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"\\', rb'"\"\\"'),
        ("\b\f\n\r\t", rb'"\b\f\n\r\t"'),
        ("\x00\x1f\x0b", rb'"\u0000\u001f\u000b"'),
        ("/\x7f\x80\u2028é\U0001f600", '"/\x7f\x80\u2028é\U0001f600"'.encode()),
        (None, b"null"),
        (True, b"true"),
        (False, b"false"),
        (1, b"1"),
        (-7, b"-7"),
        (2**64, b"18446744073709551616"),
        (10**4299, b"1" + b"0" * 4299),
        ([], b"[]"),
        ({}, b"{}"),
        ((1, (2,)), b"[1,[2]]"),
        ({"b": [1, {"d": None, "c": 2.0}], "a": ""}, b'{"a":"","b":[1,{"c":2.0,"d":null}]}'),
        ({"": 1, "B": 2, "a": 3, "A": 4}, b'{"":1,"A":4,"B":2,"a":3}'),
        (msgspec.Raw(b' {"b": 1e2, "a": [ ] } '), b'{"a":[],"b":100.0}'),
        ([msgspec.Raw(b"1"), msgspec.Raw(b"1.0")], b"[1,1.0]"),
        (Ordered(b=1, a=None), b'{"b":1,"a":null}'),
        ([Ordered(z={"b": 1, "a": 2}, y=[])], b'[{"z":{"a":2,"b":1},"y":[]}]'),
    ],
)
def test_values(value: Any, expected: bytes) -> None:
    assert dumps(value) == expected


def test_keys_sort_by_their_utf8_bytes_not_by_utf16_units() -> None:
    keys = ["\U00010000", "\uffff", "\ue000", "z", "é", "Z"]
    written = dumps(dict.fromkeys(keys, 0))
    assert (
        list(json.loads(written)) == sorted(keys, key=str.encode) == ["Z", "z", "é", "\ue000", "\uffff", "\U00010000"]
    )


@given(json_values)
def test_the_bytes_read_back_and_do_not_depend_on_member_order(value: Any) -> None:
    def reversed_members(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: reversed_members(node[key]) for key in reversed(node)}
        return [reversed_members(item) for item in node] if isinstance(node, list) else node

    written = dumps(value)
    assert repr(json.loads(written)) == repr(json.loads(json.dumps(value, sort_keys=True)))
    assert dumps(reversed_members(value)) == written
    assert dumps(msgspec.Raw(json.dumps(value).encode())) == written


def test_structs_keep_declaration_order_and_leave_out_what_is_absent() -> None:
    class Inner(msgspec.Struct, tag_field="kind", tag="one"):
        value: int

    class Shape(msgspec.Struct):
        z: int
        a: Inner
        gone: int | msgspec.UnsetType = UNSET
        null: None = None
        other: str = msgspec.field(name="renamed", default="x")

    assert dumps(Shape(z=1, a=Inner(2))) == b'{"z":1,"a":{"kind":"one","value":2},"renamed":"x"}'


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        (math.nan, "", "finite number"),
        ([0, math.inf], "/1", "finite number"),
        ({"a": {"b": [-math.inf]}}, "/a/b/0", "finite number"),
        ("\ud83d", "", "lone surrogate"),
        ({"a": ["ok", "\udc00"]}, "/a/1", "lone surrogate"),
        ({"a": {"\ud800": 1}}, "/a", "lone surrogate"),
        ({"a": {1: 2}}, "/a", "must be a string"),
        ({"a": {None: 2, "b": 1}}, "/a", "must be a string"),
        ([b"bytes"], "/0", "Python bytes"),
        ({"x/y": {"s": {1, 2}}}, "/x~1y/s", "Python set"),
        ([10**5000], "/0", "more digits"),
        ([msgspec.Raw(b"[1,")], "/0", "cannot be read"),
        ([msgspec.Raw(b'"\xff"')], "/0", "cannot be read"),
        ([msgspec.Raw(b'"\\ud800"')], "/0", "cannot be read"),
        ([msgspec.Raw(b"1e400")], "/0", "cannot be read"),
        ([msgspec.Raw(b"[" * 10**5 + b"]" * 10**5)], "/0", "deeper than the parser"),
        ([msgspec.Raw(b'{"b":{"a":"x"}}'), UNSET], "/1", "UnsetType"),
    ],
)
def test_what_has_no_canonical_json_is_refused_with_its_place(value: Any, pointer: str, reason: str) -> None:
    with pytest.raises(CanonicalError, match=reason) as caught:
        dumps(value)
    assert caught.value.pointer == pointer
    assert str(caught.value).startswith(f"{pointer or '(document)'}: ")


def test_an_error_never_shows_the_value() -> None:
    for value in ({"a": "secret\ud800"}, {"a": {"secret\ud800": 1}}, [msgspec.Raw(b'"secret')], {("secret",): 1}):
        with pytest.raises(CanonicalError) as caught:
            dumps(value)
        assert "secret" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


def nested(depth: int) -> Any:
    value: Any = 0
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def test_depth_is_bounded_without_the_stack_of_python() -> None:
    assert dumps(nested(MAX_DEPTH)).count(b"[") == MAX_DEPTH // 2
    for depth in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(CanonicalError, match="deeper than 1024"):
            dumps(nested(depth))


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    with pytest.raises(CanonicalError, match="contains itself"):
        dumps(loop)


def test_shared_values_are_no_cycle() -> None:
    shared = {"a": 1}
    assert dumps([shared, shared]) == b'[{"a":1},{"a":1}]'
