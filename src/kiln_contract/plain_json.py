"""Read JSON without types in time that follows its length.

msgspec reads a float of a large exponent two hundred times slower than others, and everything waits meanwhile: a body
of 8 MiB can take half a minute. Given a function for floats, it does not.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec


def finite_float(text: str) -> float:
    """Read a literal in float notation. Raises ValueError for one that overflows a double."""
    value = float(text)
    if value - value:  # infinite: the difference is NaN
        raise ValueError("the number is larger than a double can hold")
    return value


_decode: Final = msgspec.json.Decoder(float_hook=finite_float).decode


def builtins_of(struct: msgspec.Struct) -> Any:
    """A Struct as the JSON value that it stands for, raw parts decoded. Raises as `read_plain` does, for those."""
    return msgspec.to_builtins(struct, enc_hook=_decoded)


def _decoded(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return read_plain(value)
    raise TypeError(f"a {type(value).__name__} is no JSON value")


def read_plain(text: bytes | str | msgspec.Raw) -> Any:
    """The value of a JSON text. Raises what msgspec raises: DecodeError, UnicodeDecodeError or RecursionError."""
    return _decode(text)
