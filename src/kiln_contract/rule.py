"""What a rule of the contract is, for people and programs that ask."""

from __future__ import annotations

from msgspec import Struct


class Rule(Struct, frozen=True, kw_only=True):
    """A rule with a stable id.

    `kind` says who can decide it: `json` and `schema` rules and `payload` rules from the document alone, `pair` rules
    from request and response, `stream` rules from a whole stream, `runtime` rules only a server (`hook` names the
    function of `kiln_contract.runtime` that it calls).
    """

    id: str
    summary: str
    kind: str
    definitions: tuple[str, ...] = ()
    schema_refs: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    note: str = ""
    hook: str | None = None
