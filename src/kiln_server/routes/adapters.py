"""The saved adapters that requests may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.routes.answers import json_answer

if TYPE_CHECKING:
    from kiln_server.service import Service


async def list_adapters(request: Request) -> Response:
    """Every adapter with the hash of its content; none when the backend has no adapters."""
    service: Service = request.app.state.service
    service.lifecycle.require_ready()
    adapters = service.backend.adapters()
    data = [{"name": a.name, "object": "adapter", "content_sha256": a.content_sha256} for a in adapters]
    return json_answer({"object": "list", "data": data})


ROUTES: Final = (Route("/v1/adapters", list_adapters),)
