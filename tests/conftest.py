"""What holds for every test."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import settings

# A busy machine makes an example slow, which is no fault; a hang ends the run.
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def loggers_keep_no_configuration() -> Iterator[None]:
    """In a process of its own, a command lets loggers keep the first one they meet. Here later tests would have it."""
    with pytest.MonkeyPatch.context() as patch:
        configure = structlog.configure

        def passing(**values: Any) -> None:
            configure(**values | {"cache_logger_on_first_use": False})

        patch.setattr(structlog, "configure", passing)
        yield


@pytest.fixture(autouse=True)
def logs_end_with_the_test() -> Iterator[None]:
    """A command run inside a test sends logs to that test's own streams, which are closed after it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)
