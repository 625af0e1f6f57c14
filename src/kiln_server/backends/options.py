"""Options that an operator gives a backend, as text by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from kiln_server.backend import BackendError


def reject_unknown(backend: str, options: Mapping[str, str], known: tuple[str, ...]) -> None:
    """Raise BackendError, with a suggestion, for the first option that a backend does not have."""
    unknown = next((name for name in options if name not in known), None)
    if unknown is None:
        return
    near = difflib.get_close_matches(unknown, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
    raise BackendError(f"the {backend} backend has no option {unknown!r}; {hint}")


def require(backend: str, options: Mapping[str, str], name: str) -> str:
    """An option that a backend cannot do without. Raises BackendError."""
    if not options.get(name):
        raise BackendError(f"the {backend} backend needs the option {name!r}")
    return options[name]
