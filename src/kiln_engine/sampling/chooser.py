"""Decides on the host, from what was read back of a step's logits, which token each row gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kiln_engine.sampling.candidates import Candidates, Extra, merged
from kiln_engine.sampling.distribution import Filters, Floats, pick, weights_of
from kiln_engine.sampling.group import Group
from kiln_engine.sampling.penalties import Counted
from kiln_engine.sampling.state import SamplerState, uniforms_of


class Readings(NamedTuple):
    """What is known of the logits once the masked and the counted tokens are set aside."""

    rest_totals: NDArray[np.float64]
    """[rows]: weight of all other tokens relative to the likeliest of them; NaN where it was not asked for."""
    highest: NDArray[np.float32]
    """[rows]: the largest logit of all others."""
    counted: NDArray[np.float32]
    """The counted tokens' own logits."""


class Chooser:
    """Takes groups of rows until each row has its token in `token_ids` [rows] and its `logprobs` [rows].

    `drawable` [rows] says which rows have a distribution: the others have NaN or +inf, or nothing but -inf.
    """

    def __init__(self, states: Sequence[SamplerState], counted: Counted, readings: Readings, vocab_size: int) -> None:
        self._states = states
        self._counted = counted
        self._readings = readings
        self._vocab_size = vocab_size
        self._penalised = counted.penalised(readings.counted.astype(np.float64))
        highest = readings.highest.copy()
        with np.errstate(invalid="ignore"):  # NaN goes through, as it should
            np.maximum.at(highest, counted.rows, readings.counted)
        self.drawable: NDArray[np.bool_] = np.isfinite(highest)
        self.token_ids: NDArray[np.int64] = np.zeros(len(states), dtype=np.int64)
        self.logprobs: NDArray[np.float64] = np.zeros(len(states))

    def choose(self, group: Group, keys: NDArray[np.int64]) -> list[int]:
        """Choose for a group's rows from the order keys of their largest logits: [rows, reach].

        Returns the rows that need a longer reach: none when it is the whole vocabulary.
        """
        drawable = self.drawable[group.rows]
        rows = np.array(group.rows)[drawable]
        if not rows.size:
            return []
        extra = self._extra(rows)
        candidates = merged(keys[drawable], extra, complete=group.reach >= self._vocab_size)
        if group.greedy:
            self.token_ids[rows] = candidates.ids[:, 0]
            return []
        return self._draw(rows, candidates, extra)

    def _draw(self, rows: NDArray[np.int64], candidates: Candidates, extra: Extra) -> list[int]:
        states = [self._states[row] for row in rows]
        filters = Filters(states, self._vocab_size)
        totals = self._readings.rest_totals[rows, None]
        if not np.isnan(totals).all():
            totals = self._totals(rows, candidates.values[:, :1], extra, filters.temperature)
        picks = pick(candidates, filters, totals, uniforms_of(states)[:, None])
        self.token_ids[rows], self.logprobs[rows] = picks.ids, picks.logprobs
        unsettled: list[int] = rows[~picks.settled].tolist()
        return unsettled

    def _extra(self, rows: NDArray[np.int64]) -> Extra:
        slots = np.full(len(self._states), -1)
        slots[rows] = np.arange(len(rows))
        slots = slots[self._counted.rows]
        here = slots >= 0
        return Extra(slots[here], self._penalised[here], self._counted.ids[here])

    def _totals(self, rows: NDArray[np.int64], highest: Floats, extra: Extra, temperature: Floats) -> Floats:
        """The weight of whole rows relative to their likeliest token: [rows, 1]."""
        with np.errstate(over="ignore"):
            rest = weights_of(highest - self._readings.highest[rows, None], temperature)
            weights = weights_of(highest[extra.slots, 0] - extra.values, temperature[extra.slots, 0])
        # bincount adds in the order of the list, so a row's sum is its own.
        counted = np.bincount(extra.slots, weights, minlength=len(rows))
        return self._readings.rest_totals[rows, None] * rest + counted[:, None]
