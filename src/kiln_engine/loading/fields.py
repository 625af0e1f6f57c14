"""Typed reading of a checkpoint's description, so that a wrong one is named by its field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kiln_engine.loading.errors import LoadError


class Fields:
    """A mapping of parsed JSON or GGUF metadata. `where` names it in errors; `prefix` is put before every key."""

    def __init__(self, values: Mapping[str, Any], where: str, prefix: str = "") -> None:
        self.values = values
        self.where = where
        self.prefix = prefix

    def get(self, key: str) -> Any:
        """The value, or None where it is absent."""
        return self.values.get(self.prefix + key)

    def count(self, key: str, default: int | None = None, *, least: int = 1) -> int:
        """A whole number of at least `least`. Absent or null gives the default, and raises LoadError without one."""
        value = self._present(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.error(key, f"must be a whole number of at least {least}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A positive number. Absent or null gives the default, and raises LoadError without one."""
        value = self._present(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise self.error(key, "must be a positive number")
        return float(value)

    def flag(self, key: str, *, default: bool = False) -> bool:
        """A boolean. Absent or null gives the default."""
        value = self._present(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "must be true or false")
        return value

    def error(self, key: str, problem: str) -> LoadError:
        """An error about one field: where it is, its name, its value, and what is wrong with it."""
        value = self.get(key)
        found = "is missing" if value is None else f"is {_shown(value)}"
        return LoadError(f"{self.where}: `{self.prefix}{key}` {found}: it {problem}")

    def _present(self, key: str, default: object) -> Any:
        value = self.get(key)
        value = default if value is None else value
        if value is None:
            raise LoadError(f"{self.where}: `{self.prefix}{key}` is missing, and the model cannot be built without it")
        return value


def _shown(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}…"
