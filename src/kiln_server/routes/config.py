"""Every setting with the source that set it, for whoever may administer the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.config_hash import effective_config_hash
from kiln_server.edge.authentication import require_admin
from kiln_server.routes.answers import json_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kiln_server.backend import Choice
    from kiln_server.service import Service


async def show_config(request: Request) -> Response:
    """The resolved settings, secrets redacted, what the backend chose by itself, and the hashes of it all."""
    require_admin(request)
    service: Service = request.app.state.service
    loaded = service.lifecycle.has_loaded
    return json_answer(
        {
            "object": "config",
            "settings": {row.name: {"value": row.value, "source": row.source} for row in service.settings.rows()},
            "choices": _choices(service.backend.capabilities.choices if loaded else ()),
            "effective_config_hash": effective_config_hash(service.settings),
            "model_config_hash": service.backend.identity.model_config_sha256 if loaded else None,
        }
    )


def _choices(choices: Sequence[Choice]) -> dict[str, dict[str, str]]:
    return {choice.name: {"value": choice.value, "reason": choice.reason} for choice in choices}


ROUTES: Final = (Route("/v1/config", show_config),)
