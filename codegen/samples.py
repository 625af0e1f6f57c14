"""A small valid value for every schema node, built from the schema alone."""

from __future__ import annotations

from typing import Any, Final

from codegen.model import ABSENT, Contract, Node, SchemaError
from codegen.naming import tag_of

PATTERNS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "^batchcmpl-": ("batchcmpl-1", ("chatcmpl-1", "x-batchcmpl-1")),
    "^chatcmpl-": ("chatcmpl-1", ("batchcmpl-1", "x-chatcmpl-1")),
    "^cmpl-": ("cmpl-1", ("chatcmpl-1",)),
    "^[0-9]+$": ("0", ("", "x", "-1", "1.0", "7\n", "\u0663")),
    "^sha256:[0-9a-f]{64}$": (
        "sha256:" + "0" * 64,
        ("0" * 64, "sha256:" + "0" * 63, "sha256:" + "0" * 65, "sha256:" + "A" * 64, "sha256:" + "0" * 64 + "\n"),
    ),
    "^[^\\u0000-\\u001f\\u007f]+$": ("text", ("a\u0000b", "a\u001fb", "a\u007fb", "text\n")),
}
"""For each pattern of the schemas, a text that matches and some that do not (near misses, one fault each)."""

MEMBERS: Final[dict[str, dict[str, Any]]] = {
    # The second token is generated, and the one action is that token.
    "RolloutProvenanceV1": {
        "input_token_ids": [0, 0],
        "action_tokens": [{"sequence_index": 1, "token_id": 0, "source": "sampled", "behavior_logprob": 0.0}],
    },
}
"""Members that the semantic rules of a definition do not leave free."""

_OUTCOME: Final = {
    "configured": True,
    "max_tokens": 0,
    "tokens_source": "server_default",
    "applied": True,
    "closed": True,
    "thinking_tokens": 0,
    "thinking_time_ms": 0,
}
COMPANIONS: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "thinking_budget.effective": {
        "max_tokens": {"configured": True, "tokens_source": "server_default"},
        "max_time_ms": {"configured": True, "time_source": "server_default"},
    },
    "thinking_budget.outcome": {"trigger": {"triggered": True}},
    "thinking_budget.record": {
        "triggered": _OUTCOME,
        "trigger": {**_OUTCOME, "triggered": True},
        "closed": _OUTCOME,
        "thinking_tokens": _OUTCOME,
        "thinking_time_ms": _OUTCOME,
    },
}
"""What must stand beside a member so that no conditional rule has a say in it."""


class Samples:
    """Builds values from the schemas; every call gives a fresh one."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def definition(self, name: str) -> Any:
        """A valid document of the definition `name`, with its required members only."""
        value = self.value(self.contract.definitions[name])
        return {**value, **MEMBERS[name]} if name in MEMBERS else value

    def value(self, node: Node) -> Any:
        """A valid value for one schema node."""
        if node.ref is not None:
            return self.definition(node.ref)
        if node.const is not ABSENT:
            return node.const
        if node.enum:
            return node.enum[0]
        if node.one_of:
            return self.value(node.one_of[0])
        if node.properties or node.all_of:
            return self.object(node)
        return self._typed(node)

    def object(self, node: Node) -> dict[str, Any]:
        """The required members of an object, those of its bases first."""
        if node.one_of and tag_of(self.contract, node) is None:
            raise SchemaError(f"{node.at.ref}: cannot build a sample of an object with this oneOf")
        members: dict[str, Any] = {}
        for base in node.all_of:
            if base.ref is not None:
                members.update(self.definition(base.ref))
        required = (*node.required, *(node.any_of[0].required if node.any_of else ()))
        own = {name: self.value(sub) for name, sub in node.properties.items() if name in required}
        return {**members, **own}

    def _typed(self, node: Node) -> Any:
        match node.types:
            case ("null",):
                return None
            case ("boolean",):
                return False
            case ("integer",):
                return node.minimum or 0
            case ("number",):
                return 1.0 if node.exclusive_minimum == 0 else float(max(node.minimum or 0, 0))
            case ("string",):
                return matching(node)
            case ("array",):
                return [self.value(node.items) for _ in range(node.min_items or 0)] if node.items else []
            case ("object",):
                return self._map(node)
            case ():
                return None
        raise SchemaError(f"{node.at.ref}: cannot build a sample of type {node.types!r}")

    def _map(self, node: Node) -> dict[str, Any]:
        if not isinstance(node.additional, Node) or node.additional.is_any:
            return {}
        return {matching(node.property_names): self.value(node.additional)}


def matching(node: Node | None) -> str:
    """A text that fits the pattern of a node, if it has one."""
    return "text" if node is None or node.pattern is None else PATTERNS[pattern_of(node)][0]


def mismatching(node: Node) -> tuple[str, ...]:
    """Texts that break the pattern of a node and no other keyword."""
    return PATTERNS[pattern_of(node)][1]


def pattern_of(node: Node) -> str:
    """The pattern of a node; raises SchemaError when no sample texts are known for it."""
    if node.pattern not in PATTERNS:
        raise SchemaError(f"{node.at.ref}: add sample texts for the pattern {node.pattern!r} to codegen/samples.py")
    return node.pattern
