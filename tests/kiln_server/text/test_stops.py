"""Stop strings: what the matcher gives, said a second time the slow way, and what a token costs."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any
from weakref import ref

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kiln_server.text import stops as module
from kiln_server.text.stops import StopMatcher
from tests.kiln_server.text.calls import num_calls

# The same, the slow way


def passed(text: str, stops: Sequence[str]) -> tuple[str, bool]:
    """All that may be given out once `text` has arrived, and whether a stop string was completed."""
    for end in range(1, len(text) + 1):
        starts = [end - len(stop) for stop in stops if stop and text[:end].endswith(stop)]
        if starts:
            return text[: min(starts)], True
    begins = (start for start in range(len(text)) if any(stop.startswith(text[start:]) for stop in stops))
    return text[: next(begins, len(text))], False


def pieces(text: str, at: Iterable[int]) -> list[str]:
    borders = [0, *sorted({place for place in at if place < len(text)} - {0}), len(text)]
    return [text[start:stop] for start, stop in pairwise(borders)]


def agrees(text: str, stops: Sequence[str], at: Iterable[int]) -> None:
    matcher, read, given_out = StopMatcher(stops), "", ""
    for piece in pieces(text, at):
        read += piece
        given_out += matcher.feed(piece)
        assert (given_out, matcher.stopped) == passed(read, stops)
    given_out += matcher.flush()
    assert given_out == (passed(text, stops)[0] if matcher.stopped else text)
    assert matcher.flush() == ""


small = st.text("ab", max_size=40)
few_letters = st.text("abcé你\n", max_size=40)


@settings(max_examples=500, deadline=None)
@given(
    text=small,
    stops=st.lists(st.text("ab", max_size=9), max_size=12),
    at=st.sets(st.integers(1, 40)),
)
@example("aabab", ["aabb", "ab"], set())
@example("xabca", ["abca", "bca", "a"], set())
@example("aaaaab", ["aaaab"], {3})
@example("abab", ["", "abab", "abab"], {2})
def test_two_letters(text: str, stops: list[str], at: set[int]) -> None:
    agrees(text, stops, at)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), text=few_letters, at=st.sets(st.integers(1, 40)))
def test_stops_that_the_text_nearly_holds(data: st.DataObject, text: str, at: set[int]) -> None:
    """Parts of the text, long ones too, with something else behind them: the text runs far into many stops at once."""
    places = st.integers(0, len(text))
    parts = st.tuples(places, places, st.sampled_from(["", "!", "a", "你"])).map(
        lambda part: text[min(part[:2]) : max(part[:2])] + part[2]
    )
    agrees(text, data.draw(st.lists(parts, max_size=20)), at)


@pytest.mark.parametrize("length", range(7))
def test_every_text_of_two_letters(length: int) -> None:
    stops = ["bb", "abab", "babb", "aaaa", "baab", "abb"]
    for number in range(2**length):
        text = "".join("ab"[number >> place & 1] for place in range(length))
        for cuts in range(2 ** max(0, length - 1)):
            agrees(text, stops, [place + 1 for place in range(length) if cuts >> place & 1])


# What a token costs


def cost(matcher: StopMatcher, tokens: Iterable[str]) -> int:
    """How many calls it takes to read tokens."""

    def feed() -> None:
        for token in tokens:
            matcher.feed(token)

    return num_calls(feed)


@pytest.mark.parametrize(
    "stops",
    [
        pytest.param(lambda count: [f"zz{number}" for number in range(count)], id="none begins"),
        pytest.param(lambda count: [f"ab{number}" for number in range(count)], id="all begin alike"),
        pytest.param(lambda count: [chr(0x4E00 + number) for number in range(count)], id="one character"),
        pytest.param(lambda count: ["b" + "ab" * number + "!" for number in range(count // 10)], id="many lengths"),
        pytest.param(lambda count: ["ab" * count * 10 + "!"], id="very long"),
    ],
)
def test_a_token_costs_the_same_for_any_number_of_stops(stops: Any) -> None:
    few, many = (cost(StopMatcher(stops(count)), ["ab", "c ", "a"] * 1000) for count in (10, 10_000))
    assert many < 2 * few + 1000


def test_a_long_match_that_fails_costs_as_much_as_it_is_long() -> None:
    costs = [cost(StopMatcher(["a" * length + "!"]), ["a"] * length + ["b"]) for length in (1000, 4000)]
    assert costs[1] < 5 * costs[0]


# What answers share


def test_answers_under_way_share_one_structure_and_do_not_disturb_each_other() -> None:
    stops = ["abc", "bd"]
    one, other = StopMatcher(stops), StopMatcher(tuple(stops))
    assert one._stops is other._stops
    assert (one.feed("xab"), other.feed("b"), one.feed("d"), other.feed("cc")) == ("x", "", "a", "bcc")
    assert (one.stopped, other.stopped) == (True, False)


def test_nothing_is_kept_when_the_answers_are_over() -> None:
    gc.disable()  # no collection of cycles is needed
    try:
        matcher = StopMatcher(["aab", "only here"])
        matcher.feed("aaaaonlyaaonly")
        paths = ref(matcher._stops.start)
        del matcher
        assert ("aab", "only here") not in module._in_use
        assert paths() is None
    finally:
        gc.enable()
