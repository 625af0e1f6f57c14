"""What engines are measured on: prompts to read and tokens to generate, of given sizes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

from tests.bench.engine_models import QWEN3, SMALL, Shape

PLAIN_TOKENS: Final = 256
"""The first ids of every tokenizer here are single bytes; prompts are made of them."""
WARM_UP_TOKENS: Final = 64
"""Length of the prompt that an engine is tried with before it is measured."""
TRIES: Final = 3
"""Of each sample, at most: one that others disturb is taken again."""
SPARE: Final = 64
"""Positions beyond what is asked for: engines differ in when they stop."""


@dataclass(frozen=True)
class Work:
    """Prompts of `context` tokens for `streams` answers: read in one sample, or decoded on, `steps` in a sample."""

    shape: Shape
    kind: Literal["decode", "prefill"]
    streams: int
    context: int
    rounds: int
    steps: int = 0
    inexact: bool = False
    """Whether our engine's inexact setting is measured beside it."""

    @property
    def title(self) -> str:
        if self.kind == "prefill":
            return f"{self.shape.name}, prefill of {self.context:,}"
        streams = "1 stream" if self.streams == 1 else f"{self.streams} streams"
        return f"{self.shape.name}, decode, {streams} at {self.context:,}"

    @property
    def num_tokens(self) -> int:
        """What one sample reads or generates, in tokens."""
        return self.streams * (self.context if self.kind == "prefill" else self.steps)

    @property
    def num_rows(self) -> int:
        """Of all prompts together."""
        return self.streams * self.context

    @property
    def positions(self) -> int:
        """Room that an answer needs in all rounds."""
        return max(self.context, WARM_UP_TOKENS) + (self.rounds + 1) * TRIES * self.steps + SPARE

    def cache_bytes(self, dtype: str) -> int:
        """Keys and values of all answers at their longest, and a little more: engines hand memory out in blocks."""
        each = self.shape.kv_bytes * (2 if dtype == "float32" else 1)
        return each * self.streams * (self.positions + SPARE)

    def step_bytes(self) -> int:
        """What a step of decoding reads at least, in bfloat16: all weights, and each answer's keys and values."""
        kv = self.shape.kv_bytes * self.streams * (self.context + self.steps * self.rounds // 2)
        return self.shape.weight_bytes + kv

    def prompts(self, seed: int) -> list[list[int]]:
        """Random ids: no two prompts begin alike, so none can be taken from a cache."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        return [[draw.randrange(PLAIN_TOKENS) for _ in range(self.context)] for _ in range(self.streams)]


WORKS: Final = (
    Work(SMALL, "decode", 1, 128, rounds=9, steps=32, inexact=True),
    Work(SMALL, "decode", 8, 128, rounds=9, steps=16),
    Work(SMALL, "prefill", 1, 512, rounds=5, inexact=True),
    Work(QWEN3, "decode", 1, 128, rounds=9, steps=8, inexact=True),
    Work(QWEN3, "decode", 8, 128, rounds=7, steps=4),
    Work(QWEN3, "prefill", 1, 512, rounds=3, inexact=True),
    Work(QWEN3, "prefill", 1, 1500, rounds=3),
    Work(QWEN3, "decode", 8, 1024, rounds=7, steps=3),
)
