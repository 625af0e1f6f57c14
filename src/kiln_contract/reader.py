"""Read JSON text exactly: strict where readers disagree, and without losing a digit.

The strict reader refuses what RFC 8259 leaves to chance (duplicate keys), what is no JSON at all (NaN, a byte order
mark), what no UTF-8 text can hold, and nesting that could exhaust a stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation, pointer
from kiln_contract.number import EXACT_BELOW, MAX_DIGITS, ExactFloat, is_finite, read_float, read_integer

MAX_DEPTH: Final = 128
"""Containers inside one another that the strict reader accepts."""

RULES: Final[dict[str, str]] = {
    "json.syntax": "The text is one JSON value (RFC 8259) and nothing else.",
    "json.utf8": "The text is valid UTF-8, and no escape stands for half a character.",
    "json.duplicate-key": "No object names a member twice.",
    "json.depth": "Containers are nested no deeper than the reader follows (128 when strict).",
    "json.number": "An integer has at most 4300 digits.",
    "json.value": "A decoded value holds JSON types only.",
}

_STRUCTURE: Final = b'"\\[]{}'
_NOT_STRUCTURE: Final = bytes(sorted(set(range(256)) - set(_STRUCTURE)))
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_HUGE: Final = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|(?<![.eE+0-9-])(?:[1-9][0-9]|-[1-9])[0-9]{%d,}+(?![.eE])' % (MAX_DIGITS - 1),
    re.DOTALL,
)
"""Strings, to step over them, and integers too long to be read."""
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class Document(NamedTuple):
    """What reading gave: the value, or the violations that stand in its way.

    `inexact` says that some number overflows a double or is too long to be read; such numbers still have to be found.
    """

    value: Any
    violations: list[Violation]
    inexact: bool = False


class _Numbers:
    """Reads number literals, noting whether any cannot be held."""

    def __init__(self) -> None:
        self.inexact = False

    def float(self, text: str) -> float:
        plain = float(text)
        if -EXACT_BELOW < plain < EXACT_BELOW and not plain.is_integer():
            return plain  # what most numbers are; the rest need a closer look
        value = read_float(text)
        if isinstance(value, ExactFloat) and not is_finite(value):
            self.inexact = True
        return value

    def integer(self, text: str) -> Any:
        value = read_integer(text)
        if not isinstance(value, int):
            self.inexact = True
        return value


def read(body: bytes | str, *, strict: bool = True, max_errors: int = DEFAULT_MAX_ERRORS) -> Document:
    """Read one JSON document. Without `strict`, the last of duplicate keys counts and depth is the parser's limit."""
    if isinstance(body, str):
        try:
            body = body.encode()
        except UnicodeEncodeError as error:
            return _refused("json.utf8", f"remove the lone surrogate at character {error.start}: UTF-8 cannot hold it")
    document = _parse(body)
    if document.violations or not strict:
        return document
    return Document(document.value, scan_strict(body, max_errors=max_errors), document.inexact)


def scan_strict(body: bytes, *, max_errors: int = DEFAULT_MAX_ERRORS) -> list[Violation]:
    """What only the strict reader refuses in a document that parses: nesting and duplicate keys."""
    if depth_exceeds(body, MAX_DEPTH):
        return _too_deep().violations
    return _duplicates(body, max_errors)


