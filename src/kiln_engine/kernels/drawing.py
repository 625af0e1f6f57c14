"""Drawing tokens as an operation of kernels: what is wanted of each row, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor


class Wish(NamedTuple):
    """How one row's token is drawn; see `kiln_engine.sampling` for what the values mean."""

    temperature: float
    min_p: float
    """From 0, which is off, to 1."""
    top_p: float
    uniform: float
    """At least 0 and less than 1."""
    num_kept: int
    """Tokens that top-k leaves."""
    greedy: bool
    first_extra: int
    """Where the row's extra tokens begin; they have values of their own, and -inf for a logit."""
    num_extra: int


class Drawn(NamedTuple):
    """[rows] each. A row without a distribution has NaN for its log-probability, a greedy one 0."""

    token_ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]


class Drawer(Protocol):
    """Draws a token of each row of logits [rows, V] float32 on the host."""

    def __call__(
        self,
        logits: Tensor,
        wishes: Sequence[Wish],
        extra_ids: NDArray[np.int64],
        extra_values: NDArray[np.float64],
    ) -> Drawn: ...
