"""How busy the machine's processors were with other things than what is measured."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter
from typing import Final

_STAT: Final = Path("/proc/stat")
_IDLE: Final = (3, 4)
"""Columns of `idle` and `iowait`; `guest` and `guest_nice`, the last two, are in others already."""


class ForeignTime:
    """Begins to count when it is made. Linux; elsewhere it knows of nothing foreign."""

    def __init__(self) -> None:
        self._started, self._busy = perf_counter(), _busy_s()

    def share(self, own_s: float) -> float:
        """CPU time of others since then, to all that the processors had; `own_s` is what was used on purpose."""
        available = (perf_counter() - self._started) * (os.cpu_count() or 1)
        return max(0.0, (_busy_s() - self._busy - own_s) / available)


def _busy_s() -> float:
    if not _STAT.exists():
        return 0.0
    columns = _STAT.read_text().split("\n", 1)[0].split()[1:9]
    busy = sum(int(value) for index, value in enumerate(columns) if index not in _IDLE)
    return busy / os.sysconf("SC_CLK_TCK")
