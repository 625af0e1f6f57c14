"""Printf-style formatting, piece by piece, so that the literal text can be told from the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

_CONVERSION: Final = re.compile(r"%(?:\(([^)]*)\))?([#0\- +]*\d*(?:\.\d+)?[a-zA-Z%])")


def pieces(pattern: str, values: Any) -> Iterable[tuple[str, bool]]:
    """The text of `pattern % values` in pieces, each with whether it is literal text of the pattern.

    A value that is a string and shown unchanged is handed on as it is. A pattern with a width taken from the values
    (`%*d`) comes back as one piece that is not literal. Raises what `pattern % values` raises.
    """
    whole = str.__mod__(pattern, values)
    found = list(_pieces(pattern, values))
    return found if "".join(text for text, _ in found) == whole else [(whole, False)]


def _pieces(pattern: str, values: Any) -> Iterator[tuple[str, bool]]:
    arguments = iter(values if isinstance(values, tuple) else (values,))
    position = 0
    for match in _CONVERSION.finditer(pattern):
        yield str(pattern)[position : match.start()], True
        position = match.end()
        key, conversion = match.groups()
        if conversion == "%":
            yield "%", True
        else:
            value = next(arguments, "") if key is None else values[key]
            yield _shown(conversion, value), False
    yield pattern[position:], True


def _shown(conversion: str, value: Any) -> str:
    return value if conversion == "s" and isinstance(value, str) else f"%{conversion}" % (value,)
