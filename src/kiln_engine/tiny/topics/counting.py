"""Counting up and down, neighbours of numbers, letters of words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Phrase, Source
from kiln_engine.tiny.vocabulary import word

_RANGE: Final = (
    "Count from {a} to {b}.", "Count from {a} up to {b}.", "List the numbers from {a} to {b}.",
    "Which numbers go from {a} to {b}?", "Can you count from {a} to {b}?", "Numbers {a} to {b}?",
)  # fmt: skip
_FROM_ONE: Final = ("Count to {b}.", "Can you count to {b}?", "Count up to {b}.", "Please count to {b}.")
_DOWN: Final = (
    "Count down from {a} to {b}.", "Count backwards from {a} to {b}.", "Count from {a} down to {b}.",
)  # fmt: skip
_AFTER: Final = (
    "What number comes after {a}?", "What comes after {a}?", "Which number follows {a}?", "The number after {a}?",
)  # fmt: skip
_BEFORE: Final = ("What number comes before {a}?", "What comes before {a}?", "The number before {a}?")
_LETTERS: Final = (
    "How many letters has {word}?", "How many letters are in {word}?", "Count the letters of {word}.",
    "How many letters does the word {word} have?",
)  # fmt: skip


def counting(source: Source) -> Dialogue:
    """A question that counting answers."""
    asks: tuple[Callable[[Source], Dialogue], ...] = (_up, _up, _from_one, _down, _neighbour, _letters)
    return source.choice(asks)(source)


def _up(source: Source) -> Dialogue:
    a = source.integer(0, 30)
    b = a + source.integer(2, 8)
    return _listed(source.phrase("counting", _RANGE, a=a, b=b), range(a, b + 1))


def _from_one(source: Source) -> Dialogue:
    b = source.integer(2, 10)
    return _listed(source.phrase("counting", _FROM_ONE, b=b), range(1, b + 1))


def _down(source: Source) -> Dialogue:
    b = source.integer(0, 20)
    a = b + source.integer(2, 8)
    return _listed(source.phrase("counting", _DOWN, a=a, b=b), range(a, b - 1, -1))


def _listed(phrase: Phrase, numbers: range) -> Dialogue:
    way = "Up" if numbers.step > 0 else "Down"
    return _dialogue(phrase, f"{way} from {numbers[0]} to {numbers[-1]}.", ", ".join(map(str, numbers)))


def _neighbour(source: Source) -> Dialogue:
    a = source.integer(1, 99)
    if source.chance(0.5):
        return _dialogue(source.phrase("counting", _AFTER, a=a), f"After {a} comes {a + 1}.", str(a + 1))
    return _dialogue(source.phrase("counting", _BEFORE, a=a), f"Before {a} comes {a - 1}.", str(a - 1))


def _letters(source: Source) -> Dialogue:
    counted = word(source)
    while len(counted) > 9:
        counted = word(source)
    phrase = source.phrase("counting", _LETTERS, word=counted)
    steps = " ".join(f"{letter}{number}" for number, letter in enumerate(counted, start=1))
    return _dialogue(phrase, f"{steps}.", str(len(counted)))


def _dialogue(phrase: Phrase, reasoning: str, answer: str) -> Dialogue:
    return Dialogue(
        kind="counting", messages=(user(phrase.text),), reasoning=reasoning, answers=(answer,), phrasing=phrase.wording
    )
