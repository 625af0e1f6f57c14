"""Strategies for documents that break the contract in exactly one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kiln_contract.errors import pointer
from kiln_contract.strategies.broken_rule import broken_rules, has_rules
from kiln_contract.strategies.definition import definition, is_open
from kiln_contract.strategies.document import valid
from kiln_contract.strategies.mistake import Mistake, mistakes
from kiln_contract.strategies.site import Path, Site, sites

T = TypeVar("T")


class NearMiss(NamedTuple):
    """A document with one mistake: what was done to it, and the violation that names it."""

    document: Any
    mistake: str
    rule: str
    pointer: str


def near_miss(name: str) -> SearchStrategy[Any]:
    """Decoded JSON documents that `kiln_contract.validate(name, …)` refuses, each for one seeded mistake.

    Raises LookupError for an unknown definition, ValueError for one that accepts every JSON value.
    """
    return near_misses(name).map(lambda miss: miss.document)


@cache
def near_misses(name: str) -> SearchStrategy[NearMiss]:
    """Like `near_miss`, with the mistake and the violation to expect."""
    if is_open(definition(name)):
        raise ValueError(f"{name} accepts every JSON value, so nothing is a near miss of it")
    return _near_misses(name)


def near_misses_of(name: str, document: Any) -> Iterator[NearMiss]:
    """Every near miss that the strategies make of one valid document; the document itself stays as it is.

    Of a long array, the items at both ends are broken.
    """
    for site in sites(name, document):
        for mistake in (*mistakes(site), *broken_rules(site)):
            yield _near_miss(document, site, mistake)


@st.composite
def _near_misses(draw: DrawFn, name: str) -> NearMiss:
    document = draw(valid(name))
    places = list(sites(name, document))
    ruled = [site for site in places if has_rules(site)]
    if draw(st.booleans()) and ruled:
        site = draw(_evenly(ruled, _place))
        mistake = draw(_evenly(broken_rules(site), _rule))
    else:
        site = draw(_evenly(places, _place))
        mistake = draw(_evenly(mistakes(site), _rule))
    return _near_miss(document, site, mistake)


def _near_miss(document: Any, site: Site, mistake: Mistake) -> NearMiss:
    broken = _replaced(document, site.path, mistake.value)
    return NearMiss(broken, mistake.what, mistake.rule, pointer((*site.path, *mistake.path)))


def _evenly(choices: Iterable[T], key: Callable[[T], Any]) -> SearchStrategy[T]:
    """One of the choices, such that groups of equal keys are equally likely, however large."""
    groups: dict[Any, list[T]] = {}
    for choice in choices:
        groups.setdefault(key(choice), []).append(choice)
    return st.sampled_from(list(groups.values())).flatmap(lambda group: st.sampled_from(group))


def _place(site: Site) -> tuple[str, ...]:
    return site.place


def _rule(mistake: Mistake) -> str:
    return mistake.rule


def _replaced(document: Any, path: Path, value: Any) -> Any:
    """A copy of the document with another value at one place."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = _replaced(document[path[0]], path[1:], value)
    return copy
