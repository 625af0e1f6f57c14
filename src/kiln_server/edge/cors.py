"""Which web pages may call this server: none, unless the operator lists their origins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from kiln_server.edge.exchange import Exchange, exchange_in

EXPOSED: Final = b"retry-after, x-kiln-loaded-adapter, x-kiln-loaded-adapter-revision, x-request-id"
"""Response headers that a page may read."""

MAX_AGE_S: Final = b"600"

_ANY: Final = b"*"


class Cors:
    """Marks answers for listed origins, and answers their preflights, which never carry a key.

    Any other origin gets no marks: its requests go on as without this layer, and the browser keeps the answer from the
    page. No credentials are allowed: a key is sent by the page itself, never by the browser.
    """

    def __init__(self, app: ASGIApp, *, origins: Iterable[str]) -> None:
        self._app = app
        self._origins = frozenset(origin.encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = exchange_in(scope)
        allowed = self._allowed(exchange.headers.get(b"origin"))
        if _ANY not in self._origins:
            exchange.response_headers.append((b"vary", b"origin"))
        if allowed is None:
            await self._app(scope, receive, send)
            return
        exchange.response_headers.append((b"access-control-allow-origin", allowed))
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in exchange.headers:
            await _answer_preflight(exchange, send)
            return
        exchange.response_headers.append((b"access-control-expose-headers", EXPOSED))
        await self._app(scope, receive, send)

    def _allowed(self, origin: bytes | None) -> bytes | None:
        """What the answer says of an origin, or None when it is not listed."""
        if origin is None:
            return None
        if _ANY in self._origins:
            return _ANY
        return origin if origin in self._origins else None


async def _answer_preflight(exchange: Exchange, send: Send) -> None:
    # OpenAI's browser client sends headers of its own, so a listed origin may send any.
    requested = exchange.headers.get(b"access-control-request-headers")
    headers = [(b"access-control-allow-methods", b"GET, HEAD, POST"), (b"access-control-max-age", MAX_AGE_S)]
    if requested is not None:
        headers.append((b"access-control-allow-headers", requested))
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
