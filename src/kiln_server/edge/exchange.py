"""One request and its answer, as the layers of the edge and the handlers see it."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.types import Scope

from kiln_contract import ThinkingBudgetRecord
from kiln_server.random_hex import random_hex

Access = Literal["use", "admin"]
"""What an API key allows; `admin` allows everything."""

Outcome = Literal["ok", "rejected", "timeout", "cancelled", "error"]

CLIENT_GONE: Final = 499
"""The status that logs and metrics show when the client left before an answer."""

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})
_TIMEOUTS: Final = frozenset({"request_timeout", "queue_timeout", "stalled"})
_FAILURES: Final = frozenset({"generation_error", "internal_error"})


class Exchange(Struct, kw_only=True):
    """Made when a request arrives, at `request.state.exchange`; logged, counted and kept when its answer ends.

    Layers write the first half of the fields. Handlers write the second half, as soon as they know.
    """

    request_id: str
    method: str
    unique_id: str
    """The same, and where a client chose it, more: it may choose one twice."""
    route: str
    """The path of the route, never what the client sent."""
    headers: Mapping[bytes, bytes]
    """Request headers by lower-case name; of a repeated one the last."""
    repeats: frozenset[bytes] = frozenset()
    """Names of headers that came more than once."""
    received_ns: int
    """Monotonic clock."""
    received_at_s: float
    """Unix time."""
    response_headers: list[tuple[bytes, bytes]]
    """Added to whatever answer is sent."""
    access: Access | None = None
    """What the client's key allows; None before it has been checked, or where none is needed."""
    status: int = 0
    """HTTP status, 0 until an answer has begun."""
    complete: bool = False
    """Whether the whole answer has been sent."""
    body: Literal["unread", "begun", "read"] = "unread"
    """How far the request's body has been read."""
    body_bytes: int = 0
    """The size of a body that was read."""
    lingering: bool = False
    """Whether the rest of a refused body must be discarded before the connection closes."""

    error_code: str | None = None
    """The error that the answer is, or that ended a stream."""
    model: str | None = None
    adapter: str | None = None
    stream: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    ttft_ms: float | None = None
    finish_reasons: tuple[str, ...] = ()
    thinking_budget: ThinkingBudgetRecord | None = None
    request_body: bytes | None = None
    """Only when the server keeps bodies."""
    response_body: bytearray | None = None
    """Only when the server keeps bodies."""

    @property
    def final_status(self) -> int:
        """The status for logs and metrics: `CLIENT_GONE` when no answer was ever begun."""
        return self.status or CLIENT_GONE

    @property
    def outcome(self) -> Outcome:
        """How the request ended, as one of a closed set."""
        if self.error_code is None:
            return "ok" if self.complete else "cancelled"
        if self.error_code in _TIMEOUTS:
            return "timeout"
        return "error" if self.error_code in _FAILURES else "rejected"


def begin_exchange(scope: Scope, route: str) -> Exchange:
    """The exchange for a request that has just arrived, also put into the scope."""
    headers = dict(scope["headers"])
    request_id = _request_id(sent := headers.get(b"x-request-id"))
    exchange = Exchange(
        request_id=request_id,
        unique_id=request_id if sent is None else f"{request_id}-{random_hex(6)}",
        method=scope["method"] if scope["method"] in _METHODS else "other",
        route=route,
        headers=headers,
        repeats=_repeats(scope["headers"]) if len(headers) < len(scope["headers"]) else frozenset(),
        received_ns=time.monotonic_ns(),
        received_at_s=time.time(),
        response_headers=[],
    )
    exchange.response_headers.append((b"x-request-id", exchange.request_id.encode()))
    # A browser must not read an answer as anything but what it says it is.
    exchange.response_headers.append((b"x-content-type-options", b"nosniff"))
    scope.setdefault("state", {})["exchange"] = exchange
    return exchange


def exchange_in(scope: Scope) -> Exchange:
    """The exchange of a request, from its scope."""
    exchange: Exchange = scope["state"]["exchange"]
    return exchange


def exchange_of(request: Request) -> Exchange:
    """The exchange of a request."""
    return exchange_in(request.scope)


def _repeats(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    counts = Counter(name for name, _ in headers)
    return frozenset(name for name, count in counts.items() if count > 1)


def _request_id(sent: bytes | None) -> str:
    """The client's own id when it is short and plain, so that logs on both sides can be joined; else a new one."""
    if sent is not None and _SANE_ID.fullmatch(sent):
        return sent.decode()
    return "req_" + random_hex(12)
