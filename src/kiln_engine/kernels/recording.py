"""Work of kernels that is written down once and done again as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from torch import Tensor


class Recording(Protocol):
    """Work that was recorded, over the tensors that it was recorded with."""

    def replay(self) -> Tensor:
        """Do it again; its result is in the same tensor every time, until any work is replayed."""


class Recorder(Protocol):
    """Makes recordings. Only one of them is replayed at a time."""

    @property
    def padded(self) -> bool:
        """Whether a recording costs so much that one for more rows than are needed is better than another one."""

    def record(self, work: Callable[[], Tensor]) -> Recording:
        """Record work that reads and writes tensors through kernels alone. It may be done any number of times."""
