"""Random names that nobody can guess."""

from __future__ import annotations

from secrets import token_hex
from typing import Final

_PORTION: Final = 2048
"""Bytes that are asked of the operating system at a time: each time is a system call."""


class RandomHex:
    """Hexadecimal digits from the operating system's source, none given out twice. For one thread of one process."""

    def __init__(self) -> None:
        self._digits = ""
        self._given = 0

    def take(self, num_bytes: int) -> str:
        """Two digits for each of so many bytes, as `secrets.token_hex` gives them."""
        start, end = self._given, self._given + 2 * num_bytes
        if end > len(self._digits):
            self._digits = token_hex(max(_PORTION, num_bytes))
            start, end = 0, 2 * num_bytes
        self._given = end
        return self._digits[start:end]


random_hex: Final = RandomHex().take
"""The event loop's."""
