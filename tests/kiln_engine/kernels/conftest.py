"""The C++ kernels, compiled once for each instruction set that is tried and kept for the next session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from kiln_engine.kernels.cpu.build import cache_folder, cached_library, find_compiler
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.cpu.levels import LEVELS, NATIVE, Level, cpu_flags
from kiln_engine.kernels.cpu.library import Library

V2 = LEVELS[-1]


def compiled(level: Level) -> CpuKernels:
    """The kernels of one level; skips where they cannot be made or run."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C++ compiler")
    if not level.needs <= cpu_flags():
        pytest.skip(f"this machine does not run {level.name}")
    return CpuKernels(Library(cached_library(compiler, level.flags, cache_folder())), f"cpu-{level.name}")


@pytest.fixture(scope="session", params=[NATIVE, V2], ids=lambda level: level.name)
def kernels(request: pytest.FixtureRequest) -> CpuKernels:
    """What this machine does best, and the least that is supported: the narrowest vectors, no fused operation."""
    return compiled(request.param)


@pytest.fixture(scope="session")
def native() -> CpuKernels:
    return compiled(NATIVE)


@pytest.fixture
def threads() -> Iterator[None]:
    """Puts the number of threads back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
