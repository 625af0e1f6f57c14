"""The largest logit of each row, for greedy answers whose logits nothing changes: all that they need of a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


def likeliest(logits: Tensor) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Ids of the largest of each row, and whether it is finite: [rows] each, for logits [rows, V] float32 on the host.

    Of equal ones the lower id; -0.0 equals 0.0. NaN counts as the largest of all.
    """
    rows = logits.numpy()
    ids = rows.argmax(-1)
    return ids, np.isfinite(np.take_along_axis(rows, ids[:, None], axis=-1)[:, 0])
