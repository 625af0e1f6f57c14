"""From a request's body to a value of the contract: every check that comes before the model's own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from kiln_contract import ContractViolation, decode
from kiln_server.edge.exchange import Exchange
from kiln_server.edge.interrupt import Interruptible
from kiln_server.errors import ApiError
from kiln_server.lifecycle import Lifecycle
from kiln_server.recent import MAX_BODY
from kiln_server.refusals import Listed, refusal
from kiln_server.routes.call import Call
from kiln_server.settings import Settings

T = TypeVar("T", bound=msgspec.Struct)

_JSON: Final = re.compile(rb"application/(?:json|[\w.!#$&^-]+\+json)[ \t]*(?:;.*)?", re.IGNORECASE)


async def read(call: Call, definition: type[T], listed: Sequence[Listed]) -> T:
    """Read a request's body as a definition of the contract.

    Raises ApiError for a body of another type (415), too large (413), too slow (408), under way when a drain begins
    (503), or that breaks the contract, for which `listed` holds the violations with codes of their own;
    ClientDisconnect when the client leaves meanwhile.
    """
    exchange, settings = call.exchange, call.service.settings
    _check_type(exchange)
    body = await _read_body(call.receive, exchange, settings, call.service.lifecycle)
    exchange.body_bytes = len(body)
    if settings.record_bodies:
        exchange.request_body = body[: MAX_BODY + 1]
    try:
        return decode(definition, body, strict=True, show_values=settings.error_values)
    except ContractViolation as broken:
        raise refusal(broken.violations, listed) from None


def _check_type(exchange: Exchange) -> None:
    headers = exchange.headers
    if b"content-type" in exchange.repeats or not _JSON.fullmatch(headers.get(b"content-type", b"")):
        raise ApiError("unsupported_media_type", "The body is not declared as JSON.")
    if b"content-encoding" in headers:
        raise ApiError("unsupported_media_type", "The body is declared as encoded, and is not decoded here.")


async def _read_body(receive: Receive, exchange: Exchange, settings: Settings, lifecycle: Lifecycle) -> bytes:
    """The whole body, refused as soon as it is certain to be too large, or pauses for too long."""
    limit_s = settings.body_stall_timeout_s
    _check_size(int(exchange.headers.get(b"content-length", 0)), settings.max_body_bytes)
    exchange.body = "begun"
    body: bytes | bytearray = b""
    loop = asyncio.get_running_loop()
    pending: list[asyncio.Handle] = []

    def begin_limit() -> None:
        pending.append(loop.call_later(limit_s, _interrupt, block, limit_s))
        lifecycle.on_drain(block.interrupt)

    with Interruptible() as block:
        while exchange.body != "read":
            # A piece that is there already is taken before this is called, and pays for no timer.
            pending.append(loop.call_soon(begin_limit))
            try:
                message = await receive()
            finally:
                while pending:
                    pending.pop().cancel()
                lifecycle.off_drain(block.interrupt)
            body = _joined(body, message)
            _check_size(len(body), settings.max_body_bytes)
            if not message.get("more_body"):
                exchange.body = "read"
    return bytes(body)


def _joined(body: bytes | bytearray, message: Message) -> bytes | bytearray:
    """A body and its next piece. Most bodies come in one; only others are worth a buffer that grows in place."""
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    piece: bytes = message.get("body", b"")
    if not body:
        return piece
    buffer = body if isinstance(body, bytearray) else bytearray(body)
    buffer += piece
    return buffer


def _interrupt(block: Interruptible, limit_s: float) -> None:
    block.interrupt(ApiError("request_timeout", f"No more of the body arrived for {limit_s:g} s."))


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise ApiError("body_too_large", f"The body is larger than {limit} bytes.")
