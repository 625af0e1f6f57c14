"""What the engine asks of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from kiln_engine.batch import Batch
    from kiln_engine.cache import Cache, CachedLayer


class Model(Protocol):
    """Computes rows of tokens. It keeps no state of its own: all that a position leaves behind is in the cache."""

    @property
    def vocab_size(self) -> int:
        """Rows of the output layer."""

    @property
    def layers(self) -> Sequence[CachedLayer]:
        """What keeps something between steps; a cache is made from these."""

    def forward(self, batch: Batch, cache: Cache) -> Tensor:
        """Hidden states after the final norm [N, H]; writes the rows' positions into the cache."""

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores of the whole vocabulary, float32: [n, H] to [n, V]."""
