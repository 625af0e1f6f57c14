"""Where schema nodes stand in documents: how to put any value there, inside a document that is otherwise valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from codegen.misfits import Misfit, misfits
from codegen.model import Contract, Location, Node
from codegen.naming import tag_of
from codegen.samples import COMPANIONS, Samples, matching

LEADING: Final[dict[str, list[Any]]] = {"#/$defs/TextCompletionChoice/properties/prompt_logprobs": [None]}
"""Items that must come first in an array: the first prompt token never has candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One node of one definition, at one path into its documents.

    `put` gives a whole document with a value at this place, `current` is a valid one, `misfits` are of no valid type.
    `holders` are the constraints by which the node hangs on its parent.
    """

    node: Node
    path: tuple[str | int, ...]
    current: Any
    put: Callable[[Any], Any]
    misfits: tuple[Misfit, ...]
    holders: tuple[str, ...] = field(default=())


class Places:
    """Walks what a definition asks of values; conditional rules are left out, and `$ref` is not followed."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.samples = Samples(contract)

    def of(self, name: str) -> Iterator[Place]:
        """Every place of the definition `name`, outer ones first."""
        node = self.contract.definitions[name]
        yield from self._walk(
            Place(
                node=node,
                path=(),
                current=self.samples.definition(name),
                put=lambda value: value,
                misfits=misfits(self.contract, node),
            ),
            COMPANIONS.get(name, {}),
        )

    def _walk(self, place: Place, companions: dict[str, dict[str, Any]]) -> Iterator[Place]:
        yield place
        for inner in self._members(place, companions):
            yield from self._walk(inner, {})
        for inner in (*self._items(place), *self._values(place), *self._branches(place)):
            yield from self._walk(inner, {})

    def _members(self, place: Place, companions: dict[str, dict[str, Any]]) -> Iterator[Place]:
        for name, sub in place.node.properties.items():
            if sub.is_any:
                continue
            beside = {**place.current, **companions.get(name, {})}
            yield Place(
                node=sub,
                path=(*place.path, name),
                current=beside[name] if name in beside else self.samples.value(sub),
                put=lambda value, name=name, beside=beside: place.put({**beside, name: value}),  # type: ignore[misc]
                misfits=misfits(self.contract, sub),
                holders=(place.node.at.child("properties", name).ref,),
            )

    def _items(self, place: Place) -> Iterator[Place]:
        sub = place.node.items
        if sub is None or sub.is_any:
            return
        first = LEADING.get(place.node.at.ref, [])
        rest = place.current[len(first) + 1 :]
        yield Place(
            node=sub,
            path=(*place.path, len(first)),
            current=place.current[len(first)] if len(place.current) > len(first) else self.samples.value(sub),
            put=lambda value: place.put([*(item for item in first if item != value), value, *rest]),
            misfits=misfits(self.contract, sub),
            holders=(place.node.at.child("items").ref,),
        )

    def _values(self, place: Place) -> Iterator[Place]:
        sub = place.node.additional
        if not isinstance(sub, Node) or sub.is_any:
            return
        key = matching(place.node.property_names)
        yield Place(
            node=sub,
            path=(*place.path, key),
            current=self.samples.value(sub),
            put=lambda value: place.put({key: value}),
            misfits=misfits(self.contract, sub),
            holders=(place.node.at.child("additionalProperties").ref,),
        )

    def _branches(self, place: Place) -> Iterator[Place]:
        """Branches of a union: what is wrong for one of them may be right for another, so misfits are the union's."""
        for sub in place.node.one_of:
            yield Place(
                node=sub,
                path=place.path,
                current=self.samples.value(sub),
                put=place.put,
                misfits=place.misfits,
            )

    def is_tag(self, at: Location) -> bool:
        """Whether a node is the constant that tells the branches of a union apart."""
        owner, _, name = at.pointer.rpartition("/properties/")
        union, _, index = owner.rpartition("/oneOf/")
        return index.isdigit() and any(
            node.at.pointer == union and tag_of(self.contract, node) == name
            for node in self.contract.definitions.values()
        )
