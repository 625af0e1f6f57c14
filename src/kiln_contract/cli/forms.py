"""The forms that a file of documents takes, told by its name or by how it begins."""

from __future__ import annotations

import re
from os.path import splitext
from typing import Final, Literal, TypeAlias

from kiln_contract.reader import read

Form: TypeAlias = Literal["json", "jsonl", "sse"]

EXTENSIONS: Final[dict[str, Form]] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".sse": "sse"}

_STREAM: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?::|(?:data|event|id|retry)(?::|\r|\n|\Z))")


def form_of_name(path: str) -> Form | None:
    """The form that a file name's extension stands for; None for a name that says nothing."""
    return EXTENSIONS.get(splitext(path)[1].lower())


def form_of_start(line: bytes) -> Form:
    """The form of a text whose first line that is not blank is `line`.

    No JSON text starts like a field of an event stream, and no single document goes on after a line that is complete.
    """
    if _STREAM.match(line):
        return "sse"
    return "json" if read(line, strict=False).violations else "jsonl"
