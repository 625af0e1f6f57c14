"""ECMA-262 patterns, as JSON Schema means them, written for Python's `re`."""

from __future__ import annotations

import re
from typing import Final

from codegen.model import SchemaError

_TOKEN: Final = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|\[|\]|\$|.", re.DOTALL)
_SAME_ESCAPES: Final = frozenset(r"\/.*+?()[]{}|^$-")


def python_pattern(pattern: str) -> str:
    """Translate a pattern so that it means the same in Python.

    In ECMA `$` is the very end of the text, in Python it also matches before a last newline, so it becomes `\\Z`.
    Classes such as `\\d` differ between the two (Unicode digits), and are refused rather than approximated.
    """
    out = []
    in_class = False
    for piece in _TOKEN.findall(pattern):
        if piece.startswith("\\") and len(piece) == 2 and piece[1] not in _SAME_ESCAPES:
            raise SchemaError(f"pattern {pattern!r}: {piece} has another meaning in Python; spell the class out")
        if piece in "[]":
            in_class = piece == "["
        if piece == "." and not in_class:
            raise SchemaError(f"pattern {pattern!r}: '.' excludes other line ends in ECMA; spell the class out")
        out.append(r"\Z" if piece == "$" and not in_class else piece)
    translated = "".join(out)
    re.compile(translated)
    return translated
