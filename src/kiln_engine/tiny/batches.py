"""Training batches: fixed by seed and step, of about equal numbers of tokens, and with little padding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from kiln_engine.tiny.dialogues import training_dialogue
from kiln_engine.tiny.encoding import Encoder, Example
from kiln_engine.tiny.source import Source

STEPS_PER_POOL: Final = 16
PARTS: Final = 4
"""Batches of a step, from short dialogues to long ones: no step sees one length only."""

IGNORED: Final = -100


class Batch(NamedTuple):
    """`ids` [sequences, rows], padded with zeros at the end; `targets` are the next ids, IGNORED where not learned."""

    ids: Tensor
    targets: Tensor

    @property
    def num_targets(self) -> int:
        """How many tokens are learned."""
        return int((self.targets != IGNORED).sum())


class Batches:
    """The batches of one seed. Dialogues are made in pools of `STEPS_PER_POOL` steps, sorted by length.

    Raises ValueError for fewer than `PARTS` dialogues a step.
    """

    def __init__(self, tokenizer: Tokenizer, *, seed: int, dialogues_per_step: int) -> None:
        if dialogues_per_step < PARTS:
            raise ValueError(f"a step of {dialogues_per_step} dialogues is too small: it needs {PARTS} or more")
        self._encoder = Encoder(tokenizer)
        self._seed = seed
        self._size = dialogues_per_step * STEPS_PER_POOL
        self._pool: tuple[int, list[list[Batch]]] = (-1, [])

    def at(self, step: int) -> list[Batch]:
        """The batches of a step, the same whenever they are asked for."""
        number, offset = divmod(step, STEPS_PER_POOL)
        if number != self._pool[0]:
            self._pool = (number, self._steps(number))
        return self._pool[1][offset]

    def _steps(self, number: int) -> list[list[Batch]]:
        first = number * self._size
        examples = sorted((self._example(first + index) for index in range(self._size)), key=lambda e: len(e.ids))
        portions = _portions(examples, STEPS_PER_POOL * PARTS)
        order = Source(f"order:{self._seed}:{number}")
        columns = [portions[part * STEPS_PER_POOL : (part + 1) * STEPS_PER_POOL] for part in range(PARTS)]
        steps = zip(*(order.sample(column, len(column)) for column in columns), strict=True)
        # Where dialogues are few, a long one may fill several portions, and leave some empty.
        return [[_batch(portion) for portion in step if portion] for step in steps]

    def _example(self, index: int) -> Example:
        made = training_dialogue(self._seed, index)
        return self._encoder.example(made, Source(f"mode:{self._seed}:{index}"))


def _portions(examples: Sequence[Example], count: int) -> list[list[Example]]:
    """Consecutive runs of examples with about equal numbers of tokens."""
    sums = list(accumulate(len(example.ids) for example in examples))
    portions: list[list[Example]] = [[] for _ in range(count)]
    for example, end in zip(examples, sums, strict=True):
        portions[(end - 1) * count // sums[-1]].append(example)
    return portions


def _batch(examples: Sequence[Example]) -> Batch:
    rows = max(len(example.ids) for example in examples) - 1
    ids = torch.zeros(len(examples), rows, dtype=torch.int64)
    targets = torch.full_like(ids, IGNORED)
    for row, (tokens, start) in enumerate(examples):
        whole = torch.tensor(tokens)
        ids[row, : len(tokens) - 1] = whole[:-1]
        targets[row, start - 1 : len(tokens) - 1] = whole[start:]
    return Batch(ids, targets)
