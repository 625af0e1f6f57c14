"""Strategies for what the contract leaves open: any JSON at all."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kiln_contract.strategies.scalar import integers, numbers, text

AWKWARD_KEYS: Final = ("", "\x00", "$ref", "__class__", "a/b~c", "ключ", "\U0001f511")


def _nested(levels: int) -> Any:
    value: Any = None
    for level in range(levels):
        value = [value] if level % 2 else {"deeper": value}
    return value


@cache
def json_values() -> SearchStrategy[Any]:
    """Any JSON value whose numbers are finite, some of it deeply nested."""
    scalar = st.one_of(st.none(), st.booleans(), integers({"minimum": -(2**70), "maximum": 2**70}), numbers({}), text())
    tree = st.recursive(
        scalar,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys(), inner, max_size=3)),
        max_leaves=6,
    )
    return st.one_of(scalar, tree, st.sampled_from((_nested(60), [], {})))


def keys() -> SearchStrategy[str]:
    """Names of members that nobody has declared."""
    return st.one_of(text(), st.sampled_from(AWKWARD_KEYS))
