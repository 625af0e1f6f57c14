"""The application: its routes, and the layers that every request passes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from kiln_server.edge.authentication import Authentication
from kiln_server.edge.cors import Cors
from kiln_server.edge.failures import Failures
from kiln_server.edge.keys import KeyRing, load_keys
from kiln_server.edge.observation import Observation
from kiln_server.edge.route_labels import RouteLabels
from kiln_server.edge.shortcut import Shortcut
from kiln_server.routes import adapters, config, health, metrics, models, openapi, stats

if TYPE_CHECKING:
    from kiln_server.service import Service

OPERATIONS = (health, models, adapters, config, stats, metrics, openapi)
"""Route modules beside the inference endpoints."""


def create_app(service: Service, inference: Sequence[Route] | None = None) -> Starlette:
    """The ASGI application of a server; handlers find `service` in `app.state`.

    `inference` are the routes whose requests are work: the contract's three endpoints unless a test brings its own.
    Raises SettingsError when the file of API keys is not fit to use.
    """
    if inference is None:
        from kiln_server.routes.inference import ROUTES

        inference = ROUTES
    path = service.settings.api_keys_file
    return _Application(service, inference, None if path is None else load_keys(path))


def _anchor(route: Route) -> None:
    """Let a route match its path and no other: a `$` also matches before a newline at the end."""
    route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z")


class _Application(Starlette):
    def __init__(self, service: Service, inference: Sequence[Route], keys: KeyRing | None) -> None:
        # The endpoints that are called most are looked for first.
        routes = [*inference, *(route for module in OPERATIONS for route in module.ROUTES)]
        for route in routes:
            _anchor(route)
        super().__init__(routes=routes)
        self.state.service = service
        # A path with a slash too many does not exist: no redirect, which would drop the body or the key.
        self.router.redirect_slashes = False
        self._labels = RouteLabels(routes)
        self._inference = inference
        self._keys = keys

    def build_middleware_stack(self) -> ASGIApp:
        """The whole stack, from the inside out: the last layer put on is the first that a request meets.

        Starlette's own two layers are left out: what they do, `Failures` does in the contract's words.
        """
        service = self.state.service
        settings = service.settings
        # Innermost: look up the route. Its 404 and 405 are exceptions.
        app: ASGIApp = Shortcut(self.router, routes=self._inference)
        # No path, and no byte of a body, is looked at for a client without a key.
        app = Authentication(app, keys=self._keys)
        # A preflight carries no key, and a page must be able to read the 401 that its own request gets.
        if settings.cors_origins:
            app = Cors(app, origins=settings.cors_origins)
        # Every exception from here inwards becomes the error envelope.
        app = Failures(app)
        # Outermost: every answer, also one to a failure, has a request id, is counted and logged.
        return Observation(
            app,
            labels=self._labels,
            inference=[route.path for route in self._inference],
            metrics=service.metrics,
            recent=service.recent,
            record_bodies=settings.record_bodies,
        )
