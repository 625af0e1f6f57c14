"""Instruction sets that the kernels are compiled for, and which of them this machine has."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Final, NamedTuple


class Level(NamedTuple):
    """One instruction set: its name in files and logs, the compiler's flags, and the CPU flags that it needs."""

    name: str
    flags: tuple[str, ...]
    needs: frozenset[str]


_V2: Final = frozenset({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})
_V3: Final = _V2 | {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}
_V4: Final = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

LEVELS: Final = (
    Level("x86-64-v4-bf16", ("-march=x86-64-v4", "-mavx512bf16"), _V4 | {"avx512_bf16"}),
    Level("x86-64-v4", ("-march=x86-64-v4",), _V4),
    Level("x86-64-v3", ("-march=x86-64-v3",), _V3),
    Level("x86-64-v2", ("-march=x86-64-v2",), _V2),
)
"""Of x86-64, the best first; names and flags as Linux writes them in /proc/cpuinfo."""

NATIVE: Final = Level("native", ("-march=native",), frozenset())
"""Whatever the compiler finds on the machine that it runs on."""


def library_name(level: Level) -> str:
    """The file name of a level's library in a wheel."""
    return f"kiln-{level.name}.so"


def machine_levels(cpu_flags: frozenset[str]) -> tuple[Level, ...]:
    """The levels that a CPU with these flags runs, the best first."""
    return tuple(level for level in LEVELS if level.needs <= cpu_flags)


def cpu_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """What the first CPU can do. Empty where it cannot be told: elsewhere than on x86-64 Linux."""
    if platform.machine() not in ("x86_64", "AMD64") or not cpuinfo.exists():
        return frozenset()
    for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()
