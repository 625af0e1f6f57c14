"""The document that describes every path."""

from __future__ import annotations

from functools import cache
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kiln_contract import encode
from kiln_server.openapi import document


async def show_openapi(_: Request) -> Response:
    """The OpenAPI document of this server."""
    return Response(_encoded(), media_type="application/json")


@cache
def _encoded() -> bytes:
    return encode(document())


ROUTES: Final = (Route("/openapi.json", show_openapi),)
