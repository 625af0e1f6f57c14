"""Where the numbers come from: machine, interpreter, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final

PACKAGES: Final = (
    "msgspec",
    "orjson",
    "jsonschema-rs",
    "pydantic",
    "pydantic-core",
    "datamodel-code-generator",
)


def facts(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """What a reader needs to judge the numbers, by name; `packages` are those whose versions matter."""
    python = f"{platform.python_implementation()} {platform.python_version()} ({platform.python_compiler()})"
    machine = {"processor": f"{_processor()}, {os.cpu_count()} logical cores", "system": platform.platform()}
    return {**machine, "Python": python, **{name: version(name) for name in packages}}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor() or platform.machine()
