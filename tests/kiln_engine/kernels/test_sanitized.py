"""The C++ under the address and undefined-behaviour sanitizers, with memory of exactly the sizes that it is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kiln_engine.kernels.cpu.build import FLAGS, SOURCE, find_compiler
from kiln_engine.kernels.cpu.levels import NATIVE, cpu_flags, machine_levels

DRIVER = Path(__file__).with_name("sanitized.cpp")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1", "-O1")
ROUNDS = os.environ.get("KILN_SANITIZED_ROUNDS", "60")
"""How many rounds of random sizes: a longer run is one environment variable away."""


def built(folder: Path, flags: tuple[str, ...]) -> Path:
    """The driver with the kernels in it; skips where the toolchain lacks a sanitizer."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C++ compiler")
    probe = folder / "probe.cpp"
    probe.write_text("int main() {}\n")
    if run([*compiler, *SANITIZE, "-fopenmp", str(probe), "-o", str(folder / "probe")]).returncode:
        pytest.skip(f"{compiler[0]} has no address and undefined-behaviour sanitizers")
    sources = [str(path) for path in sorted(SOURCE.glob("*.cpp"))]
    target = folder / "sanitized"
    own = [flag for flag in FLAGS if flag not in ("-O3", "-fPIC")]
    done = run([*compiler, *own, *SANITIZE, *flags, f"-I{SOURCE}", str(DRIVER), *sources, "-o", str(target)])
    assert done.returncode == 0, done.stderr
    return target


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_nothing_is_read_or_written_outside_its_memory(tmp_path: Path) -> None:
    level = next(iter(machine_levels(cpu_flags())), NATIVE)
    done = run([str(built(tmp_path, level.flags)), "1", ROUNDS])
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split()[0] == ROUNDS
