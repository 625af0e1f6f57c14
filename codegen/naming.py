"""Names of generated things, and the order in which definitions can be written."""

from __future__ import annotations

from codegen.model import Contract, Node, children


def class_name(definition: str) -> str:
    """The Python name of a definition: `thinking_budget.record` becomes `ThinkingBudgetRecord`."""
    scope, _, name = definition.rpartition(".")
    return "".join(part.capitalize() for part in scope.split("_")) + name[0].upper() + name[1:]


def is_object(contract: Contract, node: Node) -> bool:
    """Whether a definition becomes a Struct: an object with named members, or a union told apart by a constant."""
    return (
        bool(node.properties)
        or is_tagged(contract, node)
        or any(is_object(contract, contract.resolve(sub)) for sub in node.all_of)
    )


def is_tagged(contract: Contract, node: Node) -> bool:
    """Whether a `oneOf` is a union of objects told apart by one constant member."""
    return tag_of(contract, node) is not None


def tag_of(contract: Contract, node: Node) -> str | None:
    """The member whose constant tells the branches of a `oneOf` apart, if there is one."""
    branches = [contract.resolve(sub) for sub in node.one_of]
    if not branches or not all(branch.properties for branch in branches):
        return None
    for name in branches[0].required:
        values = [
            branch.properties[name].const
            for branch in branches
            if name in branch.required and name in branch.properties
        ]
        if len(values) == len(branches) and all(isinstance(value, str) for value in values):
            return name
    return None


def reachable(contract: Contract, node: Node) -> set[str]:
    """Names of the definitions that a node refers to, directly or through others."""
    found: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        stack.extend(children(current))
        if current.ref is not None and current.ref not in found:
            found.add(current.ref)
            stack.append(contract.definitions[current.ref])
    return found


def dependency_order(contract: Contract) -> list[str]:
    """Definition names such that each comes after everything it refers to; otherwise in schema order."""
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in order:
            return
        for other in contract.definitions:
            if other != name and other in direct[name]:
                visit(other)
        order[name] = None

    direct = {name: reachable(contract, node) for name, node in contract.definitions.items()}
    for name in contract.definitions:
        visit(name)
    return list(order)
