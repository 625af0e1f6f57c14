"""Where the server is in its life, and how much work is in flight."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Literal

import anyio

from kiln_server.backend import Progress
from kiln_server.errors import ApiError

State = Literal["loading", "ready", "draining", "failed"]


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
        self.in_flight = 0
        """Requests that are being worked on."""
        self._idle = anyio.Event()

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

    def require_ready(self) -> None:
        """Raise ApiError `loading` or `draining` unless new work is welcome."""
        if self.state == "ready":
            return
        if self.state == "loading":
            raise ApiError("loading", self._loading_message(), retry_after_s=5)
        raise ApiError("draining", "The server takes no new work; it is shutting down.")

    def _loading_message(self) -> str:
        if self.progress is None:
            return "The model is loading."
        fraction = self.progress.fraction
        percent = "" if fraction is None else f", {fraction:.0%}"
        return f"The model is loading ({self.progress.phase}{percent})."

    def work(self) -> Work:
        """A context that counts one request as in flight; entering it raises as `require_ready` does."""
        return Work(self)

    def begin_work(self) -> None:
        """Count one more. Raises as `require_ready` does, so no work slips into a drain."""
        self.require_ready()
        self.in_flight += 1

    def end_work(self) -> None:
        """Count one less."""
        self.in_flight -= 1
        if not self.in_flight:
            self._idle.set()

    async def idle(self) -> None:
        """Wait until nothing is in flight."""
        while self.in_flight:
            self._idle = anyio.Event()
            await self._idle.wait()


class Work:
    """One request in flight, from entry to exit."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    def __enter__(self) -> None:
        self._lifecycle.begin_work()

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._lifecycle.end_work()
