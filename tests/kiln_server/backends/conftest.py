from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of these tests: the server runs on asyncio."""
    return "asyncio"
