"""Build a Struct from a document that is valid although msgspec's types refuse it.

JSON Schema 2020-12 counts `16.0` as an integer and msgspec does not. Such documents are rare, so the fast path may
refuse them; here they are rebuilt piece by piece, each piece by msgspec where it can.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Final, Literal, Protocol, Union, get_args, get_origin

import msgspec

from kiln_contract.number import integer_of, is_number, read_float
from kiln_contract.plain_json import finite_float

CANNOT: Final[Any] = object()
"""What a rebuild gives when the value is not of that type at all."""


class Source(Protocol):
    """A document to rebuild from: JSON text, or values decoded from it."""

    def typed(self, value: Any, type_: Any) -> Any:
        """Convert in one go; raises msgspec.ValidationError."""

    def items(self, value: Any) -> list[Any] | None:
        """The items of an array, or None when `value` is none."""

    def members(self, value: Any) -> dict[str, Any] | None:
        """The members of an object, or None when `value` is none."""

    def number(self, value: Any) -> Any:
        """The exact number that `value` is, or anything else when it is none."""


class _Values:
    def typed(self, value: Any, type_: Any) -> Any:
        return msgspec.convert(value, type_)

    def items(self, value: Any) -> list[Any] | None:
        return value if isinstance(value, list) else None

    def members(self, value: Any) -> dict[str, Any] | None:
        return value if isinstance(value, dict) else None

    def number(self, value: Any) -> Any:
        return value


class _Text:
    def typed(self, value: Any, type_: Any) -> Any:
        return msgspec.json.Decoder(type_, float_hook=finite_float).decode(value)

    def items(self, value: Any) -> list[Any] | None:
        return msgspec.json.decode(value, type=list[msgspec.Raw]) if _starts(value, b"[") else None

    def members(self, value: Any) -> dict[str, Any] | None:
        return msgspec.json.decode(value, type=dict[str, msgspec.Raw]) if _starts(value, b"{") else None

    def number(self, value: Any) -> Any:
        return msgspec.json.Decoder(float_hook=read_float).decode(value)


def _starts(value: Any, bracket: bytes) -> bool:
    return bytes(value).lstrip()[:1] == bracket


def recover_value(type_: Any, value: Any) -> Any:
    """Build `type_` from a decoded JSON value that conforms to its schema."""
    return _recover(type_, value, _Values())


def recover_text(type_: Any, body: bytes) -> Any:
    """Build `type_` from JSON text that conforms to its schema; opaque parts keep their text where they are Raw."""
    return _recover(type_, body, _Text())


def _recover(type_: Any, value: Any, source: Source) -> Any:
    try:
        return source.typed(value, type_)
    except msgspec.ValidationError:
        rebuilt = _rebuild(type_, value, source)
        if rebuilt is CANNOT:
            raise
        return rebuilt


def _rebuild(type_: Any, value: Any, source: Source) -> Any:
    origin = get_origin(type_)
    arguments = get_args(type_)
    if origin is Annotated:
        return _rebuild(arguments[0], value, source)
    if origin in (Union, UnionType):
        rebuilt = (_rebuild(part, value, source) for part in arguments)
        return next((part for part in rebuilt if part is not CANNOT), CANNOT)
    if origin is list and (items := source.items(value)) is not None:
        return [_recover(arguments[0], item, source) for item in items]
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct) and (members := source.members(value)) is not None:
        fields = (field for field in msgspec.structs.fields(type_) if field.name in members)
        return type_(**{field.name: _recover(field.type, members[field.name], source) for field in fields})
    if origin is dict and (members := source.members(value)) is not None:
        return {key: _recover(arguments[1], member, source) for key, member in members.items()}
    if type_ in (int, float) or origin is Literal:
        return _rebuild_number(type_, source.number(value))
    return CANNOT


def _rebuild_number(type_: Any, number: Any) -> Any:
    if type_ is float:
        return float(number) if is_number(number) else CANNOT
    exact = integer_of(number)
    return CANNOT if exact is None else exact
