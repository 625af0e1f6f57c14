"""The places in the schema that violations name, numbered as the collector meets them."""

from __future__ import annotations

from codegen.conditions import WORDINGS
from codegen.model import Contract, Location, Node, SchemaError
from codegen.predicates import Condition
from codegen.rules import RULES, Rule
from codegen.wording import count, describe, literal

SCHEMA_RULE = "schema."
"""Rules that are nothing but a JSON Schema keyword are named after it."""


class Sites:
    """Collects sites, each once, and renders them as constants."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.names: dict[tuple[str, ...], str] = {}
        self.worded: set[str] = set()
        finite = next(rule for rule in RULES if rule.finite)
        self._fixed = [
            (
                "FINITE",
                (
                    finite.id,
                    "type",
                    "",
                    "use a finite number: NaN, infinities and numbers beyond a double are refused",
                    "a finite number",
                ),
            ),
            (
                "NOT_JSON",
                ("json.value", "type", "", "use a JSON value here, got {got}", "a JSON value with string keys"),
            ),
        ]

    def render(self) -> str:
        numbered = [(name, site) for site, name in self.names.items()]
        lines = ["# fmt: off"]
        for name, fields in [*self._fixed, *numbered]:
            arguments = ", ".join(repr(field) for field in fields)
            lines.append(f"{name}: Final = Site({arguments})")
        return "\n".join([*lines, "# fmt: on"])

    def _add(self, rule: str, keyword: str, ref: str, message: str, expected: str) -> str:
        return self.names.setdefault((rule, keyword, ref, message, expected), f"S{len(self.names)}")

    def keyword(self, node: Node, keyword: str, *, nullable: bool = False) -> str:
        message, expected = self._wording(node, keyword, nullable)
        return self._add(SCHEMA_RULE + keyword, keyword, node.at.child(keyword).ref, message, expected)

    def _wording(self, node: Node, keyword: str, nullable: bool) -> tuple[str, str]:
        or_null = ", or null" if nullable else ""
        match keyword:
            case "minLength":
                text = f"at least {count(node.min_length, 'character')}"
            case "maxLength":
                text = f"at most {count(node.max_length, 'character')}"
            case "minItems":
                text = f"at least {count(node.min_items, 'item')}"
            case "maxItems":
                text = f"at most {count(node.max_items, 'item')}"
            case "maxProperties":
                text = f"at most {count(node.max_properties, 'member')}"
            case "pattern":
                return f"write text that matches {node.pattern}", f"text matching {node.pattern}"
            case _:
                text = describe(self.contract, node, nullable=nullable)
                return f"use {text}" + (", got {got}" if keyword in ("type", "oneOf") else ""), text
        return f"give it {text}", text + or_null

    def required(self, node: Node, member: str) -> str:
        expected = f"member {literal(member)} present"
        return self._add(
            SCHEMA_RULE + "required",
            "required",
            node.at.child("required").ref,
            f"add the required member {literal(member)}",
            expected,
        )

    def unknown(self, node: Node, keyword: str, owner: str) -> str:
        message = f"remove this member: {owner} is closed (a newer contract revision may know it)"
        return self._add(SCHEMA_RULE + keyword, keyword, node.at.child(keyword).ref, message, "no unknown member")

    def tag(self, node: Node, member: str, expected: str) -> str:
        return self._add(
            SCHEMA_RULE + "oneOf", "oneOf", node.at.child("oneOf").ref, f"use {expected} for {member}", expected
        )

    def condition(self, condition: Condition) -> str:
        ref = condition.node.at.ref
        if condition.keyword == "anyOf":
            ref += "/anyOf"
        wording = WORDINGS.get(ref)
        if wording is None:
            raise SchemaError(f"codegen/conditions.py has no words for the conditional rule at {ref}")
        self.worded.add(ref)
        return self._add(wording.rule, condition.keyword, ref, wording.message, wording.expected)

    def semantic(self, rule: Rule, at: Location) -> str:
        keyword = at.pointer.rsplit("/", 1)[-1]
        if keyword.isdigit():
            keyword = "x-kiln-semantic-constraints"
        elif not keyword.startswith("x-kiln-"):
            keyword = "description"
        return self._add(rule.id, keyword, at.ref, rule.summary, rule.summary)

    def annotation(self, rule: Rule, definition: str) -> Location:
        """Where the schema states a rule: its annotation, or the definition when only a note binds it."""
        node = self.contract.definitions[definition]
        for owner, text in rule.annotations:
            if owner == definition:
                return node.at.child("x-kiln-semantic-constraints", node.semantic_constraints.index(text))
        return node.at
