"""What the machine's memory gives at this moment."""

from __future__ import annotations

import time
from statistics import median
from typing import Final

import torch

from kiln_engine.errors import EngineError
from kiln_engine.kernels.choice import choose
from kiln_engine.kernels.cpu.kernels import CpuKernels

PROBE_BYTES: Final = 128 * 1024 * 1024
_READS: Final = 3


class Probe:
    """Reads memory with all threads. Raises EngineError where the kernels that read cannot run."""

    def __init__(self, threads: int) -> None:
        choice = choose("auto", torch.device("cpu"))
        if not isinstance(choice.kernels, CpuKernels):
            raise EngineError(f"the probe of memory needs the CPU kernels: {choice.reason}")
        torch.set_num_threads(threads)
        self._kernels = choice.kernels
        self._memory = torch.ones(PROBE_BYTES // 4)

    def read(self) -> float:
        """Bytes a second: the median of a few reads, since one that was interrupted says nothing about memory."""
        return median(self._once() for _ in range(_READS))

    def _once(self) -> float:
        started = time.perf_counter()
        self._kernels.read(self._memory)
        return PROBE_BYTES / (time.perf_counter() - started)
