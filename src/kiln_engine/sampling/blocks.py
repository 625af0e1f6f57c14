"""The largest logits of each row, exactly, from one pass over the whole vocabulary."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from kiln_engine.sampling.order import ids_of, order_keys

BLOCK: Final = 64
"""Neighbouring ids that share one maximum."""


class Blocks:
    """Logits [rows, V] float32 and the maximum of every block of ids.

    The n largest of a row lie in its n largest blocks, where equal blocks and equal logits go by the lower id: if a
    token is in none of these blocks, each of them holds a token that comes before it.
    """

    def __init__(self, logits: Tensor) -> None:
        self._logits = logits
        self._device = logits.device
        num_rows, self._vocab_size = logits.shape
        num_full = self._vocab_size // BLOCK * BLOCK
        maxima = logits[:, :num_full].view(num_rows, -1, BLOCK).amax(-1)
        if num_full < self._vocab_size:
            maxima = torch.cat((maxima, logits[:, num_full:].amax(-1, keepdim=True)), dim=-1)
        self._maxima = maxima
        self._block_ids = torch.arange(maxima.shape[1], device=self._device)

    def highest(self) -> Tensor:
        """The largest logit of each row: [rows] float32; NaN where a row holds one."""
        return self._maxima.amax(-1)

    def top(self, rows: Tensor, n: int) -> Tensor:
        """Order keys of the n largest logits of some rows, in no order: [len(rows), min(n, V)] int64."""
        if n < len(self._block_ids):
            return self._top_of_blocks(rows, n)
        keys = order_keys(self._logits[rows], torch.arange(self._vocab_size, device=self._device))
        return keys if n >= self._vocab_size else keys.topk(n, sorted=False).values

    def _top_of_blocks(self, rows: Tensor, n: int) -> Tensor:
        keys = order_keys(self._maxima[rows], self._block_ids).topk(n, sorted=False).values
        ids = (ids_of(keys)[:, :, None] * BLOCK + torch.arange(BLOCK, device=self._device)).flatten(1)
        return order_keys(self._logits_of(rows, ids), ids).topk(n, sorted=False).values

    def _logits_of(self, rows: Tensor, ids: Tensor) -> Tensor:
        """The logits of ids [len(rows), m]. The last block may be short: -inf stands for what it lacks."""
        elements = ids.clamp(max=self._vocab_size - 1).add_(rows[:, None] * self._vocab_size)
        values = self._logits.view(-1).index_select(0, elements.view(-1)).view(ids.shape)
        return values.masked_fill_(ids >= self._vocab_size, -torch.inf)
