"""How sure a measured share is."""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

_Z: Final = 1.959964
"""Of the normal distribution, for 95 %."""


class Share(NamedTuple):
    """How many of how many."""

    right: int
    total: int

    @property
    def value(self) -> float:
        """The share itself, from 0 to 1."""
        return self.right / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 %: it stays within 0 and 1 and holds for shares close to them."""
        z2, n = _Z * _Z, self.total
        middle = (self.right + z2 / 2) / (n + z2)
        half = _Z / (n + z2) * sqrt(self.right * (n - self.right) / n + z2 / 4)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __add__(self, other: object) -> Share:
        """Both samples together."""
        if not isinstance(other, Share):
            return NotImplemented
        return Share(self.right + other.right, self.total + other.total)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.value:.1f} ({100 * low:.1f} to {100 * high:.1f})"
