"""Render the collecting validator: plain functions that name every violation of a decoded JSON value.

Each schema node becomes one function; a member whose schema is a scalar is first judged by an inline expression, and
its function runs only when that fails. Functions return failures with relative paths (see `kiln_contract.collector`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from codegen.conditions import WORDINGS
from codegen.emit_structs import TypeRenderer
from codegen.inline_tests import Constants, InlineTests, has_type, is_struct, set_literal
from codegen.members import Member, is_closed, members, required_names
from codegen.model import ABSENT, Contract, Location, Node, SchemaError
from codegen.naming import class_name, dependency_order, is_object, tag_of
from codegen.predicates import JsonView, Predicates
from codegen.rules import RULES, Rule
from codegen.sites import Sites
from codegen.wording import one_of

HEAD = """\
import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from kiln_contract import semantics
from kiln_contract._generated import structs
from kiln_contract.collector import (
    BoundCheck,
    Context,
    Failure,
    Failures,
    M,
    Site,
    broken,
    found,
    opaque,
    put,
    run_checks,
    settled,
    suspects,
)
from kiln_contract.number import integer_of, is_finite, is_integer, is_number

INF: Final = float("inf")
"""
NAME_RULE = next(rule for rule in RULES if rule.names)
TEXT_RULE = next(rule for rule in RULES if rule.text_limit)


def render_collector(contract: Contract) -> str:
    """The module of the collecting validator."""
    return CollectorEmitter(contract).module()


class CollectorEmitter:
    """Walks the definitions in dependency order and renders their functions and the sites these report."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.sites = Sites(contract)
        self.predicates = Predicates(contract, JsonView())
        self.types = TypeRenderer(contract)
        self.constants = Constants()
        self.inline = InlineTests(contract, self.constants)
        self.functions: dict[str, str] = {}

    def module(self) -> str:
        for name in dependency_order(self.contract):
            self._function(self.contract.definitions[name], class_name(name), owner=name)
        unused = set(WORDINGS) - self.sites.worded
        if unused:
            raise SchemaError(f"codegen/conditions.py words rules that the schema does not have: {sorted(unused)}")
        table = ",\n".join(f'    "{name}": {class_name(name)}' for name in self.contract.definitions)
        validators = f"VALIDATORS: Final[dict[str, Callable[[Any, Context], Failures]]] = {{\n{table},\n}}\n"
        return "\n\n".join([HEAD, self.sites.render(), self.constants.render(), *self.functions.values(), validators])

    def _function(self, node: Node, name: str, *, nullable: bool = False, owner: str | None = None) -> str:
        """Render the function of one node, once, and give its name."""
        if name not in self.functions:
            self.functions[name] = ""  # keeps the place before the functions it calls are rendered
            body = textwrap.indent("\n".join(self._body(node, name, nullable, owner)), "    ")
            del self.functions[name]
            self.functions[name] = f"def {name}(v: Any, c: Context) -> Failures:\n{body}"
        return name

    def _call(self, node: Node, name: str, *, nullable: bool = False) -> str:
        """The function that judges a value of this schema: a shared one for a definition, else its own."""
        if node.ref is not None and not nullable:
            return class_name(node.ref)
        if node.ref is not None:
            target = self.contract.definitions[node.ref]
            return self._function(target, f"{class_name(node.ref)}_or_null", nullable=True, owner=node.ref)
        return self._function(node, name, nullable=nullable)

    def _body(self, node: Node, name: str, nullable: bool, owner: str | None) -> Iterator[str]:
        if nullable:
            yield "if v is None:\n    return []"
        if owner is not None and is_object(self.contract, node):
            tag = tag_of(self.contract, node)
            yield from self._tagged(node, name, tag) if tag else self._object(node, name, nullable, owner)
        elif node.one_of:
            yield from self._union(node, name)
        elif node.ref is not None:
            yield f"return {self._call(node, name)}(v, c)"
        elif node.const is not ABSENT:
            yield self._reject(f"not ({self.inline.test(node, 'v')})", node, "const", nullable)
            yield "return []"
        elif node.is_any:
            yield "return opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []"
        else:
            yield from self._typed(node, name, nullable)

    def _typed(self, node: Node, name: str, nullable: bool) -> Iterator[str]:
        match node.types:
            case ("array",):
                yield from self._array(node, name, nullable)
            case ("object",):
                yield from self._map(node, name, nullable)
            case ("integer",):
                yield from self._integer(node, nullable)
            case ("number",):
                yield from self._number(node, nullable)
            case ("string",):
                yield from self._string(node, nullable)
            case _ if set(node.types) <= {"string", "boolean", "null"}:
                yield self._reject(f"not ({has_type(node, 'v')})", node, "type", nullable)
                if node.enum:
                    yield self._reject(f"v not in {self.constants.enum(node)}", node, "enum", nullable)
                yield "return []"
            case _:
                raise SchemaError(f"{node.at.ref}: cannot render type {node.types!r}")

    def _reject(self, test: str, node: Node, keyword: str, nullable: bool = False) -> str:
        return f"if {test}:\n    return [Failure({self.sites.keyword(node, keyword, nullable=nullable)}, v)]"

    def _append(self, test: str, node: Node, keyword: str, nullable: bool = False) -> str:
        return f"if {test}:\n    e.append(Failure({self.sites.keyword(node, keyword, nullable=nullable)}, v))"

    def _integer(self, node: Node, nullable: bool) -> Iterator[str]:
        yield "i = integer_of(v)"
        yield self._reject("i is None", node, "type", nullable)
        yield from self._bounds(node, "i", nullable)
        yield "return []"

    def _number(self, node: Node, nullable: bool) -> Iterator[str]:
        yield self._reject("not is_number(v)", node, "type", nullable)
        # NaN and the infinities are no JSON numbers; an integer beyond a double is one, and only the rule refuses it.
        yield "if not is_finite(v) and (c.semantics or isinstance(v, float)):\n    return [Failure(FINITE, v)]"
        yield from self._bounds(node, "v", nullable)
        yield "return []"

    def _bounds(self, node: Node, x: str, nullable: bool) -> Iterator[str]:
        for keyword, sign, bound in (
            ("minimum", "<", node.minimum),
            ("exclusiveMinimum", "<=", node.exclusive_minimum),
            ("maximum", ">", node.maximum),
        ):
            if bound is not None:
                yield self._reject(f"{x} {sign} {bound!r}", node, keyword, nullable)

    def _string(self, node: Node, nullable: bool) -> Iterator[str]:
        yield self._reject("v.__class__ is not str", node, "type", nullable)
        if node.enum:
            yield self._reject(f"v not in {self.constants.enum(node)}", node, "enum", nullable)
        if node.min_length is not None:
            yield self._reject(f"len(v) < {node.min_length}", node, "minLength", nullable)
        yield "e: Failures = []"
        if node.max_length is not None:
            yield self._append(f"len(v) > {node.max_length}", node, "maxLength", nullable)
        if node.pattern is not None:
            yield self._append(f"not {self.constants.pattern(node.pattern)}(v)", node, "pattern", nullable)
        if node.max_utf8_bytes is not None:
            site = self.sites.semantic(TEXT_RULE, node.at.child("x-kiln-max-utf8-bytes"))
            yield (
                "if c.semantics and not e:\n"
                f"    e.extend(found({site}, semantics.identity_text(v, {node.max_utf8_bytes}), c.limit))"
            )
        yield "return e"

    def _array(self, node: Node, name: str, nullable: bool) -> Iterator[str]:
        yield self._reject("v.__class__ is not list", node, "type", nullable)
        if node.items is None or node.items.is_any:
            yield "e = opaque(v, FINITE, NOT_JSON, c.limit) if c.walk_opaque else []"
        else:
            yield "e: Failures = []"
        for keyword, sign, bound in (("minItems", "<", node.min_items), ("maxItems", ">", node.max_items)):
            if bound is not None:
                yield self._append(f"len(v) {sign} {bound}", node, keyword, nullable)
        if node.items is not None and not node.items.is_any:
            yield from self._items(node.items, name)
        yield "return e"

    def _items(self, items: Node, name: str) -> Iterator[str]:
        item_type = self.constants.name("T", self._qualified(items))
        # Items of a long array are settled by the chunk, so not one by one as well.
        fast = "" if is_struct(self.contract, items) else self.inline.test(items, "x")
        call = self._call(items, f"{name}_item")
        adopt = f"put(e, {call}(x, c), i)\nif len(e) >= c.limit:\n    break"
        yield (
            f"for i, x in suspects(v, {item_type}, c):\n"
            + textwrap.indent(f"if not ({fast}):\n" + textwrap.indent(adopt, "    ") if fast else adopt, "    ")
        )

    def _qualified(self, node: Node) -> str:
        """The Python type of a node, as the collector's module can name it."""
        if node.ref is not None:
            return f"structs.{class_name(node.ref)}"
        if node.types == ("array",) and node.items is not None and node.items.ref is not None:
            return f"list[structs.{class_name(node.items.ref)}]"
        if node.one_of and any(sub.ref for sub in node.one_of):
            return " | ".join(
                f"structs.{class_name(sub.ref)}" if sub.ref else self.types.type_of(sub) for sub in node.one_of
            )
        return self.types.type_of(node)

    def _map(self, node: Node, name: str, nullable: bool) -> Iterator[str]:
        yield self._reject("v.__class__ is not dict", node, "type", nullable)
        yield "e: Failures = []"
        if node.max_properties is not None:
            yield self._append(f"len(v) > {node.max_properties}", node, "maxProperties", nullable)
        lines = []
        if node.property_names is not None:
            # JSON names are strings: the schema of the names needs no type of its own.
            names = self._function(_string_node(node.property_names), f"{name}_name")
            lines.append(f"put(e, {names}(k, c), k)")
        if isinstance(node.additional, Node) and not node.additional.is_any:
            lines.append(f"put(e, {self._call(node.additional, f'{name}_value')}(x, c), k)")
        if lines:
            lines.append("if len(e) >= c.limit:\n    break")
            yield "for k, x in v.items():\n" + textwrap.indent("\n".join(lines), "    ")
        if not isinstance(node.additional, Node) or node.additional.is_any:
            yield "if c.walk_opaque:\n    e.extend(opaque(v, FINITE, NOT_JSON, c.limit))"
        yield "return e"

    def _union(self, node: Node, name: str) -> Iterator[str]:
        """A union of schemas that no value can satisfy twice; the value's type picks the branch."""
        branches = [sub for sub in node.one_of if self.contract.resolve(sub).types != ("null",)]
        nullable = len(branches) < len(node.one_of)
        if nullable:
            yield "if v is None:\n    return []"
        if len(branches) == 1:
            yield f"return {self._call(branches[0], f'{name}_value', nullable=nullable)}(v, c)"
            return
        for index, branch in enumerate(branches):
            resolved = self.contract.resolve(branch)
            python = {"string": "str", "array": "list", "object": "dict", "boolean": "bool"}.get(
                "".join(resolved.types)
            )
            if python is None:
                raise SchemaError(f"{node.at.ref}: the branches of this oneOf cannot be told apart by type")
            yield f"if v.__class__ is {python}:\n    return {self._call(branch, f'{name}_{index}')}(v, c)"
        yield f"return [Failure({self.sites.keyword(node, 'oneOf')}, v)]"

    def _tagged(self, node: Node, name: str, tag: str) -> Iterator[str]:
        branches = [self.contract.resolve(sub) for sub in node.one_of]
        first = branches[0]
        yield self._reject("v.__class__ is not dict", first, "type")
        yield f"t = v.get({tag!r}, M)"
        for index, branch in enumerate(branches):
            function = self._branch(branch, f"{name}_{index}", name)
            yield f"if t == {branch.properties[tag].const!r}:\n    return {function}(v, c)"
        yield f"if t is M:\n    return [Failure({self.sites.required(first, tag)}, M)]"
        expected = one_of(tuple(branch.properties[tag].const for branch in branches))
        site = self.sites.tag(node, tag, expected)
        yield f"failure = Failure({site}, t)\nfailure.path.append({tag!r})\nreturn [failure]"

    def _branch(self, node: Node, name: str, owner: str) -> str:
        body = textwrap.indent("\n".join(self._object(node, name, False, owner)), "    ")
        self.functions[name] = f"def {name}(v: Any, c: Context) -> Failures:\n{body}"
        return name

    def _object(self, node: Node, name: str, nullable: bool, owner: str) -> Iterator[str]:
        own = members(self.contract, node)
        yield self._reject("v.__class__ is not dict", self._type_node(node), "type", nullable)
        yield "e: Failures = []"
        for member in own:
            yield from self._member(node, member, name, owner)
        if is_closed(self.contract, node):
            known = self.constants.name("F", f"frozenset({set_literal(tuple(member.name for member in own))})")
            keyword = "additionalProperties" if node.additional is False else "unevaluatedProperties"
            site = self.sites.unknown(node, keyword, class_name(owner))
            yield (
                f"if not {known}.issuperset(v):\n"
                f"    for k in v:\n        if k not in {known}:\n            put(e, [Failure({site}, v[k])], k)\n"
                "            if len(e) >= c.limit:\n                break"
            )
        yield from self._conditions(node)
        checks = [
            self._bound_check(rule, owner, index)
            for rule in RULES
            for index, check in enumerate(rule.checks)
            if check.on == owner
        ]
        if checks:
            constant = self.constants.name("R", f"({', '.join(checks)},)")
            yield f"if c.semantics:\n    run_checks(e, v, {constant}, c.limit)"
        yield "return e"

    def _type_node(self, node: Node) -> Node:
        if node.types:
            return node
        return next(base for base in (self.contract.resolve(sub) for sub in node.all_of) if base.types)

    def _member(self, owner_node: Node, member: Member, name: str, owner: str) -> Iterator[str]:
        fast = self.inline.test(member.node, "x")
        adopt = f"put(e, {self._call(member.node, f'{name}_{member.name}')}(x, c), {member.name!r})"
        yield f"x = v.get({member.name!r}, M)"
        if member.required:
            site = self.sites.required(self._requiring(owner_node, member.name), member.name)
            otherwise = f"elif not ({fast})" if fast else "else"
            yield f"if x is M:\n    e.append(Failure({site}, M))\n{otherwise}:\n    {adopt}"
        else:
            unfit = f" and not ({fast})" if fast else ""
            yield f"if x is not M{unfit}:\n    {adopt}"
        if (owner, member.name) in NAME_RULE.names:
            site = self.sites.semantic(NAME_RULE, Location(member.node.at.file, member.node.at.pointer))
            yield (
                "if c.semantics and x.__class__ is str and x:\n"
                f"    put(e, found({site}, semantics.adapter_name(x), c.limit), {member.name!r})"
            )

    def _requiring(self, node: Node, member: str) -> Node:
        if member in node.required:
            return node
        bases = (self.contract.resolve(sub) for sub in node.all_of if sub.ref is not None)
        return next(self._requiring(base, member) for base in bases)

    def _conditions(self, node: Node) -> Iterator[str]:
        required = required_names(self.contract, node)
        for base in node.all_of:
            if base.ref is not None:
                yield from self._conditions(self.contract.definitions[base.ref])
        for condition in self.predicates.conditions(node):
            site = self.sites.condition(condition)
            test = condition.breaks if condition.guard is None else f"({condition.guard}) and ({condition.breaks})"
            for name in condition.members:
                # A missing one is a violation as well where it is required, and means nothing else where it is not.
                present = f"{name!r} in v and " if name in required else ""
                test += f" and {present}not broken(e, {name!r})"
            yield f"if {test}:\n    e.append(Failure({site}, v))"

    def _bound_check(self, rule: Rule, owner: str, index: int) -> str:
        check = rule.checks[index]
        site = self.sites.semantic(rule, self.sites.annotation(rule, owner))
        return f"BoundCheck({site}, semantics.{check.function}, structs.{class_name(owner)}, {check.reads!r})"


def _string_node(node: Node) -> Node:
    return Node(
        at=node.at, types=("string",), min_length=node.min_length, max_length=node.max_length, pattern=node.pattern
    )
