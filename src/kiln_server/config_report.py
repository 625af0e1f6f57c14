"""The settings in force, each with the source that set it, for people and for programs. Secrets are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from kiln_server.settings import REDACTED, Row, Settings


def table(settings: Settings) -> str:
    """Three columns: name, value, source."""
    lines = [("setting", "value", "source"), *((row.name, cell(row.value), row.source) for row in settings.rows())]
    widths = [max(len(line[column]) for line in lines) for column in (0, 1)]
    return "".join(f"{name:<{widths[0]}}  {value:<{widths[1]}}  {source}\n" for name, value, source in lines)


def as_json(settings: Settings) -> str:
    """One object: an object with `value` and `source` for each setting."""
    rows = {row.name: {"value": row.value, "source": row.source} for row in settings.rows()}
    return json.dumps(rows, indent=2) + "\n"


def as_toml(settings: Settings) -> str:
    """A configuration file that sets the same again. What is unset or secret is a comment."""
    rows = settings.rows()
    # A table takes all that follows it, so it comes last.
    plain = [line for row in rows if not isinstance(row.value, dict) for line in _assignment(row)]
    tables = [line for row in rows if isinstance(row.value, dict) for line in _table(row)]
    return "".join(f"{line}\n" for line in [*plain, *tables])


FORMATS: Final = {"table": table, "json": as_json, "toml": as_toml}


def cell(value: Any) -> str:
    """A value as a person reads it in a table."""
    if value is None:
        return "(unset)"
    if isinstance(value, dict):
        return cell(tuple(f"{key}={item}" for key, item in value.items()))
    if isinstance(value, tuple):
        return ",".join(value) or "(none)"
    return value if isinstance(value, str) else json.dumps(value)


def _assignment(row: Row) -> Iterator[str]:
    if row.value is None:
        yield f"# {row.name} is unset"
    else:
        yield f"{_mark(row.value)}{row.name} = {literal(row.value)}  # {row.source}"


def _table(row: Row) -> Iterator[str]:
    yield f"\n[{row.name}]  # {row.source}"
    for key, value in row.value.items():
        yield f"{_mark(value)}{literal(key)} = {literal(value)}"


def _mark(value: Any) -> str:
    return "# " if isinstance(value, str) and REDACTED in value else ""


def literal(value: Any) -> str:
    """A value as TOML writes it."""
    # JSON's strings, numbers, booleans and arrays are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
