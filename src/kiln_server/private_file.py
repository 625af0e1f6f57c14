"""Files that only their owner should read."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any, Final

_OTHERS: Final = 0o077


def warn_if_shared(log: Any, event: str, path: str) -> None:
    """Log `event`, with what to do, when others than the owner may use a file. Raises OSError where there is none."""
    mode = stat.S_IMODE(Path(path).stat().st_mode)
    if mode & _OTHERS:
        log.warning(event, file=path, mode=f"{mode:04o}", hint=f"chmod 600 {path}")
