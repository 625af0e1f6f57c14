"""Run-time support of the generated collecting validator: failures, arrays, opaque values, semantic checks.

A generated function takes a decoded JSON value and returns its failures with paths relative to that value; the caller
puts its own key in front only when there are any, so a valid value pays nothing for paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from kiln_contract._generated.checks import CHECKS
from kiln_contract.errors import MAX_MESSAGE, MAX_SHOWN_VALUE, Violation, clip, json_type, pointer
from kiln_contract.number import MAX_DIGITS, ExactFloat, HugeInteger, is_finite
from kiln_contract.recover import recover_value
from kiln_contract.semantics import Finding

M: Final[Any] = type("Missing", (), {"__repr__": lambda _: "M"})()
"""Marks an absent member; never equal to a JSON value."""

CHUNK: Final = 256
"""Items of a long array that msgspec judges at once before any is looked at in Python."""


class Site(NamedTuple):
    """A place in the schema that can be violated, with what the reader of the violation needs to know."""

    rule: str
    keyword: str
    schema_ref: str
    message: str
    expected: str


TOO_LONG: Final = Site(
    "json.number", "type", "", f"use a number of at most {MAX_DIGITS} digits", f"at most {MAX_DIGITS} digits"
)


class Failure:
    """One violation in the making. `path` is reversed: outer keys are appended as the call stack unwinds."""

    __slots__ = ("expected", "message", "path", "site", "value")

    def __init__(self, site: Site, value: Any, message: str = "", expected: str = "") -> None:
        self.site = site
        self.value = value
        self.message = message or site.message
        self.expected = expected or site.expected
        self.path: list[str | int] = []

    def violation(self, *, show_value: bool) -> Violation:
        if isinstance(self.value, HugeInteger):
            # Whatever was expected here, the number itself is what cannot be read.
            self.site, self.value = TOO_LONG, 0
            self.message, self.expected = TOO_LONG.message, TOO_LONG.expected
        got = "absent" if self.value is M else json_type(self.value)
        message = self.message.replace("{got}", got)
        return Violation(
            pointer=pointer(reversed(self.path)),
            rule=self.site.rule,
            keyword=self.site.keyword,
            schema_ref=self.site.schema_ref,
            message=clip(message, MAX_MESSAGE),
            expected=clip(self.expected, MAX_MESSAGE),
            got=f"{got} {_shown(self.value)}" if show_value and self.value is not M else got,
        )


Failures = list[Failure]
_Chain = tuple[Any, str | int] | None

_PLAIN: Final = (str, bool, int, msgspec.Raw)
"""What an opaque value holds besides null, floats and containers."""


class Context:
    """What one validation run asks for. `walk_opaque` is off for values that came from a strict reader."""

    __slots__ = ("limit", "semantics", "walk_opaque")

    def __init__(self, *, limit: int, semantics: bool, walk_opaque: bool) -> None:
        self.limit = limit
        self.semantics = semantics
        self.walk_opaque = walk_opaque


def put(failures: Failures, inner: Iterable[Failure], key: str | int) -> None:
    """Adopt a member's failures, putting its key in front of their paths."""
    for failure in inner:
        failure.path.append(key)
        failures.append(failure)


def found(site: Site, findings: Iterable[Finding], limit: int) -> Failures:
    """Failures for what a semantic rule found."""
    failures = []
    for finding in islice(findings, limit):
        failure = Failure(site, finding.value, finding.message, finding.expected)
        failure.path.extend(reversed(finding.path))
        failures.append(failure)
    return failures


def broken(failures: Failures, key: str | int) -> bool:
    """Whether a member has failures already: what follows from them is no cause of its own."""
    return any(failure.path and failure.path[-1] == key for failure in failures)


