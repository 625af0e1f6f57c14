"""Calculations and the questions about them."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny.source import Source, is_unseen_pair
from kiln_engine.tiny.topics.arithmetic import calculate, one_digit, two_digit

OPERATIONS = {"addition": lambda a, b: a + b, "subtraction": lambda a, b: a - b, "multiplication": lambda a, b: a * b}
_SIDE = r"-?\d+(?:[-+*]\d+)*"
EQUATION = re.compile(rf"{_SIDE}(?:={_SIDE})+")
"""Of two sides or more."""


def evaluated(expression: str) -> int:
    """The value of an expression of one kind of sign, from left to right."""
    first, *rest = re.split(r"(?<=\d)([-+*])", expression)
    value = int(first)
    for sign, number in zip(rest[::2], rest[1::2], strict=True):
        value = {"+": value + int(number), "-": value - int(number), "*": value * int(number)}[sign]
    return value


@pytest.mark.parametrize("operation", ["addition", "subtraction"])
def test_results_and_every_written_equation_are_right(operation: str) -> None:
    for a, b in product(range(100), repeat=2):
        work = calculate(operation, a, b)
        assert work.result == OPERATIONS[operation](a, b)
        equations = EQUATION.findall(work.steps)
        assert equations
        assert all(len(set(map(evaluated, equation.split("=")))) == 1 for equation in equations), work.steps


@given(st.integers(0, 9), st.integers(0, 9))
def test_products_are_right(a: int, b: int) -> None:
    work = calculate("multiplication", a, b)
    assert work.result == a * b
    assert work.steps.endswith(f"={a * b}.")


@given(st.integers(10, 99), st.integers(1, 99))
def test_columns_give_the_digits_of_the_result(a: int, b: int) -> None:
    work = calculate("addition", a, b)
    ones, tens = re.findall(r"=(\d+)\.", work.steps)
    assert int(tens) * 10 + int(ones) % 10 == a + b


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("side", ["train", "unseen"])
def test_operand_pairs_come_from_the_side_asked_for(operation: str, side: str) -> None:
    for seed in range(200):
        made = one_digit(operation, Source(str(seed), "train", side))  # type: ignore[arg-type]
        numbers = [int(number) for number in re.findall(r"\d", made.messages[0]["content"])]
        if len(numbers) == 2 and "added to" not in made.phrasing and "Add {b}" not in made.phrasing:
            a, b = reversed(numbers) if "from {a}" in made.phrasing else numbers
            assert is_unseen_pair(operation, a, b) == (side == "unseen")


@given(st.integers())
def test_two_digits_means_a_number_from_ten_up_and_no_negative_result(seed: int) -> None:
    made = two_digit(Source(str(seed)))
    assert max(int(number) for number in re.findall(r"\d+", made.messages[0]["content"])) >= 10
    assert int(made.answer) >= 0
