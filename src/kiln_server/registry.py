"""Find backends by name: the built-in ones, and those that installed packages offer as entry points."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from kiln_server.backend import ENTRY_POINT_GROUP, MODELS_GROUP, Backend, BackendError, BackendFactory, Offer

_BUILT_IN: Final = {
    "mock": "kiln_server.backends.mock:create",
    "replay": "kiln_server.backends.replay:create",
    "record": "kiln_server.backends.record:create",
}

_METHODS: Final = ("start", "close", "generate", "score", "spans", "adapters", "stats")


class RegistryError(BackendError):
    """A backend cannot be had. The message says which, why, and what to do."""


def backend_names() -> list[str]:
    """The names of all backends that can be asked for, sorted. Loads none of them."""
    return sorted(_found())


def load_backend(name: str) -> BackendFactory:
    """Import a backend's factory.

    Raises RegistryError for an unknown name, for one that several packages claim, and for code that cannot be imported.
    """
    point = _only(name, _found().get(name, []))
    try:
        factory = point.load()
    except Exception as error:
        # Whatever the package's import runs into is the operator's to know; the traceback stays attached.
        reason = f"{type(error).__name__}: {error}"
        raise RegistryError(f"backend {name!r} ({_origin(point)}) cannot be imported: {reason}") from error
    if not callable(factory):
        raise RegistryError(f"backend {name!r} ({_origin(point)}) is no function: its package must offer a factory")
    return factory  # type: ignore[no-any-return]


def create_backend(name: str, options: Mapping[str, str] | None = None) -> Backend:
    """Make a backend, not yet started. Raises RegistryError, and whatever its factory raises for its options."""
    backend = load_backend(name)(options or {})
    missing = [method for method in _METHODS if not callable(getattr(backend, method, None))]
    if not isinstance(getattr(backend, "description", None), str):
        missing.append("description")
    if missing:
        raise RegistryError(f"backend {name!r} lacks {', '.join(missing)}; see kiln_server.backend.Backend")
    return backend


def offers() -> list[Offer]:
    """The models that backends find on this machine, in the order of the packages that offer them."""
    return [offer for point in entry_points(group=MODELS_GROUP) for offer in point.load()()]


def _found() -> dict[str, list[EntryPoint]]:
    """Entry points by name; more than one only where they differ."""
    found = {name: [EntryPoint(name, value, ENTRY_POINT_GROUP)] for name, value in _BUILT_IN.items()}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        others = found.setdefault(point.name, [])
        if point.value not in [other.value for other in others]:
            others.append(point)
    return found


def _only(name: str, points: list[EntryPoint]) -> EntryPoint:
    if not points:
        near = difflib.get_close_matches(name, backend_names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "install its package, or use another."
        raise RegistryError(f"there is no backend {name!r}; {hint} Found: {', '.join(backend_names())}")
    if len(points) > 1:
        origins = " and ".join(map(_origin, points))
        raise RegistryError(f"backend {name!r} is offered by {origins}; uninstall all but one")
    return points[0]


def _origin(point: EntryPoint) -> str:
    return f"{point.value} of {point.dist.name}" if point.dist else point.value
