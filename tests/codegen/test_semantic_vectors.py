from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from codegen.model import SchemaError, load
from codegen.rules import RULES
from codegen.semantic_cases import CASES
from codegen.semantic_vectors import semantic_entries
from kiln_contract import DEFINITIONS, semantics, validate
from kiln_contract._generated import collector
from kiln_contract.collector import BoundCheck
from kiln_contract.vectors import Vector, vectors
from tests.codegen.oracle import CONTRACTS

BINDINGS = [(rule.id, check.on) for rule in RULES for check in rule.checks]
NAMED = [(rule.id, name) for rule in RULES for name, _ in rule.names]


def of_rule(rule: str, name: str) -> list[Vector]:
    return [vector for vector in vectors(name) if vector.constraints == (rule,)]


def bound_checks() -> Iterator[BoundCheck]:
    for value in vars(collector).values():
        if isinstance(value, tuple):
            yield from (check for check in value if isinstance(check, BoundCheck))


def silent(*_: Any) -> tuple[()]:
    return ()


def assert_only_accepted(rule: str, name: str) -> None:
    for vector in of_rule(rule, name):
        assert validate(name, vector.document) == [], vector.stored


@pytest.mark.parametrize(("rule", "name"), [*BINDINGS, *NAMED])
def test_every_binding_of_a_rule_has_accepted_and_refused_documents(rule: str, name: str) -> None:
    assert {vector.accepted for vector in of_rule(rule, name)} == {True, False}


@pytest.mark.parametrize(("rule", "name"), BINDINGS)
def test_without_its_check_a_rule_refuses_nothing(rule: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = [check for check in bound_checks() if check.site.rule == rule and check.struct is DEFINITIONS[name]]
    assert own
    for check in own:
        monkeypatch.setattr(check, "function", silent)
    assert_only_accepted(rule, name)


@pytest.mark.parametrize(("rule", "name"), NAMED)
def test_without_the_name_check_any_adapter_passes(rule: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantics, "adapter_name", silent)
    assert_only_accepted(rule, name)


@pytest.mark.parametrize("name", ["RolloutIdentityText", "RolloutProvenanceV1"])
def test_without_the_text_check_any_identity_passes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {vector.accepted for vector in of_rule("identity-text", name)} == {True, False}
    monkeypatch.setattr(semantics, "identity_text", silent)
    assert_only_accepted("identity-text", name)


def test_without_the_finite_check_any_number_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name for name in DEFINITIONS if of_rule("number.finite", name)]
    assert "NullableSamplingNumber" in names
    monkeypatch.setattr(collector, "is_finite", lambda _: True)
    for name in names:
        monkeypatch.setattr(collector, "run_checks", silent)  # these count with the numbers
        assert_only_accepted("number.finite", name)


def test_rules_that_keywords_enforce_are_shown_by_the_vectors_of_these() -> None:
    refs = {ref for rule in RULES for ref in rule.schema}
    refused = [vector for name in DEFINITIONS for vector in vectors(name) if not vector.accepted]
    shown = {ref for vector in refused for ref in vector.constraints}
    assert refs
    assert refs <= shown


@pytest.mark.parametrize("change", ["missing", "superfluous"])
def test_documents_and_checks_of_a_rule_must_match(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {} if change == "missing" else {**CASES["usage.total"], "Delta": CASES["usage.total"]["Usage"]}
    monkeypatch.setitem(CASES, "usage.total", cases)
    with pytest.raises(SchemaError, match=r"documents of usage\.total and its checks differ in"):
        semantic_entries(load(CONTRACTS))
