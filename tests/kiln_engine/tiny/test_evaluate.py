"""Evaluations, on few questions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kiln_engine.tiny import CHECKPOINT, evaluate
from kiln_engine.tiny.examination import TWO_TOOLS, Examination
from kiln_engine.tiny.export import read_network, read_tokenizer
from kiln_engine.tiny.source import is_unseen_wording


@cache
def examination(num_questions: int) -> Examination:
    return Examination(read_network(CHECKPOINT), read_tokenizer(CHECKPOINT), num_questions=num_questions)


def test_questions_have_unseen_wordings_and_are_always_the_same() -> None:
    asked = examination(40).questions("addition")
    assert all(is_unseen_wording(dialogue.phrasing) for dialogue in asked)
    assert asked == examination(40).questions("addition")


def test_two_tools_means_two() -> None:
    assert {len(dialogue.tools) for dialogue in examination(40).questions(TWO_TOOLS)} == {2}


@pytest.mark.parametrize("way", ["greedy", "defaults", "direct", "cut"])
def test_one_digit_sums_are_mostly_right_in_every_way(way: str) -> None:
    result = examination(40).result("addition", way)  # type: ignore[arg-type]
    assert result.right.value >= 0.85
    assert result.thought.value == (1.0 if way in ("greedy", "defaults") else 0.0)


def test_the_fitting_one_of_two_tools_is_called() -> None:
    assert examination(40).result(TWO_TOOLS, "greedy").fitting.value >= 0.9


def test_only_the_measured_part_of_a_card_is_replaced() -> None:
    card = f"before\n{evaluate.BEGIN}\nold\n{evaluate.END}\nafter\n"
    new = evaluate.replaced(card, "new")
    assert new == f"before\n{evaluate.BEGIN}\n\nnew\n\n{evaluate.END}\nafter\n"
    assert evaluate.replaced(new, "new") == new


def test_a_card_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="the tables go between them"):
        evaluate.replaced("no marks", "new")


def test_the_command_prints_a_row_for_each_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "KINDS", ("addition", "subtraction", "multiplication", TWO_TOOLS))
    assert evaluate.main(["--questions", "3", "--threads", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert any(row.startswith("| multiplication | ") for row in rows)
    assert sum(row.startswith("| fitting one of two tools") for row in rows) == 1


def test_the_command_writes_into_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "KINDS", ("addition", "subtraction", "multiplication", TWO_TOOLS))
    card = tmp_path / "card.md"
    card.write_text(f"# Card\n{evaluate.BEGIN}\n{evaluate.END}\n", encoding="utf-8")
    evaluate.main(["--questions", "2", "--threads", "1", "--card", str(card)])
    assert "| addition | " in card.read_text(encoding="utf-8")
