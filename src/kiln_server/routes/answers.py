"""Answers of the operational routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from kiln_contract import encode


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as a JSON answer that is not to be cached."""
    more = {"cache-control": "no-store", **(headers or {})}
    return Response(encode(value), status, more, media_type="application/json")