class BoundCheck:
    """A semantic rule bound to one definition: it runs on a view of the members that it reads."""

    def __init__(
        self, site: Site, function: Callable[[Any], Iterable[Finding]], struct: Any, reads: tuple[str, ...]
    ) -> None:
        self.site = site
        self.function = function
        self.struct = struct
        self.reads = reads

    @cached_property
    def required(self) -> tuple[str, ...]:
        fields = msgspec.structs.fields(self.struct)
        return tuple(field.name for field in fields if field.name in self.reads and field.required)

    @cached_property
    def view(self) -> Any:
        """A Struct of just the members that the rule reads, each of them optional."""
        types = {field.name: field.type for field in msgspec.structs.fields(self.struct)}
        fields = [(name, types[name] | msgspec.UnsetType, msgspec.UNSET) for name in self.reads]
        return msgspec.defstruct(f"{self.struct.__name__}View", fields, kw_only=True)

    def applies(self, value: dict[str, Any], failed: set[str | int]) -> bool:
        return failed.isdisjoint(self.reads) and all(name in value for name in self.required)

    def run(self, value: dict[str, Any], limit: int) -> Failures:
        members = {name: value[name] for name in self.reads if name in value}
        return found(self.site, self.function(recover_value(self.view, members)), limit)


def run_checks(failures: Failures, value: dict[str, Any], checks: tuple[BoundCheck, ...], limit: int) -> None:
    """Run the semantic rules of one object whose members they read are free of other failures."""
    failed = {failure.path[-1] for failure in failures if failure.path}
    for check in checks:
        if check.applies(value, failed):
            failures.extend(check.run(value, limit))


def settled(value: Any, struct: Any, context: Context) -> bool:
    """Whether msgspec alone can tell that an object conforms, so that no member needs a look in Python.

    It accepts only what the schema accepts. That is not so for values built in Python, where it lets NaN pass.
    """
    if context.walk_opaque:
        return False
    typed = _converted(value, struct)
    return typed is not None and _all_hold([typed], struct)


def suspects(items: list[Any], item_type: Any, context: Context) -> Iterator[tuple[int, Any]]:
    """The items of an array that need a look in Python, with their indices.

    A chunk that msgspec converts (and whose checks hold) has no failure; see `settled`.
    """
    if context.walk_opaque or len(items) < CHUNK:
        yield from enumerate(items)
        return
    chunk_type = list[item_type]
    for start in range(0, len(items), CHUNK):
        chunk = items[start : start + CHUNK]
        typed = _converted(chunk, chunk_type)
        if typed is None or not _all_hold(typed, item_type):
            yield from enumerate(chunk, start)


def _converted(value: Any, type_: Any) -> Any:
    """The value as msgspec types it, or None when msgspec refuses it."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return None


def _all_hold(typed: list[Any], type_: Any) -> bool:
    holds = CHECKS.get(type_)
    return holds is None or all(map(holds, typed))


def opaque(value: Any, finite: Site, not_json: Site, limit: int) -> Failures:
    """Failures inside a value that the contract leaves open: it must still be JSON with finite numbers."""
    failures: Failures = []
    # A path is a chain of (outer path, key): copying whole paths would be quadratic in a deep value.
    stack: list[tuple[_Chain, Any]] = [(None, value)]
    while stack and len(failures) < limit:
        chain, current = stack.pop()
        site = None
        if current.__class__ is dict:
            stack.extend(((chain, str(key)), inner) for key, inner in reversed(current.items()))
            site = None if all(key.__class__ is str for key in current) else not_json
        elif current.__class__ is list:
            stack.extend(((chain, index), inner) for index, inner in reversed(list(enumerate(current))))
        elif isinstance(current, float):
            site = None if is_finite(current) else finite
        elif not (current is None or current.__class__ in _PLAIN):
            site = not_json
        if site is not None:
            failures.append(_failure_at(site, current, chain))
    return failures


def _failure_at(site: Site, value: Any, chain: _Chain) -> Failure:
    failure = Failure(site, value)
    while chain is not None:
        chain, key = chain
        failure.path.append(key)
    return failure


def _shown(value: Any) -> str:
    """A shortened rendering of a scalar; containers are only counted."""
    if isinstance(value, dict | list):
        return f"of {len(value)}"
    if isinstance(value, str):
        return repr(clip(value, MAX_SHOWN_VALUE))
    if isinstance(value, ExactFloat):
        return clip(value.text, MAX_SHOWN_VALUE)
    if isinstance(value, int) and value.bit_length() > 256:
        return f"of {value.bit_length()} bits"
    return clip(repr(value), MAX_SHOWN_VALUE)
