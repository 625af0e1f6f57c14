"""JSON files of a checkpoint's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kiln_engine.loading.errors import LoadError


def read_json(path: Path) -> dict[str, Any]:
    """The object that a file holds. Raises LoadError when it cannot be read or holds something else."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LoadError(f"{path}: holds no JSON object: {error}") from None


def read_json_if_there(path: Path) -> dict[str, Any] | None:
    """The object that a file holds, or None where there is no such file."""
    return read_json(path) if path.exists() else None
