"""Stopping a piece of work from outside of it, without a task of its own."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Interruptible:
    """A block that `interrupt` ends from a callback: the block is cancelled and `error` is raised in its place.

    The cancellation of the task by anyone else passes through untouched. This does what `asyncio.timeout` does for a
    clock; a task group would do too, at many times the cost for a small request.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._error: Exception | None = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        if self._task is None:
            raise RuntimeError("an interruptible block needs a running task")
        self._cancelling = self._task.cancelling()
        return self

    def interrupt(self, error: Exception) -> None:
        """End the block, once; after its end this does nothing."""
        if self._task is not None and self._error is None:
            self._error = error
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        task, self._task = self._task, None
        error, self._error = self._error, None
        if error is None or task is None:
            return
        # Cancelled from elsewhere too: then that wish, not this one, decides.
        if task.uncancel() <= self._cancelling and (kind is None or issubclass(kind, asyncio.CancelledError)):
            try:
                raise error
            finally:
                # Its traceback holds this frame: if that held the error, only the garbage collector could free them.
                del error
