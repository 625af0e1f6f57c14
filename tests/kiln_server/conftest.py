"""For every test of the server: what a test sets up process-wide ends with it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def logs_end_with_the_test() -> Iterator[None]:
    """A command run inside a test sends logs to that test's own streams, which are closed after it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)
