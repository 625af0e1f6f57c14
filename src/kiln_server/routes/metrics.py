"""The metrics, for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.backend import Stats
from kiln_server.metrics import CONTENT_TYPE

if TYPE_CHECKING:
    from kiln_server.service import Service


async def show_metrics(request: Request) -> Response:
    """Every series; the backend's gauges are 0 until it is loaded."""
    service: Service = request.app.state.service
    stats = service.backend.stats() if service.lifecycle.has_loaded else Stats()
    body = service.metrics.render(stats, service.admission)
    return Response(body, headers={"content-type": CONTENT_TYPE, "cache-control": "no-store"})


ROUTES: Final = (Route("/metrics", show_metrics),)
