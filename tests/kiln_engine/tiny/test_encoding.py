"""Dialogues as ids."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.chat import prompt_text
from kiln_engine.tiny.dialogue import SEAM, Dialogue, user
from kiln_engine.tiny.dialogues import dialogue
from kiln_engine.tiny.encoding import Encoder, Mode
from kiln_engine.tiny.export import read_tokenizer
from kiln_engine.tiny.source import Source

TOKENIZER = read_tokenizer(CHECKPOINT)
ENCODER = Encoder(TOKENIZER)
SUM = Dialogue(kind="k", messages=(user("2+2"),), reasoning="Add: 2+2=4.", answers=("4",))


def learned(made: Dialogue, mode: Mode, seed: str = "0") -> str:
    ids, start = ENCODER.encode(made, mode, Source(seed))
    return str(TOKENIZER.decode(ids[start:], skip_special_tokens=False))


def test_thinking_learns_the_reasoning_the_close_and_the_answer() -> None:
    assert learned(SUM, "thinking") == "Add: 2+2=4.\n</think>\n\n4<|im_end|>"


def test_direct_learns_the_answer() -> None:
    assert learned(SUM, "direct") == "4<|im_end|>"


@given(st.text(max_size=5))
def test_cut_learns_only_what_follows_the_close(seed: str) -> None:
    assert learned(SUM, "cut", seed) == "\n\n4<|im_end|>"
    ids, start = ENCODER.encode(SUM, "cut", Source(seed))
    given_text = TOKENIZER.decode(ids[:start], skip_special_tokens=False)
    reasoning = given_text.removeprefix(prompt_text(SUM.messages)).removesuffix("</think>")
    assert reasoning
    assert "Add: 2+2=4.\n".startswith(reasoning)


@given(st.integers(), st.sampled_from(["thinking", "direct"]))
def test_the_ids_are_those_of_the_whole_text_where_no_seam_is(seed: int, mode: Mode) -> None:
    made = dialogue(str(seed))
    ids, start = ENCODER.encode(made, mode)
    text = TOKENIZER.decode(ids, skip_special_tokens=False)
    assert text.startswith(prompt_text(made.messages, made.tools, thinking=mode == "thinking"))
    assert TOKENIZER.decode(ids[start:], skip_special_tokens=False).endswith(f"{made.answer}<|im_end|>")
    if SEAM not in made.answers[0]:
        assert ids == TOKENIZER.encode(text).ids


def test_seams_part_tokens() -> None:
    made = Dialogue(kind="k", messages=(user("?"),), reasoning="r", answers=(SEAM.join("the"),))
    ids, start = ENCODER.encode(made, "direct")
    assert [TOKENIZER.id_to_token(id_) for id_ in ids[start:]] == ["t", "h", "e", "<|im_end|>"]


def test_modes_come_as_often_as_they_should() -> None:
    starts = Counter(
        TOKENIZER.decode(ids[start:], skip_special_tokens=False)[0]
        for ids, start in (ENCODER.example(SUM, Source(str(seed))) for seed in range(2000))
    )
    assert starts["A"] / 2000 == pytest.approx(0.65, abs=0.05)
    assert starts["4"] / 2000 == pytest.approx(0.28, abs=0.05)
    assert starts["\n"] / 2000 == pytest.approx(0.07, abs=0.03)
