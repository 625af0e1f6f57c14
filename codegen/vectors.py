"""Accepted and refused documents for every constraint of the schemas.

What a document must give follows from how it is made: a valid sample in which one thing is changed. No validator is
asked. The documents of conditional rules are written out in `codegen.scenarios`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from codegen.constraints import constraints
from codegen.entries import INLINE, Entry, Refusal, Repeat, merged, pointer
from codegen.misfits import json_types
from codegen.model import ABSENT, Contract, SchemaError
from codegen.places import Place, Places
from codegen.samples import mismatching
from codegen.scenarios import ROOT, SCENARIOS

UNKNOWN: Final = "unknown_member"
"""A member that no definition has."""

STEP: Final = 1e-06
"""How far beyond its bound a refused number lies; for integers it is 1."""

NUMBERED: Final = {
    "#/$defs/ChatCompletionResponse/properties/choices": "index",
    "#/$defs/TextCompletionResponse/properties/choices": "index",
    "#/$defs/BatchCompletionResponse/properties/completions": "completion_index",
}
"""Arrays whose items count themselves."""


def schema_entries(contract: Contract) -> dict[str | None, list[Entry]]:
    """Entries by definition, for all constraints of both schemas; None stands for the main schema's root.

    Raises SchemaError when a constraint is left without documents.
    """
    vectors = SchemaVectors(contract)
    found: dict[str | None, list[Entry]] = {None: [vectors.root()]}
    found |= {name: list(vectors.of(name)) for name in contract.definitions}
    for name, refs in constraints(contract).items():
        missing = set(refs).difference(*(entry.constraints for entry in found[name]))
        if missing:
            raise SchemaError(f"no vectors for {', '.join(sorted(missing))}")
    return found


class SchemaVectors:
    """Makes the entries of one definition after another."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.places = Places(contract)
        self.constraints = constraints(contract)

    def of(self, name: str) -> Iterator[Entry]:
        """Entries of one definition: place by place, then its conditional rules."""
        for place in self.places.of(name):
            yield from self._place(place)
        yield from self._scenarios(name)

    def root(self) -> Entry:
        """The root of the main schema takes exactly one kind of payload."""
        names = [sub["$ref"].rpartition("/")[2] for sub in self.contract.sources[0].document["oneOf"]]
        accepted = tuple(self.places.samples.definition(name) for name in names)
        refused = tuple(Refusal(document, "", "schema.oneOf") for document in ROOT)
        return Entry(tuple(self.constraints[None]), accepted, refused)

    def _place(self, place: Place) -> Iterator[Entry]:
        for index, entry in enumerate(self._keywords(place)):
            # A node is missed where the first of its own keywords is.
            held = (*place.holders, *entry.constraints) if index == 0 else entry.constraints
            yield Entry(held, entry.accepted, entry.refused)

    def _keywords(self, place: Place) -> Iterator[Entry]:
        node = place.node
        if node.ref is not None:
            yield self._entry(place, ("$ref",), (place.current,), place.misfits[:1])
            return
        if node.types:
            yield self._type(place)
        if node.const is not ABSENT:
            yield self._const(place)
        if node.enum:
            keywords = ("enum", *(f"enum/{index}" for index in range(len(node.enum))))
            yield self._entry(place, keywords, node.enum, (("unknown value", "schema.enum"),))
        yield from self._numbers(place)
        yield from self._texts(place)
        yield from self._arrays(place)
        yield from self._objects(place)
        yield from self._unions(place)

    def _entry(self, place: Place, keywords: tuple[str, ...], good: Any, bad: Any, *, key: str | None = None) -> Entry:
        """An entry of keywords of one node, from values for its place."""
        path = place.path if key is None else (*place.path, key)
        return Entry(
            tuple(place.node.at.child(*keyword.split("/")).ref for keyword in keywords),
            tuple(place.put(value) for value in good),
            tuple(Refusal(place.put(value), pointer(path), rule) for value, rule in bad),
        )

    def _type(self, place: Place) -> Entry:
        keywords = ("type", *(f"type/{index}" for index in range(len(place.node.types)) if len(place.node.types) > 1))
        return self._entry(place, keywords, _spellings(place), place.misfits)

    def _const(self, place: Place) -> Entry:
        rule = "schema.oneOf" if self.places.is_tag(place.node.at) else None
        return self._entry(
            place, ("const",), (place.node.const,), tuple((value, rule or known) for value, known in place.misfits)
        )

    def _numbers(self, place: Place) -> Iterator[Entry]:
        node = place.node
        step = 1 if node.types == ("integer",) else STEP
        if node.minimum is not None:
            yield self._bound(place, "minimum", node.minimum, node.minimum - step)
        if node.exclusive_minimum is not None:
            yield self._bound(place, "exclusiveMinimum", node.exclusive_minimum + step, node.exclusive_minimum)
        if node.maximum is not None:
            yield self._bound(place, "maximum", node.maximum, node.maximum + step)

    def _bound(self, place: Place, keyword: str, inside: Any, outside: Any) -> Entry:
        return self._entry(place, (keyword,), (inside,), ((outside, f"schema.{keyword}"),))

    def _texts(self, place: Place) -> Iterator[Entry]:
        node = place.node
        if node.min_length is not None:
            yield self._bound(place, "minLength", _text(node.min_length), _text(node.min_length - 1))
        if node.max_length is not None:
            yield self._bound(place, "maxLength", _text(node.max_length), _text(node.max_length + 1))
        if node.pattern is not None:
            refused = tuple((text, "schema.pattern") for text in mismatching(node))
            yield self._entry(place, ("pattern",), (place.current,), refused)

    def _arrays(self, place: Place) -> Iterator[Entry]:
        node = place.node
        if node.min_items is not None:
            least = place.current if len(place.current) >= node.min_items else self._filled(place, node.min_items)
            yield self._bound(place, "minItems", least, self._filled(place, node.min_items - 1))
        if node.max_items is not None:
            most, more = (self._filled(place, count) for count in (node.max_items, node.max_items + 1))
            yield self._bound(place, "maxItems", most, more)

    def _filled(self, place: Place, count: int) -> Any:
        items = place.node.items
        item: Any = None if items is None or items.is_any else self.places.samples.value(items)
        number = NUMBERED.get(place.node.at.ref)
        if number is not None:
            return [{**item, number: index} for index in range(count)]
        return [item] * count if count <= INLINE else Repeat(item, count)

    def _objects(self, place: Place) -> Iterator[Entry]:
        node = place.node
        for index, name in enumerate(node.required):
            keywords = ("required", f"required/{index}") if index == 0 else (f"required/{index}",)
            without = {key: value for key, value in place.current.items() if key != name}
            yield self._entry(place, keywords, (place.current,), ((without, "schema.required"),))
        if node.closed:
            yield self._closed(place)
        if node.max_properties is not None:
            most = {f"key{index}": None for index in range(node.max_properties)}
            yield self._bound(place, "maxProperties", most, {**most, "one_more": None})
        yield from self._names(place)
        yield from self._bases(place)

    def _closed(self, place: Place) -> Entry:
        """A closed object; members that take any value count here, since only their names can be wrong."""
        keyword = "additionalProperties" if place.node.additional is False else "unevaluatedProperties"
        opaque = [name for name, sub in place.node.properties.items() if sub.is_any]
        good = [{**place.current, name: value} for name in opaque for value in (None, "text", {"any": [0]})]
        more = {**place.current, UNKNOWN: None}
        keywords = (keyword, *(f"properties/{name}" for name in opaque))
        return self._entry(place, keywords, (place.current, *good), ((more, f"schema.{keyword}"),), key=UNKNOWN)

    def _names(self, place: Place) -> Iterator[Entry]:
        """Names of a map, as if each were a text of its own."""
        names = place.node.property_names
        if names is None:
            return
        value = next(iter(place.current.values()), None)
        as_text = Place(node=names, path=(), current="0", put=lambda name: name, misfits=())
        for index, entry in enumerate(self._texts(as_text)):
            refs = (place.node.at.child("propertyNames").ref, *entry.constraints) if index == 0 else entry.constraints
            refused = tuple(
                Refusal(place.put({case.document: value}), pointer((*place.path, case.document)), case.rule)
                for case in entry.refused
            )
            yield Entry(refs, tuple(place.put({name: value}) for name in entry.accepted), refused)

    def _bases(self, place: Place) -> Iterator[Entry]:
        for index, base in enumerate(place.node.all_of):
            if base.ref is not None:
                name = self.contract.definitions[base.ref].required[0]
                without = {key: value for key, value in place.current.items() if key != name}
                keywords = (*(("allOf",) if index == 0 else ()), f"allOf/{index}", f"allOf/{index}/$ref")
                yield self._entry(place, keywords, (place.current,), ((without, "schema.required"),))

    def _unions(self, place: Place) -> Iterator[Entry]:
        branches = place.node.one_of
        if branches:
            keywords = ("oneOf", *(f"oneOf/{index}" for index in range(len(branches))))
            good = tuple(self.places.samples.value(branch) for branch in branches)
            yield self._entry(place, keywords, good, place.misfits)

    def _scenarios(self, name: str) -> Iterator[Entry]:
        sample = self.places.samples.definition(name)
        for group, scenario in SCENARIOS.get(name, {}).items():
            at = self.contract.definitions[name].at.child(*group.split("/")).ref
            first = at.removesuffix("/0") if at.endswith("/allOf/0") else at
            refs = [ref for ref in self.constraints[name] if ref in (first, at) or ref.startswith(f"{at}/")]
            accepted = tuple(merged(sample, members) for members in scenario.accepted)
            refused = tuple(Refusal(merged(sample, members), "", rule) for members, rule in scenario.refused)
            yield Entry(tuple(refs), accepted, refused)


def _text(length: int) -> str:
    return "x" * length


def _spellings(place: Place) -> tuple[Any, ...]:
    """Valid values of a place that a reader may treat differently from each other."""
    current = place.current
    match place.node.types:
        case ("integer",):
            return (current, float(current))
        case ("number",):
            return (current, int(current)) if current == int(current) else (current,)
        case ("object",) if not place.node.closed and place.node.properties:
            return (current, {**current, UNKNOWN: {"any": [None]}})
        case (_, *rest):
            return (current, *(None for name in rest if name == "null" and "null" not in json_types(current)))
    return (current,)
