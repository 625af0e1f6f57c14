"""Decode, convert, check and encode: msgspec on the fast path, the exact validator whenever that one refuses."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final, Literal, TypeVar, overload

import msgspec

from kiln_contract._generated.checks import CHECKS, READ_WHOLE, READERS
from kiln_contract._generated.structs import DEFINITIONS
from kiln_contract.errors import DEFAULT_MAX_ERRORS, ContractViolation, Violation, pointer
from kiln_contract.plain_json import builtins_of, finite_float
from kiln_contract.validate import collect, known, validate

T = TypeVar("T", bound=msgspec.Struct)
Opaque = Literal["value", "raw"]

NAMES: Final[dict[Any, str]] = {
    type_: name for name, type_ in DEFINITIONS.items() if isinstance(type_, type) and issubclass(type_, msgspec.Struct)
}
"""Definition names by Struct. Aliases are left out: equal ones, such as two nullable strings, cannot be told apart."""

_Reader = Callable[[Any], Any]
"""Reads a body on the fast path, and raises what `decode` catches where that does not do."""

_readers: Final[dict[str, dict[Any, _Reader]]] = {"value": {}, "raw": {}}

_ENCODER: Final = msgspec.json.Encoder()


@overload
def decode(
    type_: type[T],
    body: bytes | str,
    *,
    strict: bool = ...,
    opaque: Opaque = ...,
    max_errors: int = ...,
    show_values: bool = ...,
) -> T: ...
@overload
def decode(
    type_: str,
    body: bytes | str,
    *,
    strict: bool = ...,
    opaque: Opaque = ...,
    max_errors: int = ...,
    show_values: bool = ...,
) -> Any: ...
def decode(
    type_: Any,
    body: bytes | str,
    # Keyword-only for every type checker; at run time a positional default costs a small request 10 % less.
    strict: bool = False,
    opaque: Opaque = "value",
    max_errors: int = DEFAULT_MAX_ERRORS,
    show_values: bool = False,
) -> Any:
    """Decode JSON text into a Struct of the contract (or, by name, into any definition's type).

    `strict` also refuses duplicate keys and nesting past 128 containers. `opaque="raw"` keeps tool definitions, calls
    and template arguments as `msgspec.Raw`; inside those only syntax and UTF-8 are checked.

    Raises ContractViolation with every violation, at most `max_errors` of them.
    """
    try:
        read = _readers[opaque][type_]
    except KeyError:
        read = _prepare(type_, opaque)
    try:
        if not strict:
            return read(body)
        value = read(body)
        if not _strictly_wrong(body):
            return value
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass  # the exact path below finds out why, or that the document conforms after all
    return _decode_exactly(type_, body, strict, opaque, max_errors, show_values)


def convert(type_: type[T], value: Any, *, max_errors: int = DEFAULT_MAX_ERRORS, show_values: bool = False) -> T:
    """Build a Struct of the contract from a decoded JSON value. Raises ContractViolation with every violation."""
    from kiln_contract.recover import recover_value

    _require(name_of(type_), value, max_errors, show_values)
    built: T = recover_value(type_, value)
    return built


def check(value: msgspec.Struct, *, max_errors: int = DEFAULT_MAX_ERRORS, show_values: bool = False) -> None:
    """Check a Struct built in Python, as `encode` would write it. Raises ContractViolation with every violation."""
    _require(name_of(type(value)), builtins_of(value), max_errors, show_values)


def _require(name: str, value: Any, max_errors: int, show_values: bool) -> None:
    found = validate(name, value, max_errors=max_errors, show_values=show_values)
    if found:
        raise ContractViolation(name, found)


def encode(value: Any) -> bytes:
    """Encode a Struct or JSON value as compact UTF-8.

    Raises ContractViolation for NaN and infinities, which JSON cannot hold, and for lone surrogates.
    """
    try:
        body = _ENCODER.encode(value)
    except UnicodeEncodeError as error:
        message = "remove the lone surrogate: UTF-8 cannot hold it"
        raise ContractViolation(type(value).__name__, [_unencodable("json.utf8", "", message, "string")]) from error
    # msgspec writes a number that is not finite as null, so text without a null has none.
    if b"null" in body and not _reads_back(value, body):
        _refuse_non_finite(value)
    return body


def name_of(type_: Any) -> str:
    """The definition that a Struct of the contract, or a name, stands for. Raises TypeError for anything else."""
    if isinstance(type_, str):
        known(type_)
        return type_
    for candidate in getattr(type_, "__mro__", ()):
        if candidate in NAMES:
            return NAMES[candidate]
    raise TypeError(f"{type_!r} is no Struct of the contract; pass one, or a definition's name as a string")


def _prepare(type_: Any, opaque: Opaque) -> _Reader:
    if opaque not in _readers:
        raise ValueError(f'opaque must be "value" or "raw", got {opaque!r}')
    definition = DEFINITIONS[name_of(type_)]
    struct = _struct(type_, opaque)
    if not (isinstance(struct, type) and issubclass(struct, msgspec.Struct)):
        return _refuse  # aliases are small: the exact path alone serves them
    decode = msgspec.json.Decoder(struct, float_hook=finite_float).decode
    if definition in READERS:
        read = READERS[definition](decode, _require_utf8)
    else:
        whole = definition in READ_WHOLE and struct is definition
        read = _reader(decode, CHECKS.get(definition), whole)
    _readers[opaque][type_] = read
    return read


def _reader(decode: _Reader, holds: Callable[[Any], bool] | None, whole: bool) -> _Reader:
    """Decoding with the check of what was decoded, if there is any. `whole` says that all of a body is looked at."""

    def read(body: bytes | str) -> Any:
        value = decode(body)
        if holds is not None and not holds(value):
            raise msgspec.ValidationError
        if not whole and not body.isascii():
            _require_utf8(body)
        return value

    return read


def _struct(type_: Any, opaque: Opaque) -> Any:
    struct = DEFINITIONS[name_of(type_)]
    if opaque == "raw":
        from kiln_contract._generated.raw import RAW

        return RAW.get(struct, struct) if isinstance(struct, type) else struct
    return struct


def _refuse(_: Any) -> Any:
    raise msgspec.ValidationError


def _require_utf8(body: bytes | str) -> None:
    """Raise UnicodeDecodeError for what msgspec did not see: it skips over what it ignores, and over raw JSON."""
    if not isinstance(body, str):  # msgspec has encoded a str
        body.decode()


def _strictly_wrong(body: bytes | str) -> bool:
    from kiln_contract.reader import scan_strict

    return bool(scan_strict(body.encode() if isinstance(body, str) else body, max_errors=1))


def _decode_exactly(
    type_: Any, body: bytes | str, strict: bool, opaque: Opaque, max_errors: int, show_values: bool
) -> Any:
    # The fast path never reads exactly, and importing the package must not pay for it.
    from kiln_contract.reader import read
    from kiln_contract.recover import recover_text

    name = name_of(type_)
    struct = _struct(type_, opaque)
    document = read(body, strict=strict, max_errors=max_errors)
    found = document.violations or collect(
        name,
        document.value,
        semantics=True,
        max_errors=max_errors,
        show_values=show_values,
        # An alias has no raw form: its opaque parts are decoded whatever was asked for.
        walk_opaque=document.inexact and (opaque == "value" or struct is DEFINITIONS[name]),
    )
    if found:
        raise ContractViolation(name, found)
    return recover_text(struct, body.encode() if isinstance(body, str) else body)


def _reads_back(value: Any, body: bytes) -> bool:
    """Whether the text stands for the value. If so, no null stands for a number: NaN does not even equal itself."""
    try:
        return bool(msgspec.json.decode(body, type=type(value)) == value)
    except (msgspec.MsgspecError, RecursionError, TypeError):
        return False  # a value that was built loosely, or not by types at all


def _refuse_non_finite(value: Any) -> None:
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, current = stack.pop()
        if isinstance(current, msgspec.Struct):
            stack.extend(((*path, name), getattr(current, name)) for name in current.__struct_fields__)
        elif isinstance(current, dict):
            stack.extend(((*path, key), inner) for key, inner in current.items())
        elif isinstance(current, list | tuple):
            stack.extend(((*path, index), inner) for index, inner in enumerate(current))
        elif isinstance(current, float) and not isfinite(current):
            message = "use a finite number: JSON has no NaN and no infinity"
            name = type(value).__name__
            raise ContractViolation(name, [_unencodable("number.finite", pointer(path), message, "number")])


def _unencodable(rule: str, at: str, message: str, got: str) -> Violation:
    return Violation(
        pointer=at, rule=rule, keyword="", schema_ref="", message=message, expected="encodable JSON", got=got
    )
