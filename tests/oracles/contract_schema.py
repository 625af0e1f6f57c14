"""The contract's schema files as the oracles read them: straight from the folder, without `kiln_contract`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

CONTRACTS: Final = Path(__file__).parents[2] / "contracts"
INFERENCE: Final[dict[str, Any]] = json.loads((CONTRACTS / "kiln-inference-v1.schema.json").read_text())
THINKING: Final[dict[str, Any]] = json.loads((CONTRACTS / "thinking-budget-v1.schema.json").read_text())

NAMES: Final = (*INFERENCE["$defs"], *(f"thinking_budget.{name}" for name in THINKING["$defs"]))
"""Every definition, those of the second schema with its prefix."""


def uri(name: str) -> str:
    """The absolute URI of one definition."""
    scope, _, definition = name.rpartition(".")
    return f"{(THINKING if scope else INFERENCE)['$id']}#/$defs/{definition}"


def ecma(pattern: str) -> str:
    """A pattern of the contract in Python's dialect, where `$` would also match before a trailing newline."""
    return re.sub(r"\$\Z", r"\\Z", pattern)


def visible(name: str, value: Any) -> Any:
    """A document without the members that an open object ignores."""
    document = THINKING if "." in name else INFERENCE
    return _visible([(document["$defs"][name.rpartition(".")[2]], document)], value)


_Node = tuple[dict[str, Any], dict[str, Any]]


def _visible(nodes: list[_Node], value: Any) -> Any:
    nodes = [leaf for node in nodes for leaf in _leaves(*node)]
    if isinstance(value, list):
        items = [(node["items"], document) for node, document in nodes if "items" in node]
        return [_visible(items, item) for item in value] if items else value
    if not isinstance(value, dict) or not any("properties" in node for node, _ in nodes):
        return value
    declared: dict[str, list[_Node]] = {}
    for node, document in nodes:
        for key, member in node.get("properties", {}).items():
            declared.setdefault(key, []).append((member, document))
    return {key: _visible(declared[key], member) for key, member in value.items() if key in declared}


def _leaves(node: dict[str, Any], document: dict[str, Any]) -> Iterator[_Node]:
    if "$ref" in node:
        file, _, pointer = node["$ref"].partition("#/$defs/")
        document = THINKING if file.startswith("thinking") else document
        yield from _leaves(document["$defs"][pointer], document)
    for branch in (*node.get("oneOf", ()), *(base for base in node.get("allOf", ()) if "$ref" in base)):
        yield from _leaves(branch, document)
    yield node, document
