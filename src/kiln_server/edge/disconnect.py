"""Work for a client that may leave: when it does, the work ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from kiln_server.edge.interrupt import Interruptible
from kiln_server.errors import ApiError

T = TypeVar("T")

GRACE_S: Final = 0.005
"""Work that takes no longer than this is not watched: most small requests are done by then. Seconds."""


async def run_unless_disconnected(
    receive: Receive, work: Callable[[], Awaitable[T]], timeout_s: float | None = None
) -> T:
    """Await `work()` and return what it returns; cancel it when the client leaves, or the time is over, before that.

    The request's body must have been read. For handlers that answer at once; a stream ends by itself with its client.
    Raises ClientDisconnect, or ApiError `request_timeout`.
    """
    loop = asyncio.get_running_loop()
    pending: list[asyncio.TimerHandle | asyncio.Task[None]] = []

    def begin_watch() -> None:
        pending.append(loop.create_task(_watch(receive, block), name="disconnect"))
        if timeout_s is not None:
            pending.append(loop.call_later(timeout_s - GRACE_S, _expire, block, timeout_s))

    with Interruptible() as block:
        # One timer for both: a request that is done before it fires pays for no other.
        pending.append(loop.call_later(GRACE_S, begin_watch))
        try:
            return await work()
        finally:
            for item in pending:
                item.cancel()


async def _watch(receive: Receive, block: Interruptible) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    block.interrupt(ClientDisconnect())


def _expire(block: Interruptible, timeout_s: float) -> None:
    block.interrupt(ApiError("request_timeout", f"The request took longer than {timeout_s:g} s."))
