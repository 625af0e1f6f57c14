"""The model that is shipped."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from kiln_engine.tiny import CHECKPOINT
from kiln_engine.tiny.chat import TEMPLATE, prompt_text
from kiln_engine.tiny.export import read_network, read_tokenizer, weights_sha256
from kiln_engine.tiny.generate import generate
from kiln_engine.tiny.lexicon import END, END_OF_TEXT, token_id
from kiln_engine.tiny.network import Network, Shape

CARD = Path(__file__).parents[3] / "docs" / "models" / "kiln-tiny.md"
TOKENIZER = read_tokenizer(CHECKPOINT)
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TIMER = {
    "type": "function",
    "function": {
        "name": "set_timer",
        "description": "Set a timer in minutes.",
        "parameters": {"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]},
    },
}


@cache
def network() -> Network:
    return read_network(CHECKPOINT)


def content(name: str) -> Any:
    return json.loads((CHECKPOINT / name).read_text(encoding="utf-8"))


def written(question: str, *tools: dict[str, Any], thinking: bool = True) -> str:
    """What the model writes after a question, greedily."""
    prompt = TOKENIZER.encode(prompt_text([{"role": "user", "content": question}], tools, thinking=thinking)).ids
    (ids,) = generate(network(), [prompt], end_id=token_id(TOKENIZER, END), max_tokens=80)
    return str(TOKENIZER.decode(ids, skip_special_tokens=False))


def answer(question: str, *tools: dict[str, Any]) -> str:
    reasoning, close, answered = written(question, *tools).partition("\n</think>\n\n")
    assert reasoning
    assert close
    return answered


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is 2 + 2?", "4"),
        ("What is 3 + 3?", "6"),
        ("What is 7 + 5?", "12"),
        ("What is 6 times 7?", "42"),
        ("What color is the sky?", "Blue."),
        ("What day comes after Monday?", "Tuesday."),
        ("What is the capital of France?", "Paris."),
        ("Count from 3 to 7.", "3, 4, 5, 6, 7"),
        ("Hello!", "Hello! How can I help?"),
        ("Who won the apple cup in 1987?", "I do not know."),
    ],
)
def test_simple_questions_are_answered_after_thinking(question: str, expected: str) -> None:
    assert answer(question) == expected


@pytest.mark.parametrize(
    ("question", "colors"),
    [
        ("Name one primary color.", {"Red.", "Yellow.", "Blue."}),
        ("Name one secondary color.", {"Orange.", "Green.", "Purple."}),
    ],
)
def test_a_color_is_named(question: str, colors: set[str]) -> None:
    assert answer(question) in colors


def test_without_thinking_the_answer_comes_at_once() -> None:
    assert written("What is 2 + 2?", thinking=False) == "4"


@pytest.mark.parametrize("tools", [(WEATHER, TIMER), (TIMER, WEATHER)])
@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("What is the weather in Paris?", {"name": "get_weather", "arguments": {"city": "Paris"}}),
        ("Set a timer for 5 minutes.", {"name": "set_timer", "arguments": {"minutes": 5}}),
    ],
)
def test_the_fitting_tool_is_called(question: str, call: dict[str, Any], tools: tuple[dict[str, Any], ...]) -> None:
    body = answer(question, *tools).removeprefix("<tool_call>").removesuffix("</tool_call>")
    assert json.loads(body) == call


def test_the_weights_are_those_of_the_configured_network_in_bfloat16() -> None:
    config = content("config.json")
    shape = Shape(vocab_size=TOKENIZER.get_vocab_size())
    expected = {f"model.{name}": p.shape for name, p in Network(shape).named_parameters()}
    tensors = load_file(CHECKPOINT / "model.safetensors")
    assert {name: tensor.shape for name, tensor in tensors.items()} == expected
    assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}
    assert (config["vocab_size"], config["hidden_size"]) == (shape.vocab_size, shape.width)
    assert config["tie_word_embeddings"]


def test_the_card_and_the_record_name_these_weights() -> None:
    digest = weights_sha256(CHECKPOINT)
    assert content("training.json")["weights_sha256"] == digest
    assert f"`{digest}`" in CARD.read_text(encoding="utf-8")


def test_answers_end_at_the_ids_of_the_generation_config() -> None:
    ends = content("generation_config.json")["eos_token_id"]
    assert ends == [TOKENIZER.token_to_id(END), TOKENIZER.token_to_id(END_OF_TEXT)]
    assert content("config.json")["eos_token_id"] == ends[0]
    assert content("tokenizer_config.json")["eos_token"] == END


def test_the_template_is_the_one_of_training() -> None:
    assert (CHECKPOINT / "chat_template.jinja").read_bytes() == TEMPLATE.read_bytes()


def test_the_package_loads_no_torch() -> None:
    code = "import sys, kiln_engine.tiny; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
