"""Days, months and seasons: what comes next, and how many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Phrase, Source

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SEASONS: Final = ("spring", "summer", "autumn", "winter")
_CYCLES: Final = {"day": DAYS, "month": MONTHS, "season": _SEASONS}
_LENGTHS: Final = dict(zip(MONTHS, (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))
_FACTS: Final = {
    "How many days are in a week?": ("A week has 7 days.", "7"),
    "How many days has a week?": ("A week has 7 days.", "7"),
    "How many months are in a year?": ("A year has 12 months.", "12"),
    "How many months has a year?": ("A year has 12 months.", "12"),
    "How many hours are in a day?": ("A day has 24 hours.", "24"),
    "How many seasons are there?": ("There are 4 seasons.", "4"),
    "What is the first day of the week?": ("The week begins with Monday.", "Monday."),
    "What is the last day of the week?": ("The week ends with Sunday.", "Sunday."),
    "What is the first month of the year?": ("The year begins with January.", "January."),
    "What is the last month of the year?": ("The year ends with December.", "December."),
}
_AFTER: Final = (
    "What {unit} comes after {a}?", "Which {unit} follows {a}?", "What {unit} is after {a}?", "The {unit} after {a}?",
    "What comes after {a}?", "What is the next {unit} after {a}?", "{a} is over. Which {unit} comes next?",
)  # fmt: skip
_BEFORE: Final = (
    "What {unit} comes before {a}?", "Which {unit} is before {a}?", "The {unit} before {a}?", "What comes before {a}?",
)  # fmt: skip
_TWO_AFTER: Final = (
    "What {unit} comes two {unit}s after {a}?", "Which {unit} is two {unit}s after {a}?", "Two {unit}s after {a}?",
)  # fmt: skip
_TODAY: Final = ("Today is {a}. What day is tomorrow?", "If today is {a}, what is tomorrow?")
_YESTERDAY: Final = ("Today is {a}. What day was yesterday?", "If today is {a}, what was yesterday?")
_LENGTH: Final = ("How many days has {a}?", "How many days are in {a}?", "How long is {a} in days?")
_NUMBERED: Final = ("Which month is number {n}?", "What is month {n}?", "Name month number {n}.")


def calendar(source: Source) -> Dialogue:
    """A question about the calendar."""
    asks: tuple[Callable[[Source], Dialogue], ...] = (
        _after, _after, _after, _before, _before, _two_after, _tomorrow, _yesterday, _length, _numbered, _fact,
    )  # fmt: skip
    return source.choice(asks)(source)


def after(cycle: Sequence[str], name: str, steps: int = 1) -> str:
    """The name that comes so many steps later in a cycle."""
    return cycle[(cycle.index(name) + steps) % len(cycle)]


def _draw(source: Source) -> tuple[str, Sequence[str], str]:
    unit = source.choice(("day", "day", "month", "month", "season"))
    cycle = _CYCLES[unit]
    return unit, cycle, source.choice(cycle)


def _after(source: Source) -> Dialogue:
    unit, cycle, a = _draw(source)
    return _next(source.phrase("calendar", _AFTER, unit=unit, a=a), a, after(cycle, a))


def _before(source: Source) -> Dialogue:
    unit, cycle, a = _draw(source)
    return _previous(source.phrase("calendar", _BEFORE, unit=unit, a=a), a, after(cycle, a, -1))


def _two_after(source: Source) -> Dialogue:
    unit, cycle, a = _draw(source)
    phrase = source.phrase("calendar", _TWO_AFTER, unit=unit, a=a)
    return _dialogue(phrase, f"After {a}: {after(cycle, a)}, {after(cycle, a, 2)}.", f"{after(cycle, a, 2)}.")


def _tomorrow(source: Source) -> Dialogue:
    a = source.choice(DAYS)
    return _next(source.phrase("calendar", _TODAY, a=a), a, after(DAYS, a))


def _yesterday(source: Source) -> Dialogue:
    a = source.choice(DAYS)
    return _previous(source.phrase("calendar", _YESTERDAY, a=a), a, after(DAYS, a, -1))


def _length(source: Source) -> Dialogue:
    a = source.choice(MONTHS)
    return _dialogue(source.phrase("calendar", _LENGTH, a=a), f"{a} has {_LENGTHS[a]} days.", str(_LENGTHS[a]))


def _numbered(source: Source) -> Dialogue:
    n = source.integer(1, 12)
    return _dialogue(source.phrase("calendar", _NUMBERED, n=n), f"Month {n} is {MONTHS[n - 1]}.", f"{MONTHS[n - 1]}.")


def _fact(source: Source) -> Dialogue:
    question, (reasoning, answer) = source.choice(tuple(_FACTS.items()))
    return _dialogue(source.phrase("calendar", (question,)), reasoning, answer)


def _next(phrase: Phrase, a: str, b: str) -> Dialogue:
    return _dialogue(phrase, f"After {a} comes {b}.", f"{b}.")


def _previous(phrase: Phrase, a: str, b: str) -> Dialogue:
    return _dialogue(phrase, f"Before {a} comes {b}.", f"{b}.")


def _dialogue(phrase: Phrase, reasoning: str, answer: str) -> Dialogue:
    answer = answer[0].upper() + answer[1:]
    return Dialogue(
        kind="calendar", messages=(user(phrase.text),), reasoning=reasoning, answers=(answer,), phrasing=phrase.wording
    )
