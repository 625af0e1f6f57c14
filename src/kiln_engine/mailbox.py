"""Outcomes of one piece of work, kept for the task that waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kiln_engine.work import Outcome
from kiln_server.backend import Scores, TokenEvent


class Mailbox:
    """Filled and read on one event loop. A reader that does not come holds nobody back: outcomes wait for it."""

    def __init__(self) -> None:
        self._events: list[TokenEvent] = []
        self._scores: Scores | None = None
        self._error: Exception | None = None
        self._arrived = asyncio.Event()

    def put(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        if isinstance(outcome, Exception):
            self._error = outcome
        elif isinstance(outcome, Scores):
            self._scores = outcome
        else:
            self._events += outcome
        self._arrived.set()

    async def events(self) -> Sequence[TokenEvent]:
        """All events since the last call, at least one; raises the error that came after them."""
        await self._arrived.wait()
        self._arrived.clear()
        if self._events:
            events, self._events = self._events, []
            if self._error is not None:
                self._arrived.set()
            return events
        assert self._error is not None  # noqa: S101 - nothing else sets the event
        raise self._error

    async def scores(self) -> Scores:
        """The scores; raises the error in their place."""
        await self._arrived.wait()
        if self._error is not None:
            raise self._error
        assert self._scores is not None  # noqa: S101 - nothing else sets the event
        return self._scores
