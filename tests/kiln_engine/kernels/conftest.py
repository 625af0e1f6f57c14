"""The C++ kernels, compiled once for each instruction set that is tried and kept for the next session."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from kiln_engine.kernels.cpu.build import cache_folder, cached_library, find_compiler
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.cpu.levels import LEVELS, NATIVE, Level, cpu_flags
from kiln_engine.kernels.cpu.library import Library

V3, V2 = LEVELS[-2:]
EMULATION = Path(__file__).with_name("emulated")


def emulated(name: str, *flags: str) -> Level:
    """A level of AVX-512 on a machine that needs no more than AVX2: the same code, with the header in `emulated`."""
    version = hashlib.sha256((EMULATION / "immintrin.h").read_bytes()).hexdigest()[:8]
    own = (*V3.flags, "-Wno-psabi", f"-I{EMULATION}", f"-DKILN_EMULATED=0x{version}", *flags)
    return Level(f"{name}, emulated", own, V3.needs)


V4 = emulated("x86-64-v4")
V4_BF16 = emulated("x86-64-v4-bf16", "-DKILN_EMULATE_BF16")


def compiled(level: Level) -> CpuKernels:
    """The kernels of one level; skips where they cannot be made or run."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C++ compiler")
    if not level.needs <= cpu_flags():
        pytest.skip(f"this machine does not run {level.name}")
    return CpuKernels(Library(cached_library(compiler, level.flags, cache_folder())), f"cpu-{level.name}")


@pytest.fixture(scope="session", params=[NATIVE, V2, V4, V4_BF16], ids=lambda level: level.name)
def kernels(request: pytest.FixtureRequest) -> CpuKernels:
    """What this machine does best, the narrowest vectors without fused operations, the widest, and bfloat16 pairs."""
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
