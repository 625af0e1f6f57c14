"""Answers to many prompts at once."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.tiny.generate import generate
from kiln_engine.tiny.network import Network, Shape

SHAPE = Shape(vocab_size=40, width=32, num_layers=2, num_heads=2, num_kv_heads=1, head_size=16, inner_width=48)
END = 7


def network() -> Network:
    torch.manual_seed(3)
    made = Network(SHAPE).eval()
    for parameter in made.parameters():
        parameter.data = torch.randn_like(parameter) * 0.3 + (parameter.ndim == 1)
    return made


NETWORK = network()


@torch.no_grad()
def one_by_one(prompt: list[int], max_tokens: int) -> list[int]:
    """The greedy answer to one prompt, with the whole text computed again for every token."""
    ids = list(prompt)
    while len(ids) < len(prompt) + max_tokens:
        drawn = int(NETWORK.logits(NETWORK(torch.tensor([ids]))[0, -1]).argmax())
        if drawn == END:
            break
        ids.append(drawn)
    return ids[len(prompt) :]


@given(st.lists(st.lists(st.integers(0, 39), min_size=1, max_size=9), min_size=1, max_size=5))
@settings(deadline=None, max_examples=25)
def test_prompts_together_are_answered_as_each_alone(prompts: list[list[int]]) -> None:
    together = generate(NETWORK, prompts, end_id=END, max_tokens=12)
    assert together == [one_by_one(prompt, 12) for prompt in prompts]


def test_the_end_is_reached_in_some_of_these() -> None:
    lengths = {len(answer) for answer in generate(NETWORK, [[id_] for id_ in range(40)], end_id=END, max_tokens=12)}
    assert len(lengths) > 1