def depth_exceeds(body: bytes, limit: int) -> bool:
    """Whether JSON text nests containers deeper than `limit`, found without recursion."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    if b"\\" not in body:
        body = body.translate(None, _NOT_STRUCTURE)  # much shorter, and quotes still pair up
    depth = 0
    for bracket in _STRING.sub(b"", body).translate(None, _NOT_STRUCTURE):
        depth += 1 if bracket in b"[{" else -1
        if depth > limit:
            return True
    return False


def _parse(body: bytes) -> Document:
    numbers = _Numbers()
    try:
        return Document(msgspec.json.Decoder(float_hook=numbers.float).decode(body), [], numbers.inexact)
    except msgspec.ValidationError:
        return _parse_huge(body)
    except msgspec.DecodeError as error:
        return _explain(body, str(error))
    except RecursionError:
        return _too_deep()


def _parse_huge(body: bytes) -> Document:
    """Read text that holds an integer beyond 4300 digits.

    msgspec refuses those even where nothing looks at them, so the standard reader reads the value. It lets much pass,
    which is why msgspec still judges the text, in a copy that has floats of the same length in their place.
    """
    numbers = _Numbers()
    try:
        msgspec.json.Decoder(float_hook=len).decode(_HUGE.sub(_as_float, body))
        value = json.loads(body, parse_float=numbers.float, parse_int=numbers.integer)
    except msgspec.DecodeError as error:
        return _explain(body, str(error))
    except RecursionError:
        return _too_deep()
    return Document(value, [], numbers.inexact)


def _as_float(token: re.Match[bytes]) -> bytes:
    text = token[0]
    return text if text.startswith(b'"') else b"1." + b"0" * (len(text) - 2)


def _explain(body: bytes, reason: str) -> Document:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return _refused("json.utf8", f"send valid UTF-8: byte {error.start} does not belong to a character")
    if body.startswith(b"\xef\xbb\xbf"):
        return _refused("json.syntax", "remove the byte order mark before the JSON text")
    try:
        # The standard reader says best where and why; it lets constants and lone surrogates pass.
        json.loads(body, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return _refused("json.syntax", f"send one complete JSON value: {_uncapitalised(error.msg)} at {place}")
    except RecursionError:
        return _too_deep()
    except ValueError as error:
        return _refused("json.syntax", str(error))
    if _SURROGATE.search(body):
        return _refused("json.utf8", "remove the lone surrogate escape: \\ud800 to \\udfff come in pairs only")
    return _refused("json.syntax", f"send one complete JSON value: {reason}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"send a number or null instead of {name}: JSON has no such constant")


def _uncapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


class _Twice(Exception):  # noqa: N818 - a signal between two functions of this module
    """Some object names a member twice."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    # Values need no keeping: an object's own names are all that is compared.
    if len(dict(pairs)) != len(pairs):
        raise _Twice


_SCAN_NAMES: Final = json.JSONDecoder(object_pairs_hook=_once, parse_float=str, parse_int=str).decode


_READ: Final = msgspec.json.Decoder(float_hook=len).decode  # numbers have no names
_WRITE: Final = msgspec.json.Encoder().encode


def _names_each_once(body: bytes) -> bool:
    """Whether it is certain, at a third of the cost of looking, that no object of JSON text names a member twice.

    Of members of one name msgspec keeps the last, so text that is written again has a colon less for each other one.
    Strings keep their colons, and can get more only from an escape by number.
    """
    if b"\\u" in body:
        return False
    try:
        again = _WRITE(_READ(body))
    except msgspec.MsgspecError:  # an integer that msgspec does not read
        return False
    return again.count(b":") == body.count(b":")


def _duplicates(body: bytes, max_errors: int) -> list[Violation]:
    if _names_each_once(body):
        return []
    try:
        _SCAN_NAMES(body.decode())
    except _Twice:
        return list(_find_duplicates(body, max_errors))
    return []


class _Pairs(list[tuple[str, Any]]):
    """An object that still has its members in writing order, each one."""


def _find_duplicates(body: bytes, max_errors: int) -> Iterator[Violation]:
    root = json.loads(body, object_pairs_hook=_Pairs, parse_float=str, parse_int=str)
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    count = 0
    while stack and count < max_errors:
        path, value = stack.pop()
        if isinstance(value, _Pairs):
            seen: set[str] = set()
            for key, _ in value:
                if key in seen and count < max_errors:
                    count += 1
                    yield _violation("json.duplicate-key", "give this member once", "each key once", (*path, key))
                seen.add(key)
            stack.extend(((*path, key), inner) for key, inner in reversed(value))
        elif isinstance(value, list):
            stack.extend(((*path, index), inner) for index, inner in reversed(list(enumerate(value))))


def _too_deep() -> Document:
    return _refused("json.depth", f"nest at most {MAX_DEPTH} arrays and objects", f"at most {MAX_DEPTH} levels")


def _refused(rule: str, message: str, expected: str = "one JSON value in valid UTF-8") -> Document:
    return Document(None, [_violation(rule, message, expected)])


def _violation(rule: str, message: str, expected: str, path: tuple[str | int, ...] = ()) -> Violation:
    return Violation(
        pointer=pointer(path),
        rule=rule,
        keyword="",
        schema_ref="",
        message=message,
        expected=expected,
        got="JSON text",
    )
