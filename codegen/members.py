"""The members of an object definition, gathered from everything that applies to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.model import Contract, Node, SchemaError
from codegen.naming import tag_of


@dataclass(frozen=True, slots=True)
class Member:
    """One named member of an object, with every schema that types it (several for a tagged union)."""

    name: str
    nodes: tuple[Node, ...]
    required: bool

    @property
    def node(self) -> Node:
        return self.nodes[0]


def members(contract: Contract, node: Node) -> list[Member]:
    """Members in schema order; those of an `allOf` base come first, as they are written first on the wire."""
    found: dict[str, Member] = {}
    for source in _sources(contract, node):
        for name, sub in source.properties.items():
            known = found.get(name)
            if known is None:
                found[name] = Member(name, (sub,), name in source.required)
            else:
                found[name] = replace(known, nodes=_distinct((*known.nodes, sub)))
    required = required_names(contract, node)
    return [replace(member, required=member.name in required) for member in found.values()]


def is_closed(contract: Contract, node: Node) -> bool:
    """Whether unknown members are refused; the branches of a tagged union must agree."""
    if tag_of(contract, node) is None:
        return node.closed
    closed = {contract.resolve(branch).closed for branch in node.one_of}
    if len(closed) != 1:
        raise SchemaError(f"{node.at.ref}: the branches of a tagged union must all be open or all closed")
    return closed.pop()


def _sources(contract: Contract, node: Node) -> list[Node]:
    bases = [contract.resolve(sub) for sub in node.all_of if sub.ref is not None]
    branches = [contract.resolve(sub) for sub in node.one_of] if tag_of(contract, node) else []
    return [*(inner for base in bases for inner in _sources(contract, base)), *branches, node]


def required_names(contract: Contract, node: Node) -> set[str]:
    """Names of the members that every conforming object has."""
    if tag_of(contract, node):
        return set.intersection(*(set(contract.resolve(branch).required) for branch in node.one_of))
    bases = [contract.resolve(sub) for sub in node.all_of if sub.ref is not None]
    return set(node.required).union(*(required_names(contract, base) for base in bases))


def _distinct(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Drop schemas that differ only in where they stand."""
    kept: list[Node] = []
    for node in nodes:
        if all(replace(node, at=other.at) != other for other in kept):
            kept.append(node)
    return tuple(kept)
