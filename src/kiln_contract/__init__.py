"""The Kiln inference contract as a library: typed payloads, exact validation, clear violations.

The JSON Schemas under `contracts/` are the source; everything named after a definition is generated from them.
`decode`, `convert`, `check` and `encode` move payloads; the `validate*` functions name every violation; `thinking`,
`provenance` and `strategies` hold the contract's budget rules, content hashes and Hypothesis strategies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from kiln_contract._generated.structs import *  # noqa: F403 - one name a definition, listed in structs.__all__
from kiln_contract._generated.structs import __all__ as _definitions
from kiln_contract._generated.tables import DEFAULTS, ENTRYPOINTS, SCHEMA_SHA256, THINKING_BUDGET_SCHEMA_SHA256
from kiln_contract.codec import check, convert, decode, encode
from kiln_contract.errors import ContractViolation, Violation
from kiln_contract.lazy import LazyMapping, LazyModule
from kiln_contract.schema import schema
from kiln_contract.validate import validate, validate_exchange, validate_json, validate_stream

if TYPE_CHECKING:
    from kiln_contract import provenance, runtime, sse, strategies, stream, thinking
    from kiln_contract.rule import Rule
else:
    provenance = LazyModule("kiln_contract.provenance")
    runtime = LazyModule("kiln_contract.runtime")
    sse = LazyModule("kiln_contract.sse")
    strategies = LazyModule("kiln_contract.strategies")
    stream = LazyModule("kiln_contract.stream")
    thinking = LazyModule("kiln_contract.thinking")

RULES: Final[Mapping[str, Rule]] = LazyMapping("kiln_contract.rulebook", "RULES")
"""Every rule by its id. Ids are stable: a rule may be added, but an id never changes its meaning."""

__version__ = "0.1.0"

__all__ = [
    *_definitions,
    "DEFAULTS",
    "ENTRYPOINTS",
    "RULES",
    "SCHEMA_SHA256",
    "THINKING_BUDGET_SCHEMA_SHA256",
    "ContractViolation",
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
