"""Where the server is in its life, and how much work is in flight."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Self

import anyio

from kiln_server.backend import Progress
from kiln_server.errors import ApiError

State = Literal["loading", "ready", "draining", "failed"]

Cut = Callable[[ApiError], None]
"""Ends a request with an error, from outside of it."""


class Lifecycle:
    """loading → ready → draining, or loading → failed, or loading → draining; it never goes back.

    The process moves it on; everything else asks. Only `report` may be called from other threads than the event loop's.
    """

    def __init__(self) -> None:
        self.state: State = "loading"
        self.progress: Progress | None = None
        """The backend's last word on loading."""
        self.started_ns = time.monotonic_ns()
        """When the server was made, on the monotonic clock."""
        self.started_at_s = time.time()
        """The same moment as Unix time, in seconds."""
        self.has_loaded = False
        """Whether the backend has loaded, so that its properties are valid; stays so in a drain."""
        self._work: set[Work] = set()
        self._waiting: set[Cut] = set()
        self._idle = anyio.Event()

    @property
    def in_flight(self) -> int:
        """Requests that are being worked on."""
        return len(self._work)

    @property
    def num_waiting(self) -> int:
        """Requests that a drain would refuse, since they are no work yet."""
        return len(self._waiting)

    def report(self, progress: Progress) -> None:
        """Take the backend's word on how far loading has come."""
        self.progress = progress

    def loaded(self) -> None:
        """The backend is ready. A drain that began meanwhile stays one."""
        self.has_loaded = True
        if self.state == "loading":
            self.state = "ready"

    def fail(self) -> None:
        """The backend cannot load. Nothing is served; the process ends."""
        self.state = "failed"

    def begin_drain(self) -> None:
        """Take no new work. Idempotent; a failure stays one."""
        if self.state != "failed":
            self.state = "draining"
        while self._waiting:
            self._waiting.pop()(_draining())

    def on_drain(self, cut: Cut) -> None:
        """Have a request cut off that is not work yet, when a drain begins; at once, when it has begun."""
        if self.state == "draining":
            cut(_draining())
        else:
            self._waiting.add(cut)

    def off_drain(self, cut: Cut) -> None:
        """Take that back, if it was said."""
        self._waiting.discard(cut)

    def cut_off(self) -> None:
        """The time for the drain is over: cut off whatever is still worked on."""
        for work in list(self._work):
            if work.cut is not None:
                work.cut(_draining("This answer was not done when the server's time to shut down was over."))

    def require_ready(self) -> None:
        """Raise ApiError `loading` or `draining` unless new work is welcome."""
        if self.state == "ready":
            return
        if self.state == "loading":
            raise ApiError("loading", self._loading_message(), retry_after_s=5)
        raise _draining()

    def _loading_message(self) -> str:
        if self.progress is None:
            return "The model is loading."
        fraction = self.progress.fraction
        percent = "" if fraction is None else f", {fraction:.0%}"
        return f"The model is loading ({self.progress.phase}{percent})."

    def work(self, cut: Cut | None = None) -> Work:
        """A context that counts one request as in flight; entering it raises as `require_ready` does.

        `cut` ends the request early when a drain has no more time for it.
        """
        return Work(self, cut)

    def begin(self, work: Work) -> None:
        """Count one more. Raises as `require_ready` does, so no work slips into a drain."""
        self.require_ready()
        self._work.add(work)

    def end(self, work: Work) -> None:
        """Count one less."""
        self._work.discard(work)
        if not self._work:
            self._idle.set()

    async def idle(self) -> None:
        """Wait until nothing is in flight."""
        while self.in_flight:
            self._idle = anyio.Event()
            await self._idle.wait()


class Work:
    """One request in flight, from entry to exit."""

    def __init__(self, lifecycle: Lifecycle, cut: Cut | None) -> None:
        self.cut = cut
        """Ends it early; may change while it runs."""
        self._lifecycle = lifecycle

    def __enter__(self) -> Self:
        self._lifecycle.begin(self)
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._lifecycle.end(self)


def _draining(message: str = "The server takes no new work; it is shutting down.") -> ApiError:
    return ApiError("draining", message)
