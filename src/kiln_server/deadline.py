"""A deadline that is moved on for every token: one timer for a whole answer, next to nothing for each move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from kiln_server.edge.interrupt import Interruptible


class MovingDeadline(Interruptible):
    """A block that is cancelled, and `error()` raised in its place, once something `expect`ed is late.

    `seconds` is how long it may take. Time between `arrived` and the next `expect` does not count.
    """

    def __init__(self, seconds: float, error: Callable[[], Exception]) -> None:
        super().__init__()
        self._seconds = seconds
        self._make_error = error
        self._loop = asyncio.get_running_loop()
        self._due: float | None = None

    def expect(self) -> None:
        """Start counting."""
        self._due = self._loop.time() + self._seconds

    def arrived(self) -> None:
        """Stop counting."""
        self._due = None

    def __enter__(self) -> Self:
        super().__enter__()
        self._timer = self._loop.call_later(self._seconds, self._check)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        super().__exit__(kind, error, at)

    def _check(self) -> None:
        """Act on the deadline, which has usually moved since the timer was set, and never to an earlier time."""
        now = self._loop.time()
        due = now + self._seconds if self._due is None else self._due
        if due > now:
            self._timer = self._loop.call_at(due, self._check)
        else:
            self.interrupt(self._make_error())
