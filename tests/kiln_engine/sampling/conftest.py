"""Every test of sampling is run both ways: with torch and numpy, and through the C++ kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kiln_engine.kernels.cpu.levels import NATIVE
from tests.kiln_engine.kernels.conftest import V2, V4, compiled
from tests.kiln_engine.sampling.answers import Way

WAYS = [None, NATIVE, V2, V4]


@pytest.fixture(scope="module", autouse=True, params=WAYS, ids=lambda level: level.name if level else "torch")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    Way.drawer = None if request.param is None else compiled(request.param).drawer()
    yield
    Way.drawer = None
