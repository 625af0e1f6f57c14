"""The short way to the routes that are called most."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send


class Shortcut:
    """Hands a request that names one of `routes` exactly to it, and every other one to `router`, which knows the rest.

    The routes are the router's own, so it makes no difference but for the time.
    """

    def __init__(self, router: ASGIApp, *, routes: Iterable[Route]) -> None:
        self._router = router
        self._apps = {
            (method, route.path): route.app
            for route in routes
            if not route.param_convertors
            for method in route.methods or ()
        }

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        app = self._router
        if scope["type"] == "http" and not scope["root_path"]:
            app = self._apps.get((scope["method"], scope["path"]), app)
        return app(scope, receive, send)
