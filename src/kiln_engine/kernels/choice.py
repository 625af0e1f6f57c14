"""Which kernels run: chosen once, for a reason that the log and the settings show."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

import torch

from kiln_engine.errors import EngineError
from kiln_engine.kernels.cpu.build import BuildError, cache_folder, cached_library, find_compiler
from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.cpu.levels import NATIVE, cpu_flags, library_name, machine_levels
from kiln_engine.kernels.cpu.library import BUILT, Library, LibraryError
from kiln_engine.kernels.reference import ReferenceKernels

if TYPE_CHECKING:
    from pathlib import Path

    from kiln_engine.kernels.facade import Kernels

NAMES: Final = ("auto", "cpu", "jit", "torch", "triton")


class Choice(NamedTuple):
    """The kernels, and why these."""

    kernels: Kernels
    reason: str


class _ImpossibleError(Exception):
    """These kernels cannot run here; the message says why, in words that end a sentence."""


def choose(name: str, device: torch.device) -> Choice:
    """The kernels of a name in `NAMES` for a device.

    Raises EngineError for another name, and where the kernels that it asks for cannot run; `auto` takes the next best.
    """
    if name not in NAMES:
        raise EngineError(f"there are no kernels {name!r}; use one of {', '.join(NAMES)}")
    if name == "torch":
        return Choice(ReferenceKernels(), "asked for")
    if name == "triton":
        return Choice(_triton(device), "asked for")
    if device.type != "cpu":
        if name != "auto":
            raise EngineError(f"kernels {name!r} run on the CPU, not on {device}; use device cpu, or kernels auto")
        return Choice(ReferenceKernels(), f"the ones for {device.type}")
    return _best() if name == "auto" else _asked_for(name)


def _triton(device: torch.device) -> Kernels:
    # Only when asked for: they have been interpreted and compiled, but not yet run on a GPU.
    if device.type != "cuda":
        raise EngineError(f"kernels 'triton' run on an NVIDIA GPU, not on {device}; use device cuda, or kernels auto")
    if find_spec("triton") is None:
        raise EngineError("kernels 'triton' need the package triton: pip install 'kiln-inference[gpu]'")
    from kiln_engine.kernels.triton.kernels import TritonKernels

    return TritonKernels()


def _asked_for(name: str) -> Choice:
    try:
        kernels = _compiled_before() if name == "cpu" else _compiled_here()
    except _ImpossibleError as error:
        raise EngineError(f"kernels {name!r} cannot run here: {error}; kernels auto takes what can") from error
    return Choice(kernels, "asked for")


def _best() -> Choice:
    try:
        return Choice(_compiled_before(), "the best that this machine runs")
    except _ImpossibleError as error:
        missing = str(error)
    try:
        return Choice(_compiled_here(), f"compiled on this machine, as {missing}")
    except _ImpossibleError as error:
        return Choice(ReferenceKernels(), f"the only ones that run: {missing}, and {error}")


def _compiled_before() -> CpuKernels:
    """The best library that came with the package."""
    levels = machine_levels(cpu_flags())
    for level in levels:
        path = BUILT / library_name(level)
        if path.exists():
            return CpuKernels(_loaded(path), f"cpu-{level.name}")
    wanted = levels[0].name if levels else "this machine"
    raise _ImpossibleError(f"this installation has no compiled kernels for {wanted}")


def _compiled_here() -> CpuKernels:
    """The library compiled for this very machine, kept for the next start."""
    compiler = find_compiler()
    if compiler is None:
        raise _ImpossibleError("no C++ compiler is installed (set CXX, or install g++)")
    try:
        path = cached_library(compiler, NATIVE.flags, cache_folder())
    except (BuildError, OSError) as error:
        raise _ImpossibleError(f"the kernels do not compile: {error}") from error
    return CpuKernels(_loaded(path), f"cpu-{NATIVE.name}")


def _loaded(path: Path) -> Library:
    try:
        return Library(path)
    except LibraryError as error:
        raise _ImpossibleError(str(error)) from error
