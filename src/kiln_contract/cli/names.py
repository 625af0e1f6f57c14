"""Names on the command line and in documents: definitions, rules, and what belongs to what."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, get_args

import msgspec

from kiln_contract._generated.structs import DEFINITIONS
from kiln_contract._generated.tables import ENTRYPOINTS

STREAM: Final = next(name for name in ENTRYPOINTS if name.endswith("Stream"))
"""The entry point whose document is an event stream; every other definition describes JSON."""


class UsageError(Exception):
    """The command line asks for something that does not exist or does not go together."""


def choose(kind: str, name: str, known: Iterable[str], listing: str) -> str:
    """`name` if it is one of `known`; otherwise raise UsageError with the likeliest one, or how to list them."""
    options = list(known)
    if name in options:
        return name
    from difflib import get_close_matches

    by_fold = {option.casefold(): option for option in options}
    close = get_close_matches(name.casefold(), by_fold, n=1)
    hint = f"did you mean {by_fold[close[0]]!r}?" if close else f"list them with `{listing}`"
    raise UsageError(f"the contract has no {kind} {name!r}; {hint}")


def definition(name: str) -> str:
    """`name` if the contract defines it; raises UsageError with a suggestion otherwise."""
    return choose("definition", name, DEFINITIONS, "kiln-contract schema --list")


def request_of(name: str) -> str | None:
    """The request that a response or stream answers; None for any other definition."""
    if name not in ENTRYPOINTS:
        return None
    stems = (entry.removesuffix("Request") for entry in ENTRYPOINTS if entry.endswith("Request"))
    return next((f"{stem}Request" for stem in stems if name.startswith(stem) and name != f"{stem}Request"), None)


def detect(value: Any) -> str | None:
    """The definition that a document names by its `object` member; None when it names none."""
    kind = value.get("object") if isinstance(value, dict) else None
    return _definitions_by_object().get(kind) if isinstance(kind, str) else None


@cache
def _definitions_by_object() -> dict[str, str]:
    """Definitions by the constant of their `object` member. (The Structs know it, and are there already.)"""
    kinds = {name: type_ for name, type_ in DEFINITIONS.items() if "object" in getattr(type_, "__struct_fields__", ())}
    fields = ((name, field) for name, type_ in kinds.items() for field in msgspec.structs.fields(type_))
    return {get_args(field.type)[0]: name for name, field in fields if field.name == "object"}
