"""What a validator reports: one `Violation` per cause, and the exception that carries them.

A violation never holds document content unless the caller asked for values: `got` is the JSON type of the offending
value, and keys that come from the document are cut in pointers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

MAX_MESSAGE: Final = 300
MAX_POINTER: Final = 1024
MAX_KEY: Final = 64
MAX_SHOWN_VALUE: Final = 80

DEFAULT_MAX_ERRORS: Final = 100


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One broken rule of the contract.

    `pointer` is a JSON Pointer into the document ("" is the whole document), `schema_ref` one into the schema file
    (empty for rules of JSON itself and of streams). `event` is the zero-based index of the event in a stream.
    """

    pointer: str
    rule: str
    keyword: str
    schema_ref: str
    message: str
    expected: str
    got: str
    event: int | None = None


class ContractViolation(ValueError):  # noqa: N818 - named for what happened, as the public API documents it
    """A document breaks the contract. `violations` lists every cause, in a deterministic order."""

    def __init__(self, name: str, violations: Sequence[Violation]) -> None:
        self.name = name
        self.violations = tuple(violations)
        super().__init__(name, self.violations)

    def __str__(self) -> str:
        count = len(self.violations)
        noun = "violation" if count == 1 else "violations"
        lines = [f"{self.name}: {count} {noun} of the contract"]
        lines += [f"  {v.pointer or '(document)'}: {v.message} [{v.rule}]" for v in self.violations]
        return "\n".join(lines)


def json_type(value: object) -> str:
    """The JSON type name of a decoded value; a Python type outside JSON is named as such.

    Outside are subclasses of `str`, `list` and `dict` as well: they can behave like anything.
    """
    match value:
        case str() | list() | dict() if type(value) not in (str, list, dict):
            return f"Python {type(value).__name__}"
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case msgspec.Raw():
            return "raw JSON"
        case _:
            return f"Python {type(value).__name__}"


def pointer(segments: Iterable[str | int]) -> str:
    """Join path segments to a JSON Pointer (RFC 6901), cutting long keys and the whole at their limits."""
    parts = []
    for segment in segments:
        key = str(segment)
        if len(key) > MAX_KEY:
            key = key[: MAX_KEY - 1] + "…"
        parts.append("/" + key.replace("~", "~0").replace("/", "~1"))
    return clip("".join(parts), MAX_POINTER)


def clip(text: str, limit: int) -> str:
    """Cut text to at most `limit` code points, marking the cut with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
