"""For every test of the server: what a test sets up process-wide ends with it, and models that need no script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from kiln_engine.backend import create
from kiln_server.app import create_app
from kiln_server.backend import Backend
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import Script
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import new_service

CONTEXT_LENGTH = 256

Serve = Callable[..., AbstractContextManager[Live]]
"""Given settings, a live server."""


@pytest.fixture(scope="session", params=["mock", "kiln-tiny"])
def serve(request: pytest.FixtureRequest) -> Serve:
    """Serves a model of `CONTEXT_LENGTH` that answers as it likes: for what must hold whatever it says."""

    @contextmanager
    def served(**settings: Any) -> Iterator[Live]:
        backend = _MAKE[request.param]()
        service = new_service(backend, **settings)
        with serving(create_app(service)) as live:
            live.run(lambda: backend.start(lambda _: None))
            service.lifecycle.loaded()
            yield live
            live.run(backend.close)

    return served


def _echo() -> Backend:
    return MockBackend(Script(context_length=CONTEXT_LENGTH))


def _kiln_tiny() -> Backend:
    return create(
        {"model": "kiln-tiny", "device": "cpu", "kv_cache_memory": "16MiB", "max_model_len": str(CONTEXT_LENGTH)}
    )


_MAKE: Mapping[str, Callable[[], Backend]] = {"mock": _echo, "kiln-tiny": _kiln_tiny}
