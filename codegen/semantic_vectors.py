"""Accepted and refused documents for the payload part of every semantic rule, in each definition it is bound to.

Refused documents conform to the schema: the semantic rule alone is broken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from codegen.entries import Entry, Refusal, merged, pointer
from codegen.model import Contract, Node, SchemaError
from codegen.places import Place, Places
from codegen.rules import RULES, Rule
from codegen.semantic_cases import BEYOND_DOUBLE, CASES, PATHS, PLAIN_NAMES, identity_texts, untrimmed_or_long

NAMES: Final = next(rule for rule in RULES if rule.names)
TEXTS: Final = next(rule for rule in RULES if rule.text_limit)
FINITE: Final = next(rule for rule in RULES if rule.finite)


def semantic_entries(contract: Contract) -> dict[str, list[Entry]]:
    """Entries by definition, rule by rule.

    Raises SchemaError when a rule is bound to a definition for which no documents are written, or the other way round.
    """
    places = Places(contract)
    found: dict[str, list[Entry]] = defaultdict(list)
    for rule in RULES:
        for name in _bound(rule):
            found[name].append(_case(rule, name, places))
    for name in contract.definitions:
        for place in places.of(name):
            found[name] += _place(name, place)
    return {name: entries for name, entries in found.items() if entries}


def _bound(rule: Rule) -> list[str]:
    """Definitions that a rule is bound to by a check of their own."""
    bound = list(dict.fromkeys(check.on for check in rule.checks))
    written = CASES.get(rule.id, {})
    if written.keys() != set(bound):
        wrong = ", ".join(sorted(written.keys() ^ set(bound)))
        raise SchemaError(f"codegen/semantic_cases.py: the documents of {rule.id} and its checks differ in {wrong}")
    return bound


def _case(rule: Rule, name: str, places: Places) -> Entry:
    case = CASES[rule.id][name]
    sample = places.samples.definition(name)
    return Entry(
        (rule.id,),
        tuple(merged(sample, members) for members in case.accepted),
        tuple(Refusal(merged(sample, members), pointer, rule.id) for members, pointer in case.refused),
    )


def _place(name: str, place: Place) -> Iterator[Entry]:
    node = place.node
    if (name, place.path[-1] if place.path else None) in NAMES.names:
        yield _values(place, NAMES, PLAIN_NAMES, PATHS)
    if node.max_utf8_bytes is not None:
        limit = node.max_utf8_bytes
        yield _values(place, TEXTS, identity_texts(limit), untrimmed_or_long(limit))
    if node.types == ("number",) and (beyond := _beyond(node)):
        yield _values(place, FINITE, (place.current,), beyond)


def _values(place: Place, rule: Rule, good: tuple[Any, ...], bad: tuple[Any, ...]) -> Entry:
    return Entry(
        (rule.id,),
        tuple(place.put(value) for value in good),
        tuple(Refusal(place.put(value), pointer(place.path), rule.id) for value in bad),
    )


def _beyond(node: Node) -> tuple[int, ...]:
    """Integers beyond a double on the sides where the schema itself sets no bound."""
    above = () if node.maximum is not None else (BEYOND_DOUBLE,)
    below = () if node.minimum is not None or node.exclusive_minimum is not None else (-BEYOND_DOUBLE,)
    return (*above, *below)
