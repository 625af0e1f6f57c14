"""The last inference requests, for an operator who asks what has just happened."""

from __future__ import annotations

from collections import deque
from typing import Final

from msgspec import Struct

from kiln_contract import ThinkingBudgetRecord
from kiln_server.edge.exchange import Exchange, Outcome

MAX_KEPT: Final = 100
MAX_BODY: Final = 64 * 1024
"""Bytes of a body that are kept at most; a longer one is cut."""
MAX_NAME: Final = 256
"""Characters of a name that a client chose; a longer one is cut."""


class RecentRequest(Struct, frozen=True, kw_only=True):
    """One finished request. Fields that a refused request never had are None."""

    request_id: str
    received_at: float
    """Unix time in seconds."""
    route: str
    status: int
    outcome: Outcome
    error_code: str | None
    duration_ms: float
    ttft_ms: float | None
    stream: bool
    model: str | None
    adapter: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    finish_reasons: tuple[str, ...]
    thinking_budget: ThinkingBudgetRecord | None
    """Written as it is: the contract's `ThinkingBudgetRecentRecord` has the same members, and only asks for fewer."""
    request_body: str | None
    response_body: str | None


class RecentRequests:
    """A ring of finished requests. Bodies are in it only when the server was told to keep them."""

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._ring: deque[RecentRequest] = deque(maxlen=max_kept)

    def keep(self, exchange: Exchange, duration_s: float) -> None:
        """Take in a finished request; the oldest one makes room."""
        self._ring.append(
            RecentRequest(
                request_id=exchange.request_id,
                received_at=exchange.received_at_s,
                route=exchange.route,
                status=exchange.final_status,
                outcome=exchange.outcome,
                error_code=exchange.error_code,
                duration_ms=duration_s * 1000,
                ttft_ms=exchange.ttft_ms,
                stream=exchange.stream,
                model=_cut(exchange.model, MAX_NAME),
                adapter=_cut(exchange.adapter, MAX_NAME),
                prompt_tokens=exchange.prompt_tokens,
                completion_tokens=exchange.completion_tokens,
                finish_reasons=exchange.finish_reasons,
                thinking_budget=exchange.thinking_budget,
                request_body=_text(exchange.request_body),
                response_body=_text(exchange.response_body),
            )
        )

    def newest_first(self) -> list[RecentRequest]:
        """The requests that are kept."""
        return list(reversed(self._ring))


def _cut(text: str | None, limit: int) -> str | None:
    return text if text is None or len(text) <= limit else text[: limit - 1] + "…"


def _text(body: bytes | bytearray | None) -> str | None:
    """The start of a body as text; bytes that are no UTF-8, such as a character cut in two, are replaced."""
    if body is None:
        return None
    text = bytes(body[:MAX_BODY]).decode("utf-8", "replace")
    return text + "…" if len(body) > MAX_BODY else text
