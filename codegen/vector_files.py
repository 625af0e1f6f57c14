"""The vector files: one for the schema rules of a definition and one for its semantic rules.

The format and the recipes of long documents are described in `kiln_contract.vectors`, which reads them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from codegen.entries import Entry, Repeat, RepeatText, pointer
from codegen.model import Contract, SchemaError
from codegen.semantic_vectors import semantic_entries
from codegen.vectors import schema_entries

ROOT: Final = "root"
"""The folder for the root of the main schema, which is no definition."""

WIDTH: Final = 120
MAX_DOCUMENT: Final = 65_536
"""Longer documents are stored as recipes."""


def vector_files(contract: Contract, folder: Path) -> dict[Path, bytes]:
    """Every vector file below `folder`, as bytes by path."""
    files = {folder / (name or ROOT) / "schema.json": entries for name, entries in schema_entries(contract).items()}
    files |= {folder / name / "semantics.json": entries for name, entries in semantic_entries(contract).items()}
    return {path: _render(entries) for path, entries in files.items()}


def _render(entries: list[Entry]) -> bytes:
    return (pretty([_stored(entry) for entry in entries]) + "\n").encode()


def _stored(entry: Entry) -> dict[str, Any]:
    return {
        "constraints": list(entry.constraints),
        "accepted": [store(document) for document in entry.accepted],
        "refused": [{**store(case.document), "pointer": case.pointer, "rule": case.rule} for case in entry.refused],
    }


def store(document: Any) -> dict[str, Any]:
    """A document as it stands in a file: itself, or a recipe when part of it is a repetition."""
    steps: list[dict[str, Any]] = []
    base = _without_repeats(document, (), steps)
    if steps:
        return {"recipe": {"base": base, "repeat": steps}}
    if len(json.dumps(document)) > MAX_DOCUMENT:
        raise SchemaError("a vector is too long to be spelled out; build it with Repeat or RepeatText")
    return {"document": document}


def _without_repeats(value: Any, path: tuple[str | int, ...], steps: list[dict[str, Any]]) -> Any:
    match value:
        case Repeat():
            steps.append({"at": pointer(path), "item": value.item, "count": value.count})
            return None
        case RepeatText():
            steps.append({"at": pointer(path), "text": value.text, "count": value.count})
            return None
        case dict():
            return {key: _without_repeats(inner, (*path, key), steps) for key, inner in value.items()}
        case list():
            return [_without_repeats(inner, (*path, index), steps) for index, inner in enumerate(value)]
    return value


def pretty(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON text, ASCII only, in which a value that fits on its line stays on it; `before` characters precede it."""
    flat = json.dumps(value)
    if indent + before + len(flat) < WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner = indent + 2
    if isinstance(value, dict):
        keys = [json.dumps(key) + ": " for key in value]
        lines = [key + pretty(item, inner, len(key)) for key, item in zip(keys, value.values(), strict=True)]
    else:
        lines = [pretty(item, inner) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = ",\n".join(" " * inner + line for line in lines)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"
