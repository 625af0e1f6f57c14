"""Answers of the network to many prompts at once, for evaluations; the server has an engine for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from kiln_engine.tiny.network import Cache, Network
from kiln_engine.tiny.sampler import GREEDY, Sampling, draw

_MOST_ROWS: Final = 128


@torch.inference_mode()
def generate(
    network: Network,
    prompts: Sequence[Sequence[int]],
    *,
    end_id: int,
    max_tokens: int,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> list[list[int]]:
    """The ids that follow each prompt, without the end id; at most `max_tokens` each."""
    generator = torch.Generator().manual_seed(seed)
    answers: list[list[int]] = [[] for _ in prompts]
    # Prompts of like length share a batch, so that little of it is padding.
    order = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    for first in range(0, len(order), _MOST_ROWS):
        indices = order[first : first + _MOST_ROWS]
        batch = _Decoding(network, [prompts[index] for index in indices], end_id)
        for index, answer in zip(indices, batch.run(max_tokens, sampling, generator), strict=True):
            answers[index] = answer
    return answers


class _Decoding:
    """One batch: prompts padded on the left, so that all of them end at the same column."""

    def __init__(self, network: Network, prompts: Sequence[Sequence[int]], end_id: int) -> None:
        self._network = network
        self._end_id = end_id
        self._lengths = torch.tensor([len(prompt) for prompt in prompts])
        self._columns = int(self._lengths.max())
        ids = torch.zeros(len(prompts), self._columns, dtype=torch.int64)
        for row, prompt in enumerate(prompts):
            ids[row, self._columns - len(prompt) :] = torch.tensor(prompt)
        self._ids = ids
        self._cache: Cache | None = None

    def run(self, max_tokens: int, sampling: Sampling, generator: torch.Generator) -> list[list[int]]:
        """Decode until every row has ended, or to the limit."""
        rows = torch.arange(len(self._ids))
        written: list[list[int]] = [[] for _ in rows]
        seen = torch.zeros(len(rows), self._network.shape.vocab_size, dtype=torch.bool)
        for _ in range(max_tokens):
            drawn = draw(self._logits(), seen, sampling, generator)
            alive = drawn != self._end_id
            rows, drawn, seen = rows[alive], drawn[alive], seen[alive]
            if not len(rows):
                break
            self._keep(alive)
            seen[torch.arange(len(rows)), drawn] = True
            for row, token in zip(rows.tolist(), drawn.tolist(), strict=True):
                written[row].append(token)
            self._ids = drawn[:, None]
        return written

    def _logits(self) -> Tensor:
        """Logits after the last column, of the rows that are left."""
        num_rows = self._ids.shape[1]
        columns = torch.arange(self._columns)
        padding = self._columns - self._lengths
        new = columns[-num_rows:]
        # A column of padding sees itself, for a row that sees nothing has no softmax.
        visible = (columns >= padding[:, None])[:, None] & (columns <= new[:, None]) | (columns == new[:, None])
        positions = (new - padding[:, None]).clamp(min=0)
        hidden, self._cache = self._network.extend(self._ids, positions, visible[:, None], self._cache)
        self._columns += 1
        return self._network.logits(hidden[:, -1])

    def _keep(self, alive: Tensor) -> None:
        self._lengths = self._lengths[alive] + 1
        if self._cache is not None:
            self._cache = [(k[alive], v[alive]) for k, v in self._cache]
