"""Who may come in: checked from the headers alone, before a path is looked up or a byte of a body is read."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from kiln_server.edge.exchange import Access, Exchange, exchange_in, exchange_of
from kiln_server.edge.keys import KeyRing
from kiln_server.errors import ApiError

OPEN: Final = frozenset({"/livez", "/readyz", "/startupz"})
"""Paths that need no key: orchestrators probe them, and they say nothing but how the server is."""

_NAME: Final = b"authorization"


class Authentication:
    """Lets in whoever has a key of the ring; without a ring, everyone, to everything."""

    def __init__(self, app: ASGIApp, *, keys: KeyRing | None) -> None:
        self._app = app
        self._keys = keys

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http":
            exchange = exchange_in(scope)
            # Two readers of such a request, a proxy and this server, could each believe another one.
            if _NAME in exchange.repeats:
                raise ApiError("invalid_request", "The Authorization header is repeated.")
            if self._keys is None:
                exchange.access = "admin"
            elif scope["path"] not in OPEN:
                exchange.access = _access(exchange, self._keys)
        return self._app(scope, receive, send)


def require_admin(request: Request) -> None:
    """Raise ApiError `forbidden` unless the client's key allows everything."""
    if exchange_of(request).access != "admin":
        raise ApiError("forbidden", "This key does not allow administration.")


def _access(exchange: Exchange, keys: KeyRing) -> Access:
    scheme, _, credential = exchange.headers.get(_NAME, b"").partition(b" ")
    access = keys.access(credential.strip())
    if access is None or scheme.lower() != b"bearer":
        raise ApiError("unauthorized", "This server needs an API key, and the request has none that it knows.")
    return access
