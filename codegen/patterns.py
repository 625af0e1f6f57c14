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
    for token in _TOKEN.findall(pattern):
        if token.startswith("\\") and len(token) == 2 and token[1] not in _SAME_ESCAPES:
            raise SchemaError(f"pattern {pattern!r}: {token} has another meaning in Python; spell the class out")
        if token in "[]":
            in_class = token == "["
        if token == "." and not in_class:
            raise SchemaError(f"pattern {pattern!r}: '.' excludes other line ends in ECMA; spell the class out")
        out.append(r"\Z" if token == "$" and not in_class else token)
    translated = "".join(out)
    re.compile(translated)
    return translated
