"""How the server is: for orchestrators (`/livez`, `/readyz`, `/startupz`) and for people (`/health`).

A 503 of these is the report and the error envelope in one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_server.errors import ApiError
from kiln_server.lifecycle import Lifecycle
from kiln_server.routes.answers import json_answer

if TYPE_CHECKING:
    from kiln_server.service import Service


async def live(request: Request) -> Response:
    """The process answers: nothing else is asked."""
    return json_answer(_report(_lifecycle(request)))


async def ready(request: Request) -> Response:
    """Whether new requests are welcome."""
    lifecycle = _lifecycle(request)
    return _answer(_report(lifecycle), _refusal(lifecycle))


async def started(request: Request) -> Response:
    """Whether loading is over; a server that drains has started."""
    lifecycle = _lifecycle(request)
    return _answer(_report(lifecycle), None if lifecycle.has_loaded else _refusal(lifecycle))


async def health(request: Request) -> Response:
    """What an operator wants to see first."""
    service: Service = request.app.state.service
    lifecycle, admission = service.lifecycle, service.admission
    refusals = {"lifecycle": _refusal(lifecycle), "admission": admission.refusal()}
    report = {
        "status": _status(lifecycle),
        "model": service.model_id if lifecycle.has_loaded else None,
        "uptime_seconds": (time.monotonic_ns() - lifecycle.started_ns) / 1e9,
        "running_requests": admission.running,
        "waiting_requests": admission.waiting,
        "checks": [_check(name, error) for name, error in refusals.items()],
    }
    return _answer(report, next(filter(None, refusals.values()), None))


def _lifecycle(request: Request) -> Lifecycle:
    lifecycle: Lifecycle = request.app.state.service.lifecycle
    return lifecycle


def _refusal(lifecycle: Lifecycle) -> ApiError | None:
    """Why new requests are not welcome, or None."""
    try:
        lifecycle.require_ready()
    except ApiError as error:
        return error
    return None


def _status(lifecycle: Lifecycle) -> str:
    return "ok" if lifecycle.state == "ready" else lifecycle.state


def _report(lifecycle: Lifecycle) -> dict[str, Any]:
    progress = lifecycle.progress
    return {
        "status": _status(lifecycle),
        "phase": None if progress is None else progress.phase,
        "progress": None if progress is None else progress.fraction,
    }


def _answer(report: dict[str, Any], error: ApiError | None) -> Response:
    if error is None:
        return json_answer(report)
    return json_answer({**report, **msgspec.json.decode(error.body())}, 503, error.headers)


def _check(name: str, error: ApiError | None) -> dict[str, Any]:
    return {"name": name, "ok": error is None, "detail": "ok" if error is None else error.message}


ROUTES: Final = (
    Route("/livez", live),
    Route("/readyz", ready),
    Route("/startupz", started),
    Route("/health", health),
)
