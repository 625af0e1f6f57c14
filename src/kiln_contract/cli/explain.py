"""`kiln-contract explain`: what a rule asks for, where it comes from and who decides it."""

from __future__ import annotations

from collections.abc import Iterator

from kiln_contract.cli.names import choose
from kiln_contract.rule import Rule


def explain(rule_id: str) -> Rule:
    """The rule with this id; raises UsageError with a suggestion when there is none."""
    from kiln_contract.rulebook import RULES

    return RULES[choose("rule", rule_id, RULES, "kiln-contract explain")]


def every_rule() -> list[Rule]:
    """All rules, in the order of the rule book."""
    from kiln_contract.rulebook import RULES

    return list(RULES.values())


def index(rules: list[Rule]) -> Iterator[str]:
    """A line a rule: its id, its kind and what it asks for."""
    id_width = max(len(rule.id) for rule in rules)
    kind_width = max(len(rule.kind) for rule in rules)
    for rule in rules:
        yield f"{rule.id:<{id_width}}  {rule.kind:<{kind_width}}  {rule.summary}"


def page(rule: Rule) -> Iterator[str]:
    """Everything there is to know about one rule, in lines."""
    yield f"{rule.id} ({rule.kind} rule)"
    yield f"  {rule.summary}"
    yield from _section("definitions", rule.definitions)
    yield from _section("in the schema", rule.schema_refs)
    yield from _section("annotation", rule.annotations)
    yield from _section("note", (rule.note,) if rule.note else ())
    if rule.hook is not None:
        yield from _section("hook for servers", (f"kiln_contract.runtime.{rule.hook}",))


def _section(title: str, lines: tuple[str, ...]) -> Iterator[str]:
    if lines:
        yield f"  {title}:"
        yield from (f"    {line}" for line in lines)
