"""What the tests of the engine share."""

from __future__ import annotations

import pytest
import torch

# Tests run side by side, one process a core: more threads only wait for each other.
torch.set_num_threads(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
