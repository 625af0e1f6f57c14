"""Name every violation of a document: the collecting validator behind the fast path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kiln_contract._generated.structs import DEFINITIONS
from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation

if TYPE_CHECKING:
    from kiln_contract.stream import StreamResult


def validate(
    name: str,
    value: Any,
    *,
    semantics: bool = True,
    max_errors: int = DEFAULT_MAX_ERRORS,
    show_values: bool = False,
) -> list[Violation]:
    """Violations of a decoded JSON value against the definition `name`; empty when it conforms.

    `semantics=False` checks the JSON Schema rules alone. `show_values` adds shortened values to `got`; leave it off
    where prompts must not leak. Raises LookupError for an unknown definition.
    """
    return collect(name, value, semantics=semantics, max_errors=max_errors, show_values=show_values, walk_opaque=True)


def validate_json(
    name: str,
    body: bytes | str,
    *,
    semantics: bool = True,
    max_errors: int = DEFAULT_MAX_ERRORS,
    show_values: bool = False,
) -> list[Violation]:
    """Violations of JSON text, read strictly; empty when it conforms. Raises LookupError for an unknown definition."""
    return check_json(name, body, semantics=semantics, max_errors=max_errors, show_values=show_values)[1]


def validate_exchange(
    request: Any, response: Any, *, max_errors: int = DEFAULT_MAX_ERRORS, show_values: bool = False
) -> list[Violation]:
    """Violations of a response with its request at hand: its own, or if it has none, those of the pair rules.

    Both are Structs of the contract or decoded JSON objects; pointers are into the response. Raises ContractViolation
    when the request itself does not conform, and TypeError when the response is none of the three kinds.
    """
    from kiln_contract import exchange

    return exchange.validate_exchange(request, response, max_errors=max_errors, show_values=show_values)


def validate_stream(
    body: bytes | str, request: Any = None, *, max_errors: int = DEFAULT_MAX_ERRORS, show_values: bool = False
) -> StreamResult:
    """Check a whole event stream against the grammar of streams and the schemas of its events.

    With the chat request (a Struct or decoded JSON object) at hand, what it opted in to is checked as well. The result
    holds the violations, each with its event's index, and the outcome: completed or failed.
    """
    from kiln_contract.stream import validate_stream as validate

    return validate(body, request, max_errors=max_errors, show_values=show_values)


def check_json(
    name: str,
    body: bytes | str,
    *,
    semantics: bool = True,
    max_errors: int = DEFAULT_MAX_ERRORS,
    show_values: bool = False,
) -> tuple[Any, list[Violation]]:
    """Like `validate_json`, and the decoded value (None when the text could not be read)."""
    from kiln_contract.reader import read

    known(name)
    document = read(body, max_errors=max_errors)
    if document.violations:
        return None, document.violations
    found = collect(
        name,
        document.value,
        semantics=semantics,
        max_errors=max_errors,
        show_values=show_values,
        walk_opaque=document.inexact,
    )
    return document.value, found


def collect(
    name: str, value: Any, *, semantics: bool, max_errors: int, show_values: bool, walk_opaque: bool
) -> list[Violation]:
    """Run the generated validator. `walk_opaque` also looks for what is no JSON inside opaque values."""
    known(name)
    # Loaded on the first failure or explicit validation: the fast path never needs it.
    from kiln_contract._generated.collector import VALIDATORS
    from kiln_contract.collector import Context

    if max_errors < 1:
        raise ValueError(f"max_errors must be at least 1, got {max_errors}")
    context = Context(limit=max_errors, semantics=semantics, walk_opaque=walk_opaque)
    failures = VALIDATORS[name](value, context)
    return [failure.violation(show_value=show_values) for failure in failures[:max_errors]]


def known(name: str) -> None:
    """Raise LookupError, with a suggestion, unless `name` is a definition of the contract; TypeError for no name."""
    if not isinstance(name, str):
        raise TypeError(f"pass a definition's name as a string, such as 'Usage', not {name!r}")
    if name not in DEFINITIONS:
        from difflib import get_close_matches

        close = get_close_matches(name, DEFINITIONS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "; see kiln_contract.DEFINITIONS"
        raise LookupError(f"the contract has no definition {name!r}{hint}")
