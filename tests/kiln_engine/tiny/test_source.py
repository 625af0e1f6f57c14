"""The random source of dialogues and its two splits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny.source import CLOSERS, OPENERS, Source, is_unseen_pair, is_unseen_wording

CORES = ("What is {a}?", "Name {a}.", "{a} please", "Tell {a}.")
digits = st.integers(0, 99)
operations = st.sampled_from(["addition", "subtraction", "multiplication"])


@given(st.text(max_size=9))
def test_equal_seeds_draw_equally(seed: str) -> None:
    first, second = Source(seed), Source(seed)
    assert [first.phrase("t", CORES, a=1) for _ in range(3)] == [second.phrase("t", CORES, a=1) for _ in range(3)]


@given(st.integers(), st.sampled_from(["train", "unseen"]))
def test_a_wording_is_on_the_side_that_was_asked_for(seed: int, split: str) -> None:
    phrase = Source(str(seed), split).phrase("t", CORES, a=1)  # type: ignore[arg-type]
    assert is_unseen_wording(phrase.wording) == (split == "unseen")


def test_a_bare_question_is_always_seen_and_about_a_quarter_of_the_others_is_not() -> None:
    wordings = [f"t|{opener}|{core}|{closer}" for opener in OPENERS for core in CORES for closer in CLOSERS]
    unseen = [wording for wording in wordings if is_unseen_wording(wording)]
    assert 0.2 < len(unseen) / len(wordings) < 0.3
    assert not any(is_unseen_wording(f"t||{core}|") for core in CORES)


def test_a_tenth_of_the_operand_pairs_is_unseen() -> None:
    pairs = [(operation, a, b) for operation in ("addition", "subtraction") for a in range(100) for b in range(100)]
    assert 0.08 < sum(is_unseen_pair(*pair) for pair in pairs) / len(pairs) < 0.12


@given(operations, digits, digits)
def test_the_other_order_of_an_unseen_pair_is_seen(operation: str, a: int, b: int) -> None:
    assert not (is_unseen_pair(operation, a, b) and is_unseen_pair(operation, b, a))
    assert not is_unseen_pair(operation, a, a)


@given(st.integers(), st.integers(-9, 9), st.integers(0, 9))
def test_integers_lie_between_their_bounds(seed: int, low: int, size: int) -> None:
    assert low <= Source(str(seed)).integer(low, low + size) <= low + size


def test_both_bounds_of_integers_are_drawn() -> None:
    source = Source("bounds")
    assert {source.integer(0, 2) for _ in range(100)} == {0, 1, 2}
