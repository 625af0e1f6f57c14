"""What has happened of late, for whoever may administer the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.edge.authentication import require_admin
from kiln_server.routes.answers import json_answer

if TYPE_CHECKING:
    from kiln_server.service import Service


async def recent_requests(request: Request) -> Response:
    """The last inference requests, the newest first."""
    require_admin(request)
    service: Service = request.app.state.service
    return json_answer({"object": "list", "data": service.recent.newest_first()})


ROUTES: Final = (Route("/v1/stats/recent-requests", recent_requests),)
