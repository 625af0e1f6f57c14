"""Which answers count as right."""

from __future__ import annotations

import pytest

from kiln_engine.tiny.dialogue import Dialogue, user
from kiln_engine.tiny.judgement import Written, called, is_fitting, is_right, read


def asked(*answers: str) -> Dialogue:
    return Dialogue(kind="k", messages=(user("?"),), reasoning="r", answers=answers)


CALL = '<tool_call>\n{"name": "look", "arguments": {"a": 1, "b": "x"}}\n</tool_call>'


def test_reasoning_ends_at_its_tag() -> None:
    assert read("one.\n</think>\n\ntwo", thinking=True) == Written("one.\n", "two")


def test_reasoning_that_never_ends_leaves_no_answer() -> None:
    assert read("one. two", thinking=True) == Written(None, "")


def test_without_thinking_all_is_answer() -> None:
    assert read("two", thinking=False) == Written(None, "two")


@pytest.mark.parametrize(("answer", "right"), [("Red.", True), ("Blue.", True), ("red.", False), ("Red", False)])
def test_any_accepted_answer_counts_to_the_character(answer: str, right: bool) -> None:
    assert is_right(asked("Red.", "Blue."), answer) is right


@pytest.mark.parametrize(
    ("answer", "right", "fitting"),
    [
        (CALL, True, True),
        (CALL.replace(" ", ""), True, True),
        (CALL.replace('"x"', '"y"'), False, True),
        (CALL.replace("look", "see"), False, False),
        ("Red.", False, False),
    ],
)
def test_calls_compare_as_values(answer: str, right: bool, fitting: bool) -> None:
    assert is_right(asked(CALL), answer) is right
    assert is_fitting(asked(CALL), answer) is fitting


@pytest.mark.parametrize(
    "text", ["", "<tool_call>", "<tool_call>[1]</tool_call>", "<tool_call>{</tool_call>", f"a {CALL}"]
)
def test_what_is_no_call(text: str) -> None:
    assert called(text) is None
