"""The served model, in the shape of OpenAI's list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.errors import ApiError
from kiln_server.routes.answers import json_answer

if TYPE_CHECKING:
    from kiln_server.service import Service


async def list_models(request: Request) -> Response:
    """Every model: there is one."""
    return json_answer({"object": "list", "data": [_model(request)]})


async def show_model(request: Request) -> Response:
    """One model by its id, which may hold slashes."""
    model = _model(request)
    if request.path_params["model"] != model["id"]:
        raise ApiError("not_found", "No model of this id is served; GET /v1/models lists them.", param="model")
    return json_answer(model)


def _model(request: Request) -> dict[str, Any]:
    service: Service = request.app.state.service
    service.lifecycle.require_ready()
    return {
        "id": service.model_id,
        "object": "model",
        "created": int(service.lifecycle.started_at_s),
        "owned_by": "kiln",
        "context_length": service.backend.capabilities.context_length,
    }


ROUTES: Final = (Route("/v1/models", list_models), Route("/v1/models/{model:path}", show_model))
