"""Render the yes-or-no checks over decoded Structs: everything that msgspec's types cannot express.

On the fast path they run after a successful decode; a `False` sends the document to the collecting validator.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from codegen.emit_structs import INT64_MAX
from codegen.members import Member, is_closed, members
from codegen.model import Contract, Node, SchemaError
from codegen.naming import class_name, dependency_order, is_object, reachable, tag_of
from codegen.predicates import Predicates, StructView
from codegen.rules import RULES, Check

LEAST_ASKED = 3
"""So many members must be tested until asking for them all before calling the check pays."""

OPENING = re.compile(r"o\.(\w+) is (?:not UNSET|True|False)")
"""A question that an absent member answers with no."""


def render_checks(contract: Contract) -> str:
    """The module of checks, one function a definition that has any."""
    return _ChecksEmitter(contract).module()


class _ChecksEmitter:
    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.predicates = Predicates(contract, StructView())
        self.names: dict[str, str] = {}
        """Definitions that have a check, with the expression that calls it on `x`."""

    def module(self) -> str:
        functions = []
        for name in dependency_order(self.contract):
            node = self.contract.definitions[name]
            if is_object(self.contract, node):
                lines = [*self._lines(name, node)]
                if lines:
                    self.names[name] = class_name(name)
                    functions.append(self._function(name, lines))
        table = ",\n".join(f"    structs.{function}: {function}" for function in self.names.values())
        questions = {name: question for name in self.names if (question := self._question(name))}
        readers = ", ".join(f"structs.{self.names[name]}: read_{self.names[name]}" for name in questions)
        head = (
            "from collections.abc import Callable\nfrom typing import Any, Final\n\n"
            "from msgspec import UNSET, ValidationError\n\n"
            "from kiln_contract import semantics\nfrom kiln_contract._generated import structs\n\n"
            "Reader = Callable[[Any], Any]\n"
        )
        whole = ", ".join(f"structs.{class_name(name)}" for name in self.contract.definitions if self._is_whole(name))
        return "\n\n".join(
            [
                head,
                *functions,
                *(self._reader(name, question) for name, question in questions.items()),
                f"CHECKS: Final[dict[Any, Callable[[Any], bool]]] = {{\n{table},\n}}",
                f"READERS: Final[dict[Any, Callable[[Reader, Callable[[Any], None]], Reader]]] = {{{readers}}}\n"
                '"""Decoding with its check in one, for types most of whose documents need no check."""',
                f"READ_WHOLE: Final[frozenset[Any]] = frozenset({{{whole}}})\n",
            ]
        )

    def _is_whole(self, name: str) -> bool:
        """Whether decoding a Struct reads all of a document: no open object in it has members to skip over."""
        node = self.contract.definitions[name]
        reached = [name, *reachable(self.contract, node)]
        nodes = [self.contract.definitions[each] for each in reached]
        objects = [each for each in nodes if is_object(self.contract, each)]
        # A base that is open by itself is closed by the definition that builds on it.
        bases = {sub.ref for each in objects for sub in each.all_of if sub.ref is not None}
        used = [each for each, label in zip(nodes, reached, strict=True) if label == name or label not in bases]
        return is_object(self.contract, node) and all(
            is_closed(self.contract, each) for each in used if is_object(self.contract, each)
        )

    def _function(self, name: str, lines: list[str]) -> str:
        declared = ["x: Any"] if any("x = " in line for line in lines) else []
        body = textwrap.indent("\n".join([*declared, *lines, "return True"]), "    ")
        return f"def {class_name(name)}(o: structs.{class_name(name)}) -> bool:\n{body}"

    def _lines(self, name: str, node: Node) -> Iterator[str]:
        for member in members(self.contract, node):
            yield from self._member(name, member)
        yield from self._tag(node)
        yield from grouped(self._tests(name, node))

    def _tests(self, name: str, node: Node) -> list[tuple[str | None, str]]:
        return [*self._conditions(node), *self._rules(name)]

    def _member(self, owner: str, member: Member) -> Iterator[str]:
        covered = {name for check in checks_on(owner) for name in check.covers}
        lines = [] if member.name in covered else [line for sub in member.nodes for line in self._value(sub, "x")]
        if (owner, member.name) in {pair for rule in RULES for pair in rule.names}:
            lines.append("if semantics.adapter_name(x):\n    return False")
        if lines:
            yield f"x = o.{member.name}"
            if member.required and not self._nullable(member.node):
                yield from lines
            else:
                yield "if x:\n" + textwrap.indent("\n".join(lines), "    ")

    def _question(self, name: str) -> str | None:
        """Whether a Struct has any member that its check is about; None where some test is not about an optional one.

        Most requests have no such member, and asking is cheaper than calling the check.
        """
        node = self.contract.definitions[name]
        typed = members(self.contract, node)
        parts = [f"o.{member.name} is not UNSET" for member in typed if [*self._member(name, member)]]
        parts += [opening(breaks if guard is None else guard) for guard, breaks in self._tests(name, node)]
        optional = {member.name for member in typed if not member.required}
        asked = [found[1] for part in parts if (found := OPENING.fullmatch(part))]
        plain = tag_of(self.contract, node) is None and len(asked) == len(parts) and optional.issuperset(asked)
        return " or ".join(dict.fromkeys(parts)) if plain and len(set(asked)) >= LEAST_ASKED else None

    def _reader(self, name: str, question: str) -> str:
        check = self.names[name]
        return textwrap.dedent(f"""
            def read_{check}(decode: Reader, require_utf8: Callable[[Any], None]) -> Reader:
                def read(body: Any) -> Any:
                    o = decode(body)
                    if ({question}) and not {check}(o):
                        raise ValidationError
                    if not body.isascii():
                        require_utf8(body)
                    return o
                return read
            """)

    def _nullable(self, node: Node) -> bool:
        node = self.contract.resolve(node)
        return "null" in node.types or any(self._nullable(sub) for sub in node.one_of)

    def _value(self, node: Node, x: str) -> Iterator[str]:
        """Statements that return False when the value `x` breaks what its Python type cannot say."""
        if node.ref is not None and is_object(self.contract, self.contract.definitions[node.ref]):
            if node.ref in self.names:
                yield f"if not {self.names[node.ref]}({x}):\n    return False"
            return
        node = self.contract.resolve(node)
        if node.maximum is not None and node.maximum > INT64_MAX:
            yield f"if {x} > {node.maximum}:\n    return False"
        if node.max_utf8_bytes is not None:
            yield f"if semantics.identity_text({x}, {node.max_utf8_bytes}):\n    return False"
        for sub in node.one_of:
            yield from self._value(sub, x)
        yield from self._loop(node.items, x, x)
        if isinstance(node.additional, Node):
            yield from self._loop(node.additional, x, f"{x}.values()")

    def _loop(self, node: Node | None, x: str, iterable: str) -> Iterator[str]:
        inner = [] if node is None else list(self._value(node, x + "_"))
        if inner:
            yield f"for {x}_ in {iterable}:\n" + textwrap.indent("\n".join(inner), "    ")

    def _conditions(self, node: Node) -> Iterator[tuple[str | None, str]]:
        for base in node.all_of:
            if base.ref is not None:
                yield from self._conditions(self.contract.definitions[base.ref])
        for condition in self.predicates.conditions(node):
            yield condition.guard, condition.breaks

    def _tag(self, node: Node) -> Iterator[str]:
        tag = tag_of(self.contract, node)
        if tag is None:
            return
        for branch in (self.contract.resolve(sub) for sub in node.one_of):
            value = branch.properties[tag].const
            for name, sub in branch.properties.items():
                if name != tag and self._differs(node, name):
                    test = self.predicates.value(sub, f"o.{name}")
                    yield f"if o.{tag} == {value!r} and not ({test}):\n    return False"

    def _differs(self, node: Node, name: str) -> bool:
        branches = [self.contract.resolve(sub).properties for sub in node.one_of]
        types = {branch[name].types if name in branch else () for branch in branches}
        if not all(name in branch for branch in branches):
            raise SchemaError(f"{node.at.ref}: member {name!r} must be in every branch of the tagged union")
        return len(types) > 1

    def _rules(self, name: str) -> Iterable[tuple[str | None, str]]:
        calls = (
            (check.gate, f"not semantics.{check.fast}(o)" if check.fast else f"semantics.{check.function}(o)")
            for check in checks_on(name)
        )
        return dict.fromkeys(calls)


def grouped(tests: Iterable[tuple[str | None, str]]) -> Iterator[str]:
    """Statements that return False when a guard and one of its tests are true; neighbours share one guard."""
    previous: str | None = None
    for guard, group in groupby(tests, key=itemgetter(0)):
        lines = "\n".join(f"if {breaks}:\n    return False" for _, breaks in group)
        head = "else" if previous is not None and guard == f"not ({previous})" else f"if {guard}"
        yield lines if guard is None else f"{head}:\n" + textwrap.indent(lines, "    ")
        previous = guard


def opening(test: str) -> str:
    """The part of a rendered test that is evaluated first, and without which the test is false."""
    expression = ast.parse(test, mode="eval").body
    if isinstance(expression, ast.BoolOp) and isinstance(expression.op, ast.And):
        expression = expression.values[0]
    return ast.unparse(expression)


def checks_on(definition: str) -> list[Check]:
    """The semantic checks bound to a definition, in the order of the rules."""
    return [check for rule in RULES for check in rule.checks if check.on == definition]
