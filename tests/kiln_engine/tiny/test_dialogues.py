"""The mixture of dialogues."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny.chat import prompt_text
from kiln_engine.tiny.dialogue import SEAM
from kiln_engine.tiny.dialogues import TOPICS, dialogue
from kiln_engine.tiny.source import Source, is_unseen_wording


@given(st.text(max_size=9))
def test_equal_seeds_make_equal_dialogues(seed: str) -> None:
    assert dialogue(seed) == dialogue(seed)


def test_training_uses_no_wording_of_the_unseen_side() -> None:
    assert not any(is_unseen_wording(dialogue(f"s:{index}").phrasing) for index in range(2000))


@pytest.mark.parametrize("name", [name for name in TOPICS if name != "introduction"])
def test_a_topic_has_wordings_enough_for_an_evaluation(name: str) -> None:
    topic, _ = TOPICS[name]
    asked = {topic(Source(f"{name}:{index}", "unseen")).phrasing for index in range(500)}
    assert all(map(is_unseen_wording, asked))
    assert len(asked) > 200


@given(st.sampled_from(sorted(TOPICS)), st.sampled_from(["train", "unseen"]), st.integers())
def test_every_dialogue_ends_in_a_question_and_has_reasoning_and_an_answer(name: str, split: str, seed: int) -> None:
    made = TOPICS[name][0](Source(str(seed), split))  # type: ignore[arg-type]
    assert made.messages[-1]["role"] in ("user", "tool")
    assert made.reasoning
    assert made.answer
    assert SEAM not in made.answer
    assert "{" not in made.messages[-1]["content"] or made.messages[-1]["role"] == "tool"


def test_topics_come_as_often_as_their_weights_say() -> None:
    size = 4000
    counts = Counter(dialogue(f"w:{index}").kind for index in range(size))
    total = sum(weight for _, weight in TOPICS.values())
    for name in ("addition", "reverse", "tool_call", "limit"):
        assert counts[name] / size == pytest.approx(TOPICS[name][1] / total, rel=0.25)


@pytest.mark.parametrize("question", ["What is 2 + 2?", "What is 3 + 3?", "Name one primary color.", "Name one color."])
def test_the_simplest_questions_are_learned_word_for_word(question: str) -> None:
    topic = TOPICS["addition" if "+" in question else "color"][0]
    asked = (topic(Source(str(seed))).messages[0]["content"] for seed in range(60_000))
    assert question in asked


def test_dialogues_render() -> None:
    for index in range(300):
        made = dialogue(f"r:{index}")
        text = prompt_text(made.messages, made.tools)
        assert text.endswith("<|im_start|>assistant\n<think>\n")
        assert made.messages[-1]["content"] in text
