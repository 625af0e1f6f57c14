"""Strategies for documents that conform to the contract, its semantic rules included."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kiln_contract.strategies import scalar
from kiln_contract.strategies.completion import COMPLETIONS, Completion
from kiln_contract.strategies.definition import Schema, definition, is_closed, is_open, members, required, types_of
from kiln_contract.strategies.opaque import json_values, keys

FEW: Final = 3
"""Items that an array has more than it must, at most, unless it is filled to its limit."""
FILLABLE: Final = 4096
"""Arrays and objects with a higher limit than this are never filled."""
ONE_IN: Final = 24
"""How rarely an array is filled."""

PLAIN_NAMES: Final = frozenset(
    {("AdapterRef", "name"), ("BatchCompletionRequest", "adapter"), ("ChatCompletionRequest", "adapter")}
)
"""Members that hold an adapter's name, which the schemas describe in words only."""


@cache
def valid(name: str) -> SearchStrategy[Any]:
    """Decoded JSON documents on which `kiln_contract.validate(name, …)` finds nothing.

    Raises LookupError for an unknown definition.
    """
    node = definition(name)
    if name == "Sha256":
        return scalar.digests()
    documents = _objects(node, name) if members(node) else _values(node)
    completion = COMPLETIONS.get(name)
    return documents if completion is None else _completed(documents, completion)


@st.composite
def _completed(draw: DrawFn, documents: SearchStrategy[Any], completion: Completion) -> Any:
    return completion(draw, draw(documents))


def _values(node: Schema) -> SearchStrategy[Any]:
    if "$ref" in node:
        return valid(node["$ref"])
    if is_open(node):
        return json_values()
    if "oneOf" in node:
        return st.one_of([_values(branch) for branch in node["oneOf"]])
    if scalar.is_scalar(node):
        return scalar.scalars(node)
    if node["type"] == "array":
        return _arrays(_values(node["items"]), node.get("minItems", 0), node.get("maxItems", FILLABLE + 1))
    return _objects(node, "") if members(node) else _maps(node)


def _objects(node: Schema, name: str) -> SearchStrategy[dict[str, Any]]:
    typed = {key: _member(name, key, member) for key, member in members(node).items()}
    needed = {key: typed.pop(key) for key in required(node)}
    known = st.fixed_dictionaries(needed, optional=typed)
    return known if is_closed(node) else st.builds(_with_strangers, known, _strangers(frozenset(members(node))))


def _member(name: str, key: str, node: Schema) -> SearchStrategy[Any]:
    if (name, key) not in PLAIN_NAMES:
        return _values(node)
    names = scalar.plain_names()
    return st.one_of(names, st.sampled_from((None, ""))) if "null" in types_of(node) else names


def _strangers(declared: frozenset[str]) -> SearchStrategy[dict[str, Any]]:
    undeclared = keys().map(lambda key: f"{key}?" if key in declared else key)
    return st.one_of(st.just({}), st.dictionaries(undeclared, json_values(), max_size=2))


def _with_strangers(known: dict[str, Any], strangers: dict[str, Any]) -> dict[str, Any]:
    return {**known, **strangers}


def _maps(node: Schema) -> SearchStrategy[dict[str, Any]]:
    values = _values(node["additionalProperties"])
    names = scalar.strings(node["propertyNames"]) if "propertyNames" in node else keys()
    most = node.get("maxProperties", FILLABLE + 1)
    few = st.dictionaries(names, values, max_size=min(most, FEW))
    return few if most > FILLABLE else _rarely(values.map(lambda one: dict.fromkeys(map(str, range(most)), one)), few)


def _arrays(items: SearchStrategy[Any], least: int, most: int) -> SearchStrategy[list[Any]]:
    few = st.lists(items, min_size=least, max_size=min(most, least + FEW))
    return few if most > FILLABLE else _rarely(items.map(lambda one: [one] * most), few)


@st.composite
def _rarely(draw: DrawFn, rare: SearchStrategy[Any], usual: SearchStrategy[Any]) -> Any:
    return draw(rare if draw(st.integers(1, ONE_IN)) == ONE_IN else usual)
