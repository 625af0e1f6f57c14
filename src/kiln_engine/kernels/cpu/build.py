"""Compile the kernels: one library for one instruction set, with any GCC or Clang that knows OpenMP."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE: Final = Path(__file__).with_name("native")

FLAGS: Final = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fopenmp",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-math-errno",
    "-fno-trapping-math",
    # Which products and sums are fused decides bits: the source says it, not the compiler.
    "-ffp-contract=off",
)

_TIMEOUT_S: Final = 300


class BuildError(Exception):
    """The kernels could not be compiled; the message says why, with the end of what the compiler wrote."""


def find_compiler() -> list[str] | None:
    """The command of a C++ compiler: $CXX, else c++, g++ or clang++ on the path."""
    named = shlex.split(os.environ.get("CXX", ""))
    if named:
        return named if shutil.which(named[0]) else None
    return next(([name] for name in ("c++", "g++", "clang++") if shutil.which(name)), None)


def compile_library(compiler: Sequence[str], flags: Sequence[str], target: Path) -> None:
    """Compile into `target`, which appears whole or not at all; source files in parallel. Raises BuildError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [*compiler, *FLAGS, *flags]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder, ThreadPoolExecutor() as pool:
        sources = sorted(SOURCE.glob("*.cpp"))
        objects = [str(Path(folder) / f"{source.stem}.o") for source in sources]
        steps = [[*command, "-c", str(source), "-o", made] for source, made in zip(sources, objects, strict=True)]
        for _ in pool.map(_run, steps):
            pass
        library = Path(folder) / target.name
        _run([*command, "-shared", "-o", str(library), *objects])
        library.replace(target)


def cached_library(compiler: Sequence[str], flags: Sequence[str], folder: Path) -> Path:
    """The library in `folder`, compiled if it is not there for this source, compiler and flags. Raises BuildError."""
    target = folder / f"kiln-{_key(compiler, flags)}.so"
    if not target.exists():
        compile_library(compiler, flags, target)
    return target


def cache_folder() -> Path:
    """Where compiled kernels are kept for this user."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kiln" / "kernels"


def _key(compiler: Sequence[str], flags: Sequence[str]) -> str:
    version = _run([*compiler, "--version"])
    # What `native` means is the machine's, and a home folder may be shared by several.
    target = _run([*compiler, *flags, "-Q", "--help=target"], check=False)
    parts = [version, target, *compiler, *FLAGS, *flags]
    parts += [path.read_text(encoding="utf-8") for path in sorted(SOURCE.iterdir())]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _run(command: Sequence[str], *, check: bool = True) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the compiler that the operator has installed or named
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]} did not run: {error}") from error
    if check and done.returncode:
        raise BuildError(f"{command[0]} failed with {done.returncode}: {done.stderr[-2000:].strip()}")
    return done.stdout
