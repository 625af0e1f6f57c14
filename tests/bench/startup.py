"""How much a fresh process pays for the library: its import and eight decoders, over Python that does nothing.

Twice: among whatever else is installed, and with nothing but what the library depends on. msgspec makes use of packages
that it finds, so that both differ.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

import kiln_contract
from tests.bench.payloads import example, text
from tests.bench.timing import Series

DECODED: Final = (
    "BatchCompletionRequest",
    "BatchCompletionResponse",
    "ChatCompletionChunk",
    "ChatCompletionRequest",
    "ChatCompletionResponse",
    "RolloutProvenanceV1",
    "TextCompletionRequest",
    "TextCompletionResponse",
)

BARE: Final = "bare Python"
FLOOR: Final = "import msgspec"
READY: Final = "import kiln_contract and 8 decoders"

EVERYTHING: Final = "all that is installed here"
ALONE: Final = "the library and msgspec alone"

_READY: Final = """
import sys
import kiln_contract as kc
for name, body in zip(sys.argv[1::2], sys.argv[2::2]):
    kc.decode(name, body)
"""
_PROGRAMS: Final = {BARE: "pass", FLOOR: FLOOR, READY: _READY}


def startup(runs: int) -> dict[str, dict[str, Series]]:
    """CPU seconds of whole processes by environment and program, in turns. Raises CalledProcessError when one fails."""
    documents = [part for name in DECODED for part in (name, text(example(name)).decode())]
    measured = {where: {what: Series(1) for what in _PROGRAMS} for where in (EVERYTHING, ALONE)}
    with TemporaryDirectory(prefix="kiln-bench-") as folder:
        environments = _environments(Path(folder))
        for run in range(runs + 1):
            for where, (options, variables) in environments.items():
                for what, program in _PROGRAMS.items():
                    seconds = _seconds([sys.executable, *options, "-c", program, *documents], variables)
                    if run:  # the first run writes byte code and fills caches
                        measured[where][what].seconds.append(seconds)
    return measured


def _environments(folder: Path) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Interpreter options and variables of both. An installed package has byte code, so both may write it."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    variables["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    packages = folder / "packages"
    packages.mkdir()
    for module in (msgspec, kiln_contract):
        place = Path(str(module.__file__)).parent
        (packages / place.name).symlink_to(place)
    return {EVERYTHING: ([], variables), ALONE: (["-S"], {**variables, "PYTHONPATH": str(packages)})}


def _seconds(command: list[str], variables: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
