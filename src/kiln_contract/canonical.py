"""Canonical JSON: the one byte string of a JSON value that the contract's hashes are taken over.

Compact UTF-8 in the spelling of serde_json, so that a Rust peer computes the same digest: members of free objects
sorted by the UTF-8 bytes of their keys, members of fixed shapes (`Ordered`, msgspec Structs) in declaration order,
integers verbatim, floats in the shortest form that reads back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

import msgspec

from kiln_contract.errors import json_type, pointer
from kiln_contract.plain_json import read_plain

MAX_DEPTH: Final = 1024
"""Containers inside one another; more than the readers of the contract accept, so only a cycle gets here."""

_encode_text = json.JSONEncoder(ensure_ascii=False).encode
_CONSTANTS: Final = {None: b"null", True: b"true", False: b"false"}


class CanonicalError(ValueError):
    """A value has no canonical JSON. `pointer` says where it goes wrong; nothing of the value itself is shown."""

    def __init__(self, pointer: str, reason: str) -> None:
        self.pointer = pointer
        self._reason = reason
        super().__init__(f"{pointer or '(document)'}: {reason}")

    def __reduce__(self) -> tuple[type[CanonicalError], tuple[str, str]]:
        return type(self), (self.pointer, self._reason)


class Ordered(dict[str, object]):
    """An object of fixed shape: its members are written in the order they were given, nulls included."""


def dumps(value: object) -> bytes:
    """The canonical JSON of a decoded JSON value.

    Takes None, bool, int, float, str, list, tuple, dict, `Ordered`, `msgspec.Raw` (decoded first) and msgspec Structs
    (declaration order, fields that are UNSET or None left out). Raises CanonicalError for NaN, infinities, lone
    surrogates, keys that are no strings, integers past Python's digit limit, other types, more than MAX_DEPTH levels.
    """
    return _Writer().write(value)


def format_float(value: float) -> str:
    """A finite float as serde_json spells it: decimal from 1e-5 up to below 1e16, else an exponent without `+`."""
    mantissa, mark, exponent = float.__repr__(value).partition("e")
    if not mark:
        return mantissa
    if exponent == "-05":  # the one decade where Python already uses an exponent and serde_json does not
        sign = "-" if mantissa.startswith("-") else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{int(exponent)}"


class _Container:
    """A list or object being written: the members still to come, and the key of the last one taken."""

    __slots__ = ("closer", "is_object", "key", "members")

    def __init__(self, members: Iterator[tuple[str | int, object]], *, is_object: bool) -> None:
        self.members = members
        self.is_object = is_object
        self.closer = b"}" if is_object else b"]"
        self.key: str | int | None = None


class _Writer:
    """Writes one value with an explicit stack: the depth of a document never becomes the depth of Python's stack."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._open: list[_Container] = []

    def write(self, value: object) -> bytes:
        self._put(value)
        while self._open:
            container = self._open[-1]
            member = next(container.members, None)
            if member is None:
                self._parts.append(container.closer)
                self._open.pop()
            else:
                self._lead(container, member[0])
                self._put(member[1])
        return b"".join(self._parts)

    def _lead(self, container: _Container, key: str | int) -> None:
        """Write what stands before a member: the comma, and in an object the key."""
        if container.key is not None:
            self._parts.append(b",")
        if isinstance(key, str):
            text = self._text(key, "a key")  # before it becomes part of the pointer
            self._parts += (text, b":")
        container.key = key

    def _put(self, value: object) -> None:
        match value:
            case None | True | False:
                self._parts.append(_CONSTANTS[value])
            case str():
                self._parts.append(self._text(value, "the string"))
            case int():
                self._parts.append(self._integer(value))
            case float():
                self._parts.append(self._float(value))
            case list() | tuple():
                self._enter(_Container(iter(enumerate(value)), is_object=False))
            case dict():
                self._enter(_Container(self._members(value), is_object=True))
            case msgspec.Struct():
                self._enter(_Container(_fields(value), is_object=True))
            case msgspec.Raw():
                self._put(self._decode(value))
            case _:
                raise self._error(f"{json_type(value)} is no JSON value; convert it before hashing")

    def _enter(self, container: _Container) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH} levels (or a value that contains itself)")
        self._parts.append(b"{" if container.is_object else b"[")
        self._open.append(container)

    def _members(self, value: dict[object, object]) -> Iterator[tuple[str, object]]:
        members = [(key, child) for key, child in value.items() if isinstance(key, str)]
        if len(members) != len(value):
            raise self._error("every key of an object must be a string")
        # Python compares strings by code point, and code points sort as their UTF-8 bytes do.
        return iter(members if isinstance(value, Ordered) else sorted(members, key=itemgetter(0)))

    def _text(self, value: str, what: str) -> bytes:
        try:
            return _encode_text(value).encode()
        except UnicodeEncodeError:
            raise self._error(f"{what} holds a lone surrogate, which UTF-8 cannot carry; replace it") from None

    def _integer(self, value: int) -> bytes:
        try:
            return int.__repr__(value).encode()
        except ValueError:
            raise self._error("the integer has more digits than Python writes (4,300 by default)") from None

    def _float(self, value: float) -> bytes:
        if not math.isfinite(value):
            raise self._error("NaN and infinities are no JSON numbers; use a finite number or null")
        return format_float(value).encode()

    def _decode(self, raw: msgspec.Raw) -> object:
        try:
            value: object = read_plain(raw)
            return value
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise self._error("the raw JSON cannot be read; pass text that is valid JSON") from None
        except RecursionError:
            raise self._error("the raw JSON is nested deeper than the parser reads") from None

    def _error(self, reason: str) -> CanonicalError:
        # A container that is being entered has no key yet: the pointer then names the container itself.
        return CanonicalError(pointer(c.key for c in self._open if c.key is not None), reason)


def _fields(struct: msgspec.Struct) -> Iterator[tuple[str, object]]:
    """The members of a Struct in declaration order, its tag first; UNSET and None count as absent."""
    config = struct.__struct_config__
    if config.tag_field is not None:
        yield config.tag_field, config.tag
    for name, attribute in zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True):
        value = getattr(struct, attribute)
        if value is not None and value is not msgspec.UNSET:
            yield name, value
