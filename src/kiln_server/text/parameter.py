"""The value of a tool's parameter that a model wrote as plain text.

The tool's JSON schema tells how to read it:

- If text is all that the schema allows, the value is the text as it stands, even if it reads as a number. Beside text
  the schema may allow null: that is the text `null` alone.
- If it allows text among other types, the value is of one of the others if it reads as one, and else the text: text
  fits anything, so it comes last, wherever it is named.
- If it allows no text, the value is of a type that it names. What reads as none of them is treated as if no type were
  named, and the tool will say what is wrong with it.
- If it names no type, or one of its alternatives names none, the value is JSON if it reads as JSON, and else the text.

What reads as JSON is of the type it has there; a number without a fraction is an integer, even as `2.0`. Where the
schema names them, `True` and `False` read as booleans and `None` as null: models write Python's spelling, too.

A schema names types with `type`, the values of `const` or `enum`, the schema that `$ref` points to within the tool's
own parameters, or the alternatives in `anyOf`, `oneOf` or `allOf`. The first of these that is there counts: the rest
can only narrow it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kiln_contract.plain_json import read_plain

_MOST: Final = 4096
"""How much of a schema is looked at: endless references come to an end, and one value costs little."""
_MOST_NAMES: Final = 32
"""How many names a reference may hold."""

_PYTHON: Final[Mapping[str, bool | None]] = {"True": True, "False": False, "None": None}
_NAMING: Final = ("type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf")
_TEXT_ALONE: Final = ({"string"}, {"string", "null"})


def parameter_value(text: str, schema: Any, root: Any) -> Any:
    """The value of a parameter with this schema; `root` is that of all parameters of its tool."""
    types = _types_named(schema, root)
    bare = text.strip()
    if types in _TEXT_ALONE:
        return None if "null" in types and bare == "null" else text
    value = _PYTHON[bare] if types and bare in _PYTHON else _as_json(bare, otherwise=text)
    if not types or not types.isdisjoint(_types_of(value) - {"string"}):
        return value
    return text if "string" in types else _as_json(bare, otherwise=text)


def _as_json(text: str, *, otherwise: str) -> Any:
    try:
        return read_plain(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return otherwise  # the model wrote no JSON: the text is all there is


def _types_of(value: Any) -> set[str]:
    """What JSON Schema calls a value."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"integer", "number"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
    return {"object"}


def _types_named(schema: Any, root: Any) -> set[str]:
    """All types that a schema allows by name; none if it allows anything."""
    types: set[str] = set()
    pending = [schema]
    left = _MOST
    while pending:
        schema = pending.pop()
        keyword = _naming(schema)
        value = schema[keyword] if keyword else None
        left -= len(value) if isinstance(value, list) else 1
        if left < 0:
            return set()
        match keyword, value:
            case "type", str():
                types.add(value)
            case "type", list():
                types.update(name for name in value if isinstance(name, str))
            case "const", _:
                types |= _types_of(value)
            case "enum", [_, *_]:
                types.update(*map(_types_of, value))
            case "$ref", str():
                pending.append(_pointed_to(value, root))
            case "anyOf" | "oneOf", [_, *_]:
                pending += value
            case "allOf", list():
                # All hold at once, so one that names types is enough.
                pending.append(next((part for part in value if _naming(part)), None))
            case _:
                return set()
    return types


def _naming(schema: Any) -> str | None:
    """The keyword by which a schema names types."""
    return next((name for name in _NAMING if name in schema), None) if isinstance(schema, dict) else None


def _pointed_to(pointer: str, root: Any) -> Any:
    """The schema that a JSON Pointer within `root` points to; None if there is none."""
    start, *names = pointer.split("/", _MOST_NAMES)
    found = root if start == "#" else None
    for name in names:
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found
