"""Which kernels run, and why: what came with the package, else what this machine compiles, else torch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from kiln_engine.errors import EngineError
from kiln_engine.kernels import choice
from kiln_engine.kernels.choice import NAMES, choose
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.cpu.levels import LEVELS, cpu_flags, library_name, machine_levels
from kiln_engine.kernels.reference import ReferenceKernels

CPU = torch.device("cpu")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation without libraries, on a machine without a compiler. Returns the folder of libraries."""
    monkeypatch.setattr(choice, "BUILT", tmp_path / "built")
    monkeypatch.setenv("CXX", str(tmp_path / "no-such-compiler"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "built"


def test_torch_is_there_for_who_asks() -> None:
    kernels, reason = choose("torch", CPU)
    assert isinstance(kernels, ReferenceKernels)
    assert reason == "asked for"


def test_triton_needs_a_gpu() -> None:
    with pytest.raises(EngineError, match="NVIDIA GPU, not on cpu"):
        choose("triton", CPU)


def test_triton_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda _: None)
    with pytest.raises(EngineError, match=r"pip install 'kiln-inference\[gpu\]'"):
        choose("triton", torch.device("cuda"))


def test_other_names_are_refused_with_those_that_there_are() -> None:
    with pytest.raises(EngineError, match=f"'fast'; use one of {', '.join(NAMES)}"):
        choose("fast", CPU)


@pytest.mark.usefixtures("bare")
def test_auto_says_what_is_missing() -> None:
    kernels, reason = choose("auto", CPU)
    assert isinstance(kernels, ReferenceKernels)
    assert "no compiled kernels" in reason
    assert "no C++ compiler" in reason


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["cpu", "jit"])
def test_what_is_asked_for_by_name_fails_loudly(name: str) -> None:
    with pytest.raises(EngineError, match=f"kernels '{name}' cannot run here: .*; kernels auto takes what can"):
        choose(name, CPU)


@pytest.mark.usefixtures("bare")
def test_what_the_compiler_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\necho it is out of sorts >&2\nexit 3\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(EngineError, match=r"do not compile: .*failed with 3: it is out of sorts"):
        choose("jit", CPU)
    assert isinstance(choose("auto", CPU).kernels, ReferenceKernels)


def test_a_library_that_came_with_the_package_is_taken(bare: Path, native: CpuKernels) -> None:
    levels = machine_levels(cpu_flags())
    if not levels:
        pytest.skip("no library comes with the package for this machine")
    bare.mkdir()
    shutil.copy(native.path, bare / library_name(levels[-1]))
    kernels, reason = choose("auto", CPU)
    assert kernels.name == f"cpu-{levels[-1].name}"
    assert kernels.exact
    assert reason == "the best that this machine runs"
    if len(levels) > 1:
        shutil.copy(native.path, bare / library_name(levels[0]))
        assert choose("cpu", CPU).kernels.name == f"cpu-{levels[0].name}"


def test_a_broken_library_is_named(bare: Path) -> None:
    levels = machine_levels(cpu_flags())
    if not levels:
        pytest.skip("no library comes with the package for this machine")
    bare.mkdir()
    broken = bare / library_name(levels[0])
    broken.write_bytes(b"this is no library")
    with pytest.raises(EngineError, match=broken.name):
        choose("cpu", CPU)
    assert isinstance(choose("auto", CPU).kernels, ReferenceKernels)


def test_devices_other_than_the_cpu() -> None:
    cuda = torch.device("cuda", 1)
    assert isinstance(choose("auto", cuda).kernels, ReferenceKernels)
    with pytest.raises(EngineError, match="run on the CPU, not on cuda:1"):
        choose("cpu", cuda)


def test_levels_of_a_machine() -> None:
    everything = frozenset().union(*(level.needs for level in LEVELS))
    assert machine_levels(everything) == LEVELS
    assert machine_levels(everything - {"avx512_bf16"}) == LEVELS[1:]
    assert machine_levels(everything - {"fma"}) == LEVELS[3:]
    assert machine_levels(frozenset()) == ()


def test_flags_are_those_of_the_first_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx2\n\nprocessor\t: 1\nflags\t\t: fpu\n")
    assert cpu_flags(cpuinfo) == {"fpu", "sse4_2", "avx2"}
    assert cpu_flags(tmp_path / "none") == frozenset()
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert cpu_flags(cpuinfo) == frozenset()
