"""The outermost layer: gives every request an id, and sees every answer, whichever layer made it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Collection

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kiln_server.edge.exchange import Exchange, begin_exchange
from kiln_server.edge.refused_body import discard_rest
from kiln_server.edge.route_labels import RouteLabels
from kiln_server.metrics import Metrics
from kiln_server.recent import MAX_BODY, RecentRequests

log = structlog.get_logger("kiln_server.requests")


class Observation:
    """Begins the exchange, adds its headers to the answer, and at the end logs, counts and keeps it.

    `inference` are the routes whose requests are counted as work and kept in `recent`.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        labels: RouteLabels,
        inference: Collection[str],
        metrics: Metrics,
        recent: RecentRequests,
        record_bodies: bool,
    ) -> None:
        self._app = app
        self._labels = labels
        self._inference = frozenset(inference)
        self._metrics = metrics
        self._recent = recent
        self._record_bodies = record_bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = begin_exchange(scope, self._labels.of(scope["path"]))
        if is_work := exchange.route in self._inference:
            self._metrics.request_started()
            if self._record_bodies:
                exchange.response_body = bytearray()
        try:
            await self._app(scope, receive, _watched(send, exchange))
        finally:
            self._finish(exchange, is_work)
        if exchange.lingering:
            await discard_rest(receive, send)

    def _finish(self, exchange: Exchange, is_work: bool) -> None:
        duration_s = (time.monotonic_ns() - exchange.received_ns) / 1e9
        self._metrics.answered(exchange.route, exchange.final_status)
        if is_work:
            self._metrics.request_finished(exchange.outcome, duration_s)
            self._recent.keep(exchange, duration_s)
        log.info("request", **_fields(exchange, duration_s))


def _watched(send: Send, exchange: Exchange) -> Send:
    """A `send` that notes how far the answer has come, and adds the exchange's headers."""

    def watched(message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            # A response object may be shared between requests, so its list of headers stays as it is.
            message = {**message, "headers": [*message.get("headers", ()), *exchange.response_headers]}
        else:
            exchange.complete = not message.get("more_body", False)
            if exchange.response_body is not None:
                _keep(exchange.response_body, message.get("body", b""))
        return send(message)

    return watched


def _keep(kept: bytearray, piece: bytes) -> None:
    """Keep a piece of a body, and one byte more than may be kept of a body that is too long."""
    if len(kept) <= MAX_BODY:
        kept += piece[: MAX_BODY + 1 - len(kept)]


def _fields(exchange: Exchange, duration_s: float) -> dict[str, object]:
    """What the log says of a request: nothing that a client wrote, but for a plain request id."""
    fields: dict[str, object] = {
        "request_id": exchange.request_id,
        "method": exchange.method,
        "route": exchange.route,
        "status": exchange.final_status,
        "outcome": exchange.outcome,
        "duration_ms": round(duration_s * 1000, 3),
    }
    if exchange.error_code is not None:
        fields["error"] = exchange.error_code
    if exchange.prompt_tokens is not None:
        fields["prompt_tokens"] = exchange.prompt_tokens
    if exchange.completion_tokens is not None:
        fields["completion_tokens"] = exchange.completion_tokens
    return fields
