"""Names for paths: a closed set, whatever clients ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.routing import Route

UNMATCHED: Final = "unmatched"
"""The one label of every path that no route has."""


class RouteLabels:
    """Labels of the paths of an application's routes: the path as the route spells it, such as `/v1/models/{id}`."""

    def __init__(self, routes: Iterable[Route]) -> None:
        routes = list(routes)
        self._plain = {route.path for route in routes if not route.param_convertors}
        self._patterns = [(route.path_regex, route.path_format) for route in routes if route.param_convertors]

    def of(self, path: str) -> str:
        """The label of a request's path."""
        if path in self._plain:
            return path
        return next((label for regex, label in self._patterns if regex.match(path)), UNMATCHED)
