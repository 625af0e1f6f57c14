"""Every rule of the contract by its id, from wherever it is enforced."""

from __future__ import annotations

from typing import Final

from kiln_contract import exchange, provenance, reader, stream, thinking
from kiln_contract._generated.rules import SCHEMA_RULES
from kiln_contract.rule import Rule

_LISTED: Final = (
    ("json", reader.RULES),
    ("pair", exchange.RULES),
    ("stream", stream.RULES),
    ("runtime", thinking.RULES),
    ("payload", provenance.RULES),
)

RULES: Final[dict[str, Rule]] = {rule.id: rule for rule in SCHEMA_RULES} | {
    id_: Rule(id=id_, summary=summary, kind=kind) for kind, rules in _LISTED for id_, summary in rules.items()
}
