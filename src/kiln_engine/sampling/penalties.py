"""Repetition, presence and frequency penalties, for the tokens that the answers of a step hold."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kiln_engine.sampling.state import SamplerState


class Counted:
    """The tokens that penalties reach, of all rows in one flat list: row by row, each id of a row once."""

    def __init__(self, states: Sequence[SamplerState]) -> None:
        reached = [row for row, state in enumerate(states) if state.penalised and state.num_generated]
        self._states = [states[row] for row in reached]
        self._lengths = [len(state.counted_ids) for state in self._states]
        self.rows: NDArray[np.int64] = np.repeat(np.array(reached, dtype=np.int64), self._lengths)
        self.ids = _joined([state.counted_ids for state in self._states])
        self._counts = _joined([state.counts for state in self._states])

    def __len__(self) -> int:
        return len(self.ids)

    def penalised(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """What becomes of these tokens' own logits; -inf stays, any other is finite for any finite values."""
        if not self._states:
            return logits
        repetition = self._each([max(state.sampling.repetition_penalty, 0.0) or 1.0 for state in self._states])
        presence = self._each([state.sampling.presence_penalty for state in self._states])
        frequency = self._each([state.sampling.frequency_penalty for state in self._states])
        with np.errstate(over="ignore"):
            repeated = _finite(np.where(logits > 0, logits / repetition, logits * repetition))
            penalised = _finite(_finite(repeated - presence) - frequency * self._counts)
        return np.where(logits > -np.inf, penalised, -np.inf)

    def _each(self, values: Sequence[float]) -> NDArray[np.float64]:
        return np.repeat(np.array(values, dtype=np.float64), self._lengths)


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(values, -sys.float_info.max, sys.float_info.max)
