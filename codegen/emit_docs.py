"""Render the reference pages: every definition's members, and every rule."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.conditions import WORDINGS
from codegen.emit_tables import CONSTRAINTS
from codegen.members import Member, is_closed, members
from codegen.model import ABSENT, PREFIX, Contract, Node, Source
from codegen.naming import is_object
from codegen.rules import RULES
from codegen.sites import SCHEMA_RULE
from codegen.wording import describe, literal

NOTICE = "<!-- Generated from the schemas by `python -m codegen`. Do not edit. -->\n"


def render_reference(contract: Contract) -> dict[str, str]:
    """Reference pages by file name."""
    pages = {_page(source): _definitions(contract, source) for source in contract.sources}
    return {**pages, "rules.md": _rules()}


def _page(source: Source) -> str:
    return source.file.removesuffix(".schema.json") + ".md"


def _definitions(contract: Contract, source: Source) -> str:
    prefix = PREFIX[source.file]
    names = [name for name in contract.definitions if name.rpartition(".")[0] == prefix.removesuffix(".")]
    lines = [NOTICE, f"# {source.document['title']}", "", source.document["description"], ""]
    lines += [f"`$id`: `{source.document['$id']}`  ", f"sha256: `{source.sha256}`", ""]
    for name in names:
        lines += _definition(contract, name)
    return "\n".join(lines)


def _definition(contract: Contract, name: str) -> Iterator[str]:
    node = contract.definitions[name]
    yield from (f"## {name}", "", node.description, "")
    if not is_object(contract, node):
        yield from (f"Value: {describe(contract, node)}.{_text_limits(node)}", "")
        return
    closed = is_closed(contract, node)
    yield from ("Closed: unknown members are refused." if closed else "Open: unknown members are ignored.", "")
    yield "| member | required | value | default | meaning |"
    yield "|---|---|---|---|---|"
    yield from (_row(contract, member) for member in members(contract, node))
    yield ""
    rules = [
        rule for rule in RULES if any(check.on == name for check in rule.checks) or _annotated(rule.annotations, name)
    ]
    if rules:
        yield from ("Rules: " + ", ".join(f"`{rule.id}`" for rule in rules) + ".", "")


def _annotated(annotations: tuple[tuple[str, str], ...], name: str) -> bool:
    return any(definition == name for definition, _ in annotations)


def _row(contract: Contract, member: Member) -> str:
    node = member.node
    values = " or ".join(dict.fromkeys(_value(contract, sub) for sub in member.nodes))
    default = "" if node.default is ABSENT else f"`{literal(node.default)}`"
    cells = (f"`{member.name}`", "yes" if member.required else "no", values, default, node.description)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _value(contract: Contract, node: Node) -> str:
    if node.ref is not None:
        return f"[{node.ref}]({_anchor(node.ref)})"
    if node.items is not None and node.items.ref is not None:
        return f"an array of [{node.items.ref}]({_anchor(node.items.ref)})"
    return describe(contract, node) + _text_limits(node)


def _anchor(name: str) -> str:
    page = "thinking-budget-v1.md" if "." in name else "kiln-inference-v1.md"
    return f"{page}#{name.replace('.', '').lower()}"


def _text_limits(node: Node) -> str:
    limits = [f"matching `{node.pattern}`"] if node.pattern else []
    limits += [f"{noun} {low} to {high}" for noun, low, high in _lengths(node) if low is not None and high is not None]
    limits += [f"{noun} at least {low}" for noun, low, high in _lengths(node) if low is not None and high is None]
    limits += [f"{noun} at most {high}" for noun, low, high in _lengths(node) if low is None and high is not None]
    return "".join(f", {limit}" for limit in limits)


def _lengths(node: Node) -> tuple[tuple[str, int | None, int | None], ...]:
    return (
        ("characters", node.min_length, node.max_length),
        ("items", node.min_items, node.max_items),
        ("members", None, node.max_properties),
    )


def _rules() -> str:
    lines = [NOTICE, "# Rules of the schemas", "", "`kiln-contract explain RULE` says more about one rule.", ""]
    lines += ["| rule | what it asks | kind |", "|---|---|---|"]
    lines += [f"| `{SCHEMA_RULE}{keyword}` | {summary} | schema |" for keyword, summary in CONSTRAINTS.items()]
    worded: dict[str, list[str]] = {}
    for wording in WORDINGS.values():
        worded.setdefault(wording.rule, []).append(wording.message)
    lines += [f"| `{rule}` | {'; '.join(dict.fromkeys(messages))} | schema |" for rule, messages in worded.items()]
    lines += [f"| `{rule.id}` | {rule.summary} | {rule.kind} |" for rule in RULES]
    return "\n".join([*lines, ""])
