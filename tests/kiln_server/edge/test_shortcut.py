"""The short way leads where the router leads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kiln_server.edge.shortcut import Shortcut
from tests.kiln_server.services import route


@pytest.mark.parametrize(
    ("method", "path", "root_path", "is_short"),
    [
        ("POST", "/work", "", True),
        ("PUT", "/work", "", False),
        ("POST", "/work/", "", False),
        ("POST", "/work\n", "", False),
        ("POST", "/items/{name}", "", False),
        ("POST", "/work", "/root", False),
    ],
)
def test_only_an_exact_path_and_method_take_it(method: str, path: str, root_path: str, is_short: bool) -> None:
    came: list[str] = []

    async def router(*_: Any) -> None:
        came.append("router")

    async def app(*_: Any) -> None:
        came.append("app")

    work, items = route("/work", methods=("POST",)), route("/items/{name}", methods=("POST",))
    work.app = items.app = app
    scope = {"type": "http", "method": method, "path": path, "root_path": root_path}
    asyncio.run(Shortcut(router, routes=[work, items])(scope, None, None))  # type: ignore[arg-type]
    assert came == ["app" if is_short else "router"]
