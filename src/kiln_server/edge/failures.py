"""Every failure below becomes the one error envelope."""

from __future__ import annotations

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from kiln_server.edge.exchange import Exchange, exchange_in
from kiln_server.edge.refused_body import must_close, must_linger
from kiln_server.errors import ApiError, unforeseen

log = structlog.get_logger("kiln_server.failures")


class Failures:
    """Answers an `ApiError`, the router's 404 and 405, and anything unforeseen, which tells nothing of itself.

    Once an answer has begun, nothing can be added to it: the connection is cut, so that no client takes it for whole.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = exchange_in(scope)
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            return
        except Exception as failure:
            # Not kept here: this frame is in its traceback, and all that the request held would wait for the collector.
            await _tell(failure, exchange, send)


def note_failure(error: ApiError, exchange: Exchange) -> None:
    """Keep what an answer failed with, and log the cause of what was not foreseen."""
    if error.code == "internal_error":
        log.error("unforeseen", request_id=exchange.request_id, route=exchange.route, exc_info=error.__cause__)
    exchange.error_code = error.code


async def _tell(failure: Exception, exchange: Exchange, send: Send) -> None:
    error = _as_api_error(failure)
    note_failure(error, exchange)
    if not exchange.status:
        await _answer(error, exchange, send)


def _as_api_error(failure: Exception) -> ApiError:
    match failure:
        case ApiError():
            return failure
        case HTTPException(status_code=404):
            return ApiError("not_found", "Nothing is served at this path.")
        case HTTPException(status_code=405):
            allow = ", ".join(sorted((failure.headers or {}).get("Allow", "").split(", ")))
            return ApiError("method_not_allowed", f"This path takes {allow}.", allow=allow)
        case _:
            return unforeseen(failure)


async def _answer(error: ApiError, exchange: Exchange, send: Send) -> None:
    body = error.body()
    headers = [(name.encode(), value.encode()) for name, value in error.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if must_close(exchange):
        headers.append((b"connection", b"close"))
    exchange.lingering = must_linger(exchange)
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": exchange.lingering})
