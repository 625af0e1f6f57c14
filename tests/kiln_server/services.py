"""Servers for tests: settings, a mock backend and everything between them."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.backend import Backend
from kiln_server.backends.mock import MockBackend
from kiln_server.lifecycle import Lifecycle
from kiln_server.service import Service
from kiln_server.settings import Settings


def new_service(backend: Backend | None = None, **settings: Any) -> Service:
    """A service whose backend has not been loaded."""
    return Service.create(Settings(**settings), backend or MockBackend(), Lifecycle())


def ready_service(backend: Backend | None = None, **settings: Any) -> Service:
    """A service that takes requests."""
    service = new_service(backend, **settings)
    asyncio.run(service.backend.start(lambda _: None))
    service.lifecycle.loaded()
    return service


def route(path: str, answer: Any = b"ok", methods: tuple[str, ...] = ("GET", "POST")) -> Route:
    """A route that answers bytes, or whatever a coroutine function answers or raises."""

    async def endpoint(request: Request) -> Response:
        return await answer(request) if callable(answer) else Response(answer)

    return Route(path, endpoint, methods=list(methods))
