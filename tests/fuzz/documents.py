"""What the differential test reads: documents of every kind, written as text."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kiln_contract import strategies
from kiln_contract.strategies.opaque import json_values
from tests.fuzz.mutation import damage, mutate, repeat_member
from tests.fuzz.spelling import spell


class Case(NamedTuple):
    """One document, how it came about, and whether it is known to be valid."""

    kind: str
    text: bytes
    made_valid: bool | None = None


@st.composite
def cases(draw: DrawFn, name: str) -> list[Case]:
    """A handful of documents for one definition: valid, nearly valid, mutated, damaged and arbitrary ones."""
    valid = draw(strategies.valid(name))
    plain = _plain(valid)
    # Hypothesis likes to draw one number again and again; the document makes each use of it another one.
    random = Random(plain + draw(st.binary(min_size=8, max_size=8)))  # noqa: S311 - reproducible, not secret
    spelled = spell(valid, random).encode()
    missed, missed_too = _near_misses(name, valid, random)
    return [
        Case("valid", plain, True),
        Case("valid", spelled, True),
        Case("near miss", _plain(missed), False),
        Case("near miss", spell(missed_too, random).encode(), False),
        Case("mutated", spell(mutate(valid, random), random).encode()),
        Case("mutated", spell(mutate(missed, random), random).encode()),
        Case("damaged", damage(spelled if len(spelled) < 10_000 else plain, random)),
        Case("repeated member", repeat_member(plain, random)),
        Case("arbitrary", _plain(draw(json_values()))),
    ]


def _near_misses(name: str, valid: Any, random: Random) -> tuple[Any, Any]:
    """Two near misses of a valid document, the rules that they break equally likely."""
    by_rule: dict[str, list[Any]] = {}
    for miss in strategies.near_misses_of(name, valid):
        by_rule.setdefault(miss.rule, []).append(miss.document)
    rules = random.choices(list(by_rule), k=2)
    return random.choice(by_rule[rules[0]]), random.choice(by_rule[rules[1]])


def _plain(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
