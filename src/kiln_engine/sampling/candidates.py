"""The tokens of some rows that can win, on the host and in order."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kiln_engine.sampling.order import decode

_NO_ID: Final = np.iinfo(np.int64).max


class Extra(NamedTuple):
    """Tokens that the keys leave out, because penalties have changed their logits; slots ascend."""

    slots: NDArray[np.int64]
    """Which row of the candidates each belongs to."""
    values: NDArray[np.float64]
    ids: NDArray[np.int64]


class Candidates(NamedTuple):
    """Logits by descending value, then ascending id; -inf is no candidate. Both arrays are [rows, n]."""

    values: NDArray[np.float64]
    ids: NDArray[np.int64]
    horizon: NDArray[np.float64]
    """[rows]: no other token of a row has a logit above this one; -inf where there are no others."""


def merged(keys: NDArray[np.int64], extra: Extra, *, complete: bool) -> Candidates:
    """Candidates from order keys [rows, n >= 1] and the extra tokens.

    `complete` says that the keys are those of the whole vocabulary. If not, extra tokens below the lowest key are left
    out: what is not there comes after all that is.
    """
    found, ids = decode(np.sort(keys, axis=-1)[:, ::-1])
    values = found.astype(np.float64)
    horizon = np.full(len(values), -np.inf) if complete else values[:, -1]
    wins = (extra.values >= horizon[extra.slots]) & (extra.values > -np.inf)
    if not wins.any():
        return Candidates(values, ids, horizon)
    more, more_ids = _by_row(Extra(extra.slots[wins], extra.values[wins], extra.ids[wins]), len(values))
    values, ids = np.concatenate((values, more), axis=-1), np.concatenate((ids, more_ids), axis=-1)
    order = np.lexsort((ids, -values))
    return Candidates(np.take_along_axis(values, order, axis=-1), np.take_along_axis(ids, order, axis=-1), horizon)


def _by_row(extra: Extra, num_rows: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    columns = np.arange(len(extra.slots)) - np.searchsorted(extra.slots, extra.slots)
    shape = (num_rows, int(columns.max()) + 1)
    values, ids = np.full(shape, -np.inf), np.full(shape, _NO_ID)
    values[extra.slots, columns], ids[extra.slots, columns] = extra.values, extra.ids
    return values, ids
