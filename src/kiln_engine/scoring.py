"""Log-probabilities and ranks of a prompt's own tokens, chunk by chunk, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kiln_engine.sampling.blocks import Blocks
from kiln_engine.sampling.order import decode
from kiln_engine.sampling.read_back import read_back
from kiln_server.backend import BackendError, Candidate, Scores

Logits: TypeAlias = Callable[[Tensor], Tensor]
"""The output layer: hidden rows [n, H] give logits [n, V] float32, newly made."""

_SLICE_BYTES: Final = 64 * 2**20
"""Logits that are made at a time, though at least one row; the next are made while the last still exist."""

_PIECE_ELEMENTS: Final = 2**20
"""Logits that are looked at together: what is made of them on the way is several times their size."""


class PromptScorer:
    """Scores one prompt from its hidden rows, fed in order. `top_k` likeliest tokens go beside each observed one."""

    def __init__(self, prompt_ids: Sequence[int], top_k: int) -> None:
        self._prompt_ids = prompt_ids
        self._top_k = top_k
        self._positions: list[tuple[Candidate, ...]] = []
        # The first slice is a single row: only the logits say how wide they are.
        self._slice_rows = 1

    @property
    def is_complete(self) -> bool:
        """Whether every token but the first has its score."""
        return len(self._positions) == len(self._prompt_ids) - 1

    def feed(self, start: int, hidden: Tensor, logits: Logits) -> None:
        """Score what the rows of positions `start`, `start` + 1, … predict: hidden is [n, H].

        The row of the last prompt token predicts none of them and is left alone, and so are rows that were fed before:
        a preempted prompt begins again. Raises BackendError for a row with NaN or +inf, or with nothing but -inf, and
        ValueError where rows are missing.
        """
        num_known = len(self._positions) - start
        if num_known < 0:
            raise ValueError(f"rows from position {start} on were fed; position {len(self._positions)} comes next")
        hidden, start = hidden[num_known:], start + num_known
        observed = self._prompt_ids[start + 1 : start + 1 + len(hidden)]
        if observed:
            measures = self._measures(hidden[: len(observed)], observed, logits)
            read = _Readings(*read_back(measures))
            _require_distributions(read.highest, start)
            self._positions += [read.candidates(row, token_id) for row, token_id in enumerate(observed)]

    def scores(self) -> Scores:
        """The scored positions; the scorer is complete."""
        return Scores(tuple(self._positions))

    def _measures(self, hidden: Tensor, observed: Sequence[int], logits: Logits) -> tuple[Tensor, ...]:
        """What `_Readings` holds, still on the device."""
        ids = torch.tensor(observed, dtype=torch.int64, device=hidden.device)
        measures: tuple[Tensor, ...] = ()
        stop = 0
        for piece in self._pieces(hidden, logits):
            start, stop = stop, stop + len(piece)
            parts = _measured(piece, ids[start:stop], self._top_k)
            # Filled in place: small results that outlive large temporaries would break the heap into pieces.
            measures = measures or tuple(part.new_empty(len(hidden), *part.shape[1:]) for part in parts)
            for measure, part in zip(measures, parts, strict=True):
                measure[start:stop] = part
        return measures

    def _pieces(self, hidden: Tensor, logits: Logits) -> Iterator[Tensor]:
        start = 0
        while start < len(hidden):
            part = logits(hidden[start : start + self._slice_rows])
            start += len(part)
            self._slice_rows = max(1, _SLICE_BYTES // part[0].nbytes)
            yield from torch.split(part, max(1, _PIECE_ELEMENTS // part.shape[1]))


def _measured(logits: Tensor, observed: Tensor, top_k: int) -> tuple[Tensor, ...]:
    """`_Readings` of logits [n, V], still on the device, for the ids [n] that came."""
    own = logits.gather(1, observed[:, None])
    blocks = Blocks(logits)
    highest = blocks.highest()
    totals = logits.double().sub_(highest.double()[:, None]).exp_().sum(-1)
    before = torch.arange(logits.shape[1], device=logits.device) < observed[:, None]
    ahead = (logits > own) | ((logits == own) & before)
    top = blocks.top(torch.arange(len(logits), device=logits.device), top_k)
    return top, 1 + ahead.sum(-1), totals, highest, own[:, 0]


class _Readings(NamedTuple):
    """What was measured at n positions, on the host."""

    top: NDArray[np.int64]
    """[n, K]: order keys of the largest logits, in no order."""
    ranks: NDArray[np.int64]
    """[n]: of the observed tokens."""
    totals: NDArray[np.float64]
    """[n]: the weight of the whole vocabulary, where the likeliest token has 1."""
    highest: NDArray[np.float32]
    own: NDArray[np.float32]
    """[n]: logits of the observed tokens."""

    def candidates(self, row: int, observed: int) -> tuple[Candidate, ...]:
        """The observed token, then the likeliest others in rank order without those of probability zero."""
        highest = float(self.highest[row])
        log_total = math.log(self.totals[row])
        values, ids = decode(np.sort(self.top[row])[::-1])
        others = enumerate(zip(ids.tolist(), values.tolist(), strict=True), start=1)
        found = [(observed, float(self.own[row]), int(self.ranks[row]))]
        found += [(i, v, rank) for rank, (i, v) in others if i != observed and v > -math.inf]
        return tuple(Candidate(token_id, value - highest - log_total, rank) for token_id, value, rank in found)


def _require_distributions(highest: NDArray[np.float32], start: int) -> None:
    broken = np.flatnonzero(~np.isfinite(highest))
    if broken.size:
        row = int(broken[0])
        raise BackendError(
            f"the largest logit after prompt token {start + row} is {highest[row]}: no probability follows from it"
        )
