"""One request to an inference endpoint, without a framework's request and response objects between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from starlette.types import Receive, Scope, Send

from kiln_server.edge.exchange import Exchange, exchange_in

if TYPE_CHECKING:
    from kiln_server.service import Service

Headers = Iterable[tuple[bytes, bytes]]

_JSON: Final = (b"content-type", b"application/json")


class Call(NamedTuple):
    """A request, the server it came to, and the way to its answer."""

    service: Service
    exchange: Exchange
    receive: Receive
    send: Send

    async def answer_json(self, body: bytes, headers: Headers = ()) -> None:
        """Answer 200 with a JSON text."""
        length = (b"content-length", b"%d" % len(body))
        await self.send({"type": "http.response.start", "status": 200, "headers": [*headers, length, _JSON]})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})


class Endpoint:
    """An ASGI application that answers calls."""

    def __init__(self, answer: Callable[[Call], Awaitable[None]]) -> None:
        self._answer = answer

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return self._answer(Call(scope["app"].state.service, exchange_in(scope), receive, send))
