"""The models of this machine, as the server lists them."""

from __future__ import annotations

from kiln_engine import catalog
from kiln_engine.errors import EngineError
from kiln_server.backend import BackendError, Offer


def offers() -> list[Offer]:
    """What can be served by name, the default first. Raises BackendError for a model that is damaged."""
    try:
        default, models = catalog.default().id, catalog.models()
    except EngineError as error:
        raise BackendError(str(error)) from error
    return [
        Offer(
            name=model.place.id,
            family=model.family,
            num_parameters=model.num_parameters,
            num_bytes=model.num_bytes,
            location=str(model.place.path),
            note="default" if model.place.id == default else "",
        )
        for model in sorted(models, key=lambda model: model.place.id != default)
    ]
