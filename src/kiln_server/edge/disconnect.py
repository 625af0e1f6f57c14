"""Work for a client that may leave: when it does, the work ends."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final, Self

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from kiln_server.edge.interrupt import Interruptible
from kiln_server.errors import ApiError

GRACE_S: Final = 0.005
"""Work that takes no longer than this is not watched: most small requests are done by then. Seconds."""


async def departure(receive: Receive) -> None:
    """Return when the client has left; what it sends until then is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


class WhileConnected(Interruptible):
    """A block that is cancelled when the client leaves, or the time is over, before it ends.

    The request's body must have been read. For handlers that answer at once; a stream ends by itself with its client.
    Raises ClientDisconnect, or ApiError `request_timeout`, in the block's place.
    """

    def __init__(self, receive: Receive, timeout_s: float | None = None) -> None:
        super().__init__()
        self._receive = receive
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._watch: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        super().__enter__()
        # One timer for both: a request that is done before it fires pays for no other.
        self._timer = self._loop.call_later(GRACE_S, self._begin_watch)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        # Let go of, too: what it was cancelled with holds this block.
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
        super().__exit__(kind, error, at)

    def _begin_watch(self) -> None:
        self._watch = self._loop.create_task(self._wait_for_departure(), name="disconnect")
        if self._timeout_s is not None:
            self._timer = self._loop.call_later(self._timeout_s - GRACE_S, self._expire, self._timeout_s)

    async def _wait_for_departure(self) -> None:
        await departure(self._receive)
        self.interrupt(ClientDisconnect())

    def _expire(self, timeout_s: float) -> None:
        self.interrupt(ApiError("request_timeout", f"The request took longer than {timeout_s:g} s."))
