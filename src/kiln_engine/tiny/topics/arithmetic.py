"""Sums, differences and products of small numbers."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.source import Source, is_unseen_pair

_FRAMES: Final = (
    "What is {sum}?", "How much is {sum}?", "Calculate {sum}.", "Compute {sum}.", "{sum}?", "{sum} = ?", "{sum}",
    "What does {sum} give?", "Solve {sum}.", "Work out {sum}.", "What do I get for {sum}?", "The answer to {sum}?",
    "Can you do {sum}?", "What's {sum}?", "Give me the result of {sum}.", "What is the value of {sum}?",
)  # fmt: skip
_SIGNS: Final = {
    "addition": ("{a} + {b}", "{a}+{b}", "{a} plus {b}", "{a} and {b} together", "{b} added to {a}"),
    "subtraction": ("{a} - {b}", "{a}-{b}", "{a} minus {b}", "{a} take away {b}", "{a} less {b}"),
    "multiplication": ("{a} * {b}", "{a} x {b}", "{a} times {b}", "{a}*{b}", "{a} multiplied by {b}", "{a} × {b}"),
}
_SENTENCES: Final = {
    "addition": (
        "What is the sum of {a} and {b}?", "Add {a} and {b}.", "Add {b} to {a}.", "I have {a} coins and get {b} more."
        " How many now?",
    ),
    "subtraction": (
        "Subtract {b} from {a}.", "What is the difference of {a} and {b}?", "What is left of {a} after taking {b}?",
    ),
    "multiplication": (
        "Multiply {a} by {b}.", "What is the product of {a} and {b}?", "How many are {a} rows of {b}?",
    ),
}  # fmt: skip
_NUMERALS: Final = "zero one two three four five six seven eight nine".split()  # noqa: SIM905 - it reads better
_CORES: Final = {
    operation: tuple(frame.replace("{sum}", sign) for frame in _FRAMES for sign in signs) + _SENTENCES[operation]
    for operation, signs in _SIGNS.items()
}


class Work(NamedTuple):
    """The steps of a calculation, as the model writes them, and its result."""

    steps: str
    result: int


def calculate(operation: str, a: int, b: int) -> Work:
    """Work out a small sum, difference or product. Numbers of two digits go column by column."""
    if operation == "multiplication":
        return _product(a, b)
    if operation == "addition":
        return _sum(a, b) if max(a, b) < 10 else _column_sum(a, b)
    if a < b:
        steps, result = calculate("subtraction", b, a)
        return Work(f"{a}-{b} is below 0. {steps} So -{result}.", -result)
    return Work(f"Subtract: {a}-{b}={a - b}.", a - b) if a < 10 else _column_difference(a, b)


def one_digit(operation: str, source: Source) -> Dialogue:
    """A question about two numbers from 0 to 9."""
    a, b = _pair(operation, source, 0, 9)
    phrase = source.phrase(operation, _CORES[operation], **_written(source, a, b))
    work = calculate(operation, a, b)
    return Dialogue(
        kind=operation,
        messages=(user(phrase.text),),
        reasoning=work.steps,
        answers=(str(work.result),),
        phrasing=phrase.wording,
    )


def two_digit(source: Source) -> Dialogue:
    """A sum or difference with at least one number from 10 to 99; differences are not negative."""
    operation = source.choice(("addition", "subtraction"))
    a, b = _pair(operation, source, 1, 99)
    while max(a, b) < 10 or (operation == "subtraction" and a < b):
        a, b = _pair(operation, source, 1, 99)
    phrase = source.phrase("two_digit", _CORES[operation], a=a, b=b)
    work = calculate(operation, a, b)
    return Dialogue(
        kind="two_digit",
        messages=(user(phrase.text),),
        reasoning=work.steps,
        answers=(str(work.result),),
        phrasing=phrase.wording,
    )


addition = partial(one_digit, "addition")
subtraction = partial(one_digit, "subtraction")
multiplication = partial(one_digit, "multiplication")


def _pair(operation: str, source: Source, low: int, high: int) -> tuple[int, int]:
    while True:
        a, b = source.integer(low, high), source.integer(low, high)
        if source.operands is None or is_unseen_pair(operation, a, b) == (source.operands == "unseen"):
            return a, b


def _written(source: Source, a: int, b: int) -> dict[str, object]:
    if source.chance(0.15):
        return {"a": _NUMERALS[a], "b": _NUMERALS[b]}
    return {"a": a, "b": b}


def _sum(a: int, b: int) -> Work:
    turned = "" if a >= b else f"{b}+{a}="
    return Work(f"Add: {a}+{b}={turned}{a + b}.", a + b)


def _product(a: int, b: int) -> Work:
    turned = "" if a >= b else f"{b}*{a}="
    return Work(f"Multiply: {a}*{b}={turned}{a * b}.", a * b)


def _column_sum(a: int, b: int) -> Work:
    ones = a % 10 + b % 10
    carry = ones // 10
    steps = f"Ones: {a % 10}+{b % 10}={ones}. Tens: {a // 10}+{b // 10}+{carry}={a // 10 + b // 10 + carry}."
    return Work(steps, a + b)


def _column_difference(a: int, b: int) -> Work:
    borrowed = int(a % 10 < b % 10)
    ones = a % 10 + 10 * borrowed
    tens = a // 10 - b // 10 - borrowed
    steps = f"Ones: {ones}-{b % 10}={ones - b % 10}. Tens: {a // 10}-{b // 10}-{borrowed}={tens}."
    return Work(steps, a - b)
