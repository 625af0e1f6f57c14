"""The same bits on another kind of machine: the C++ for NEON, cross-compiled and run by QEMU, where installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kiln_engine.kernels.cpu.build import FLAGS, SOURCE, find_compiler
from kiln_engine.kernels.cpu.levels import LEVELS, cpu_flags
from tests.kiln_engine.kernels.test_sanitized import DRIVER

CROSS = shutil.which("aarch64-linux-gnu-g++")
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
V3 = next(level for level in LEVELS if level.name == "x86-64-v3")


def results(command: Sequence[str], runner: Sequence[str], folder: Path) -> str:
    """What the driver prints: how many rounds, and a sum over all results."""
    target = folder / "driver"
    sources = [str(path) for path in (DRIVER, *sorted(SOURCE.glob("*.cpp")))]
    own = [flag for flag in FLAGS if flag != "-fPIC"]
    subprocess.run([*command, *own, f"-I{SOURCE}", *sources, "-o", str(target)], check=True, timeout=300)
    done = subprocess.run([*runner, str(target), "5", "40"], capture_output=True, text=True, check=True, timeout=300)
    return done.stdout


@pytest.mark.skipif(CROSS is None or QEMU is None, reason="needs g++-aarch64-linux-gnu and qemu-user-static")
def test_neon_gives_the_bits_of_avx2(tmp_path: Path) -> None:
    compiler = find_compiler()
    if compiler is None or not V3.needs <= cpu_flags():
        pytest.skip("nothing to compare with: no C++ compiler, or no AVX2 and fused operations")
    assert CROSS is not None
    assert QEMU is not None
    arm = results([CROSS, "-static"], [QEMU], tmp_path)
    assert arm == results([*compiler, *V3.flags], [], tmp_path)
