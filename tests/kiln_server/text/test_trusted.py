"""Trust follows the characters it belongs to, and a trusted text behaves as the plain string that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.text.trusted import TooLong, TrustedText, concat, is_trusted, join, spans, trusted

# Which characters are trusted shows in the characters: capitals and marks are, small letters and digits are not.
OWN = "AB<|> \n"
FOREIGN = "abß1"

own = st.text(OWN, max_size=4).map(trusted)
foreign = st.text(FOREIGN, max_size=4)
mixed = st.lists(st.one_of(own, foreign), max_size=6).map(concat)


def expected_spans(text: str) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for index, char in enumerate(text):
        if char in OWN:
            start = found.pop()[0] if found and found[-1][1] == index else index
            found.append((start, index + 1))
    return tuple(found)


def assert_marked(results: Iterable[Any]) -> None:
    for text in results:
        assert spans(text) == expected_spans(text), repr(text)


@given(mixed)
def test_spans_are_sorted_disjoint_and_do_not_touch(text: TrustedText) -> None:
    assert_marked([text])


OPERATIONS: dict[str, Callable[[str, str, str], Any]] = {
    "add": lambda text, other, _: text + other,
    "add to another": lambda text, other, _: other + text,
    "slice": lambda text, other, _: text[len(other) : -2],
    "item": lambda text, _, __: text[len(text) // 2] if text else "",
    "negative item": lambda text, _, __: text[-1] if text else "",
    "strip": lambda text, _, __: text.strip(),
    "strip characters": lambda text, other, _: text.strip(other or None),
    "lstrip": lambda text, _, __: text.lstrip("<a "),
    "rstrip": lambda text, _, __: text.rstrip(">b "),
    "removeprefix": lambda text, other, _: text.removeprefix(other),
    "removesuffix": lambda text, other, _: text.removesuffix(other),
    "replace": lambda text, other, new: text.replace(other, new) if other else text,
    "replace once": lambda text, other, new: text.replace(other, new, 1) if other else text,
    "join": lambda text, other, new: text.join([other, new, other]),
}

PARTS: dict[str, Callable[[str, str], Any]] = {
    "split": lambda text, _: text.split(),
    "split twice": lambda text, _: text.split(None, 2),
    "rsplit": lambda text, _: text.rsplit(None, 1),
    "split at": lambda text, other: text.split(other or "|"),
    "split at once": lambda text, other: text.split(other or "|", 1),
    "rsplit at once": lambda text, other: text.rsplit(other or "|", 1),
    "splitlines": lambda text, _: text.splitlines(),
    "splitlines with ends": lambda text, _: text.splitlines(True),
    "partition": lambda text, other: text.partition(other or "|"),
    "rpartition": lambda text, other: text.rpartition(other or "|"),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(mixed, st.one_of(own, foreign), st.one_of(own, foreign))
def test_operations_keep_trust_and_equal_those_of_plain_strings(
    name: str, text: TrustedText, other: str, new: str
) -> None:
    result = OPERATIONS[name](text, other, new)
    assert result == OPERATIONS[name](*map(str.__str__, (text, other, new)))
    assert_marked([result])


@pytest.mark.parametrize("name", PARTS)
@given(mixed, st.one_of(own, foreign))
def test_parts_keep_trust_and_equal_those_of_plain_strings(name: str, text: TrustedText, other: str) -> None:
    parts = PARTS[name](text, other)
    assert parts == PARTS[name](str.__str__(text), str.__str__(other))
    assert_marked(parts)


@pytest.mark.parametrize("method", ["upper", "lower", "capitalize", "title"])
@given(text=mixed)
def test_changing_case_never_moves_trust(method: str, text: TrustedText) -> None:
    result = getattr(text, method)()
    assert result == getattr(str.__str__(text), method)()
    assert spans(result) in (spans(text), ())
    assert len(result) == len(text) or not spans(result)


@pytest.mark.parametrize(
    ("pattern", "values", "shown", "own_parts"),
    [
        ("<%s>", "user", "<user>", ["<", ">"]),
        ("<%s>", (trusted("A"),), "<A>", ["<A>"]),
        ("<%s|%5.1f|%%>", ("u", 2.25), "<u|  2.2|%>", ["<", "|", "|%>"]),
        ("<%(role)s>", {"role": "user"}, "<user>", ["<", ">"]),
        ("<%*d>", (4, 7), "<   7>", []),
        ("<%r>", "u", "<'u'>", ["<", ">"]),
        ("<plain>", (), "<plain>", ["<plain>"]),
    ],
)
def test_percent_formatting_trusts_the_literal_text_only(
    pattern: str, values: Any, shown: str, own_parts: list[str]
) -> None:
    result = trusted(pattern) % values
    assert result == shown
    assert [result[start:stop] for start, stop in spans(result)] == own_parts


def test_percent_formatting_of_text_that_is_not_all_trusted_trusts_nothing() -> None:
    assert spans(concat([trusted("<"), "u%s"]) % "x") == ()


def test_percent_formatting_fails_as_it_does_on_plain_strings() -> None:
    with pytest.raises(TypeError):
        trusted("%d") % "x"


def test_unknown_operations_lose_trust() -> None:
    text = trusted("<A>")
    for result in (text.center(9), text.translate({65: 66}), text.expandtabs(), text.zfill(9)):
        assert spans(result) == ()


def test_repeating_keeps_trust_of_wholly_trusted_text_only() -> None:
    assert is_trusted(trusted("-") * 3)
    assert is_trusted(2 * trusted("<>"))
    assert spans(concat([trusted("<"), "u"]) * 2) == ()
    assert trusted("<") * 0 == ""


def test_reversed_text_keeps_trust_only_when_all_of_it_is_trusted() -> None:
    assert is_trusted(trusted("<A>")[::-1])
    assert spans(concat([trusted("<"), "u"])[::-1]) == ()


def test_a_value_made_into_trusted_text_is_not_trusted() -> None:
    assert spans(TrustedText("<A>")) == ()
    assert spans(TrustedText(trusted("<A>"))) == ()
    assert TrustedText(None) == "None"


def test_it_is_a_string_like_any_other() -> None:
    text = concat([trusted("<A>"), "u"])
    assert {"<A>u": 1}[text] == 1
    assert "A>" in text
    assert text == "<A>u"
    assert hash(text) == hash("<A>u")
    assert f"{text!s}" == "<A>u"
    assert str(text) is text


def test_join_takes_the_separator_s_trust_into_account() -> None:
    assert_marked([join(",", [trusted("A"), "b"]), join(trusted("|"), ["a", "b"])])
    assert is_trusted(join(trusted("|"), [trusted("A"), trusted("B")]))


def test_plain_parts_can_be_the_template_s_own() -> None:
    text = concat(["<", TrustedText("u"), ">", ""], plain_is_trusted=True)
    assert spans(text) == ((0, 1), (2, 3))


def test_concatenation_is_bounded() -> None:
    def endless() -> Iterable[str]:
        while True:
            yield "xx"

    with pytest.raises(TooLong, match="more than 10 characters"):
        concat(endless(), limit=10)


def test_adding_something_else_is_refused_as_by_plain_strings() -> None:
    with pytest.raises(TypeError):
        trusted("A") + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        1 + trusted("A")  # type: ignore[operator]
