"""The Kiln inference contract as a library: typed payloads, exact validation, clear violations.

The JSON Schemas under `contracts/` are the source; everything named after a definition is generated from them.
`decode`, `convert`, `check` and `encode` move payloads; the `validate*` functions name every violation; `thinking`,
`provenance` and `strategies` hold the contract's budget rules, content hashes and Hypothesis strategies.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from kiln_contract._generated.defaults import DEFAULTS
from kiln_contract._generated.identity import ENTRYPOINTS, SCHEMA_SHA256, THINKING_BUDGET_SCHEMA_SHA256
from kiln_contract._generated.structs import *  # noqa: F403 - one name a definition, listed in structs.__all__
from kiln_contract._generated.structs import __all__ as _definitions
from kiln_contract.codec import check, convert, decode, encode
from kiln_contract.errors import ContractViolation, Violation
from kiln_contract.schema import schema
from kiln_contract.validate import validate, validate_json

if TYPE_CHECKING:
    from kiln_contract import provenance, runtime, sse, strategies, stream, thinking
    from kiln_contract.exchange import validate_exchange
    from kiln_contract.rulebook import RULES
    from kiln_contract.stream import StreamResult, validate_stream

_LAZY: Final = {
    "RULES": "kiln_contract.rulebook",
    "StreamResult": "kiln_contract.stream",
    "validate_exchange": "kiln_contract.exchange",
    "validate_stream": "kiln_contract.stream",
}
"""Names that are imported when first used, with their modules: payloads alone need none of them."""

_SUBMODULES: Final = frozenset({"provenance", "runtime", "sse", "strategies", "stream", "thinking"})

__version__ = "0.1.0"

__all__ = [
    *_definitions,
    "DEFAULTS",
    "ENTRYPOINTS",
    "RULES",
    "SCHEMA_SHA256",
    "THINKING_BUDGET_SCHEMA_SHA256",
    "ContractViolation",
    "StreamResult",
    "Violation",
    "check",
    "convert",
    "decode",
    "encode",
    "provenance",
    "runtime",
    "schema",
    "sse",
    "strategies",
    "stream",
    "thinking",
    "validate",
    "validate_exchange",
    "validate_json",
    "validate_stream",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
