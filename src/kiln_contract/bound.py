"""A numeric range that the schema gives a member: of its value, or of its length."""

from __future__ import annotations

from msgspec import Struct


class Bound(Struct, frozen=True, kw_only=True):
    """A closed range, open below when `exclusive`; None is unbounded on that side."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive: bool = False

    def holds(self, value: float) -> bool:
        """Whether `value` lies in the range."""
        if self.minimum is not None and (value <= self.minimum if self.exclusive else value < self.minimum):
            return False
        return self.maximum is None or value <= self.maximum

    @property
    def text(self) -> str:
        """The range in words, such as `from 0 to 1`."""
        low = None if self.minimum is None else f"{'above' if self.exclusive else 'at least'} {self.minimum}"
        high = None if self.maximum is None else f"at most {self.maximum}"
        if low and high:
            return f"from {self.minimum} to {self.maximum}" if not self.exclusive else f"{low} and {high}"
        return low or high or "any number"
