"""The signals that end the process: the first asks, the second forces."""

from __future__ import annotations

import asyncio
import os
import signal
from types import FrameType, TracebackType
from typing import Final, Self

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Waits for SIGINT or SIGTERM while it is entered. Main thread only, inside a running event loop.

    The second signal ends the process within its handler, with the exit code of a process that the signal killed: it
    must work whatever the event loop is doing.
    """

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._previous: dict[signal.Signals, object] = {}
        self.signal: signal.Signals | None = None
        """The signal that came; None while none did."""

    def __enter__(self) -> Self:
        self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal returned

    def set(self) -> None:
        """Stop without a signal."""
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the handler's signature
        if self.signal is not None:
            os.write(2, b"kiln-server: stopped at once by a second signal\n")
            os._exit(128 + number)
        self.signal = signal.Signals(number)
        self._loop.call_soon_threadsafe(self._event.set)
