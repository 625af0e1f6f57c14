"""Render the tables: bounds, defaults, and what every rule is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codegen.conditions import WORDINGS
from codegen.members import members
from codegen.model import ABSENT, Contract, Node, SchemaError, walk
from codegen.naming import is_object
from codegen.rules import RULES, Rule
from codegen.sites import SCHEMA_RULE

CONSTRAINTS = {
    "type": "The value has the JSON type that the schema names.",
    "const": "The value is the one constant that the schema allows.",
    "enum": "The value is one of those that the schema lists.",
    "required": "Every required member is present.",
    "additionalProperties": "A closed object has no member that its schema does not name.",
    "unevaluatedProperties": "A closed object has no member that none of its schemas names.",
    "minimum": "The number is not below the schema's minimum.",
    "maximum": "The number is not above the schema's maximum.",
    "exclusiveMinimum": "The number is above the schema's exclusive minimum.",
    "minLength": "The text has at least as many characters (code points) as the schema asks for.",
    "maxLength": "The text has at most as many characters (code points) as the schema allows.",
    "pattern": "The text matches the schema's pattern in its ECMA meaning.",
    "minItems": "The array has at least as many items as the schema asks for.",
    "maxItems": "The array has at most as many items as the schema allows.",
    "maxProperties": "The object has at most as many members as the schema allows.",
    "oneOf": "The value fits one of the alternatives.",
}
"""One sentence for each keyword that a violation can name."""


def render_bounds(contract: Contract) -> str:
    """Numeric ranges of direct members, of their value or (for arrays) their length."""
    rows = []
    for name, node in contract.definitions.items():
        bounds = {member.name: _bound(contract.resolve(member.node)) for member in _members(contract, node)}
        given = ", ".join(f"{member!r}: {bound}" for member, bound in bounds.items() if bound)
        if given:
            rows.append(f"    {name!r}: {{{given}}},")
    body = "\n".join(rows)
    return (
        "from typing import Final\n\nfrom kiln_contract.bound import Bound\n\n"
        f"BOUNDS: Final[dict[str, dict[str, Bound]]] = {{\n{body}\n}}\n"
    )


def render_tables(contract: Contract) -> str:
    """Schema defaults by definition and member (Structs never apply them), and which schemas these are."""
    rows = []
    for name, node in contract.definitions.items():
        given = {m.name: m.node.default for m in _members(contract, node) if m.node.default is not ABSENT}
        if given:
            rows.append(f"    {name!r}: {given!r},")
    body = "\n".join(rows)
    inference, thinking = contract.sources
    return (
        "from typing import Any, Final\n\n"
        f'SCHEMA_SHA256: Final = "{inference.sha256}"\n'
        f'THINKING_BUDGET_SCHEMA_SHA256: Final = "{thinking.sha256}"\n'
        f"ENTRYPOINTS: Final = {tuple(contract.entrypoints)!r}\n"
        f"DEFAULTS: Final[dict[str, dict[str, Any]]] = {{\n{body}\n}}\n"
    )


def _members(contract: Contract, node: Node) -> list[Any]:
    return members(contract, node) if is_object(contract, node) else []


def _bound(node: Node) -> str:
    low: float | None
    high: float | None
    if node.types == ("array",):
        low, high, exclusive = node.min_items, node.max_items, False
    else:
        exclusive = node.exclusive_minimum is not None
        low, high = node.exclusive_minimum if exclusive else node.minimum, node.maximum
    parts = [f"{key}={value!r}" for key, value in (("minimum", low), ("maximum", high)) if value is not None]
    if not parts:
        return ""
    return f"Bound({', '.join([*parts, *(['exclusive=True'] if exclusive else [])])})"


def render_rules(contract: Contract, source: Path) -> str:
    """Every rule of the schemas with its kind, its places and its code.

    Raises SchemaError when an annotation has no rule, a rule neither annotation nor note, or named code is absent.
    """
    check_bindings(contract, source)
    rows = [*_keyword_rules(), *_conditional_rules(), *(_semantic_rule(contract, rule) for rule in RULES)]
    body = "\n".join(f"    {row}," for row in rows)
    return (
        "from typing import Final\n\nfrom kiln_contract.rule import Rule\n\n"
        f"SCHEMA_RULES: Final[tuple[Rule, ...]] = (\n{body}\n)\n"
    )


def _keyword_rules() -> Iterator[str]:
    for keyword, summary in CONSTRAINTS.items():
        yield f"Rule(id={SCHEMA_RULE + keyword!r}, summary={summary!r}, kind='schema')"


def _conditional_rules() -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for ref, wording in WORDINGS.items():
        places.setdefault(wording.rule, []).append(ref)
    for rule, refs in places.items():
        messages = dict.fromkeys(WORDINGS[ref].message for ref in refs)
        summary = "; ".join(messages)
        summary = summary[0].upper() + summary[1:] + "."
        yield f"Rule(id={rule!r}, summary={summary!r}, kind='schema', schema_refs={tuple(refs)!r})"


def _semantic_rule(contract: Contract, rule: Rule) -> str:
    refs = [_annotation_ref(contract, definition, text) for definition, text in rule.annotations]
    definitions = dict.fromkeys(
        [definition for definition, _ in rule.annotations]
        + [check.on for check in rule.checks]
        + [owner for owner, _ in rule.names]
    )
    texts = tuple(dict.fromkeys(text for _, text in rule.annotations))
    return (
        f"Rule(id={rule.id!r}, summary={rule.summary!r}, kind={rule.kind!r}, definitions={tuple(definitions)!r}, "
        f"schema_refs={(*refs, *rule.schema)!r}, annotations={texts!r}, note={rule.note!r}, hook={rule.hook!r})"
    )


def _annotation_ref(contract: Contract, definition: str, text: str) -> str:
    node = contract.definitions[definition]
    return node.at.child("x-kiln-semantic-constraints", node.semantic_constraints.index(text)).ref


def check_bindings(contract: Contract, source: Path) -> None:
    """Every annotation has exactly one rule, every rule an annotation or a note, and all named code exists."""
    stated = {(name, text) for name, node in contract.definitions.items() for text in node.semantic_constraints}
    nested = {text for node in walk(contract) for text in node.semantic_constraints}
    bound = [binding for rule in RULES for binding in rule.annotations]
    problems = [f"annotation without a rule: {name}: {text!r}" for name, text in sorted(stated - set(bound))]
    problems += [
        f"rule bound to an annotation the schema lacks: {name}: {text!r}" for name, text in sorted(set(bound) - stated)
    ]
    problems += [f"annotation bound twice: {binding}" for binding in sorted({b for b in bound if bound.count(b) > 1})]
    problems += [
        f"annotation below a definition's top level: {text!r}" for text in sorted(nested - {text for _, text in stated})
    ]
    problems += [
        f"rule {rule.id} has neither annotation nor note" for rule in RULES if not (rule.annotations or rule.note)
    ]
    problems += _missing_code(source)
    if problems:
        raise SchemaError("codegen/rules.py does not fit the schema:\n  " + "\n  ".join(problems))


def _missing_code(source: Path) -> list[str]:
    payload = _functions(source / "semantics.py")
    hooks = _functions(source / "runtime.py")
    named = {(rule.id, f) for rule in RULES for check in rule.checks for f in (check.function, check.fast) if f}
    missing = [f"rule {rule}: kiln_contract.semantics has no {f}" for rule, f in sorted(named) if f not in payload]
    missing += [
        f"rule {rule.id}: kiln_contract.runtime has no {rule.hook}"
        for rule in RULES
        if rule.hook and rule.hook not in hooks
    ]
    return missing


def _functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
