"""What the command says about rules."""

from __future__ import annotations

import pytest

import kiln_contract as kc
from kiln_contract.cli.explain import every_rule, explain, index, page
from kiln_contract.cli.names import UsageError
from kiln_contract.rule import Rule


def test_every_rule_is_listed_with_kind_and_summary() -> None:
    lines = list(index(every_rule()))
    assert [line.split()[0] for line in lines] == list(kc.RULES)
    assert all(
        rule.kind in line and line.endswith(rule.summary) for rule, line in zip(every_rule(), lines, strict=True)
    )


@pytest.mark.parametrize("id_", ["usage.total", "budget.close-fits", "stream.done-last", "json.syntax", "pair.stop"])
def test_a_page_holds_everything_about_its_rule(id_: str) -> None:
    rule = explain(id_)
    text = "\n".join(page(rule))
    assert rule is kc.RULES[id_]
    assert text.startswith(f"{id_} ({rule.kind} rule)\n  {rule.summary}")
    for part in (*rule.definitions, *rule.schema_refs, *rule.annotations, rule.note, rule.hook or ""):
        assert part in text


def test_sections_without_content_are_left_out() -> None:
    assert list(page(Rule(id="a.b", summary="Do it.", kind="pair"))) == ["a.b (pair rule)", "  Do it."]


def test_a_hook_is_named_by_its_full_path() -> None:
    hook = explain("budget.close-fits").hook
    assert hook is not None
    assert hasattr(kc.runtime, hook)
    assert f"    kiln_contract.runtime.{hook}" in list(page(explain("budget.close-fits")))


def test_a_typo_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"no rule 'usage\.totl'; did you mean 'usage\.total'\?"):
        explain("usage.totl")
