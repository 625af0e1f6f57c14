"""What becomes of a request body that nobody will read.

A connection that is closed while the client still sends is reset, and the reset can destroy the answer before the
client has read it. So the answer goes out first, and then what still arrives is thrown away for a while, within bounds.
"""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.types import Receive, Send

from kiln_server.edge.exchange import Exchange

SMALL: Final = 64 * 1024
"""A body up to this size is left to uvicorn, which skips it; the connection stays open. Bytes."""

MAX_DISCARDED: Final = 64 * 1024 * 1024
"""Bytes that are thrown away at most."""

TOTAL_S: Final = 30.0
PAUSE_S: Final = 5.0
"""How long a client may go on sending, and how long it may pause, in seconds."""


def must_close(exchange: Exchange) -> bool:
    """Whether an answer leaves so much of the body unread that the connection has to end with it."""
    if exchange.body == "read":
        return False
    headers = exchange.headers
    if b"transfer-encoding" in headers or int(headers.get(b"content-length", b"0")) > SMALL:
        return True
    # Whether a client that waits for `100 Continue` still sends its body cannot be known.
    return b"expect" in headers


def must_linger(exchange: Exchange) -> bool:
    """Whether the client is sending that body, as far as is known."""
    return must_close(exchange) and (exchange.body == "begun" or b"expect" not in exchange.headers)


async def discard_rest(receive: Receive, send: Send) -> None:
    """Throw away what arrives until the body or the client's patience ends, then end the answer.

    The answer must have been sent whole, as a part with `more_body`.
    """
    discarded = 0
    try:
        async with asyncio.timeout(TOTAL_S) as limit:
            end = limit.when() or 0.0
            while discarded <= MAX_DISCARDED:
                limit.reschedule(min(end, asyncio.get_running_loop().time() + PAUSE_S))
                message = await receive()
                discarded += len(message.get("body", b""))
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        pass  # the client has had its time; closing is all that is left
    await send({"type": "http.response.body", "body": b"", "more_body": False})
