"""The contract's test vectors: documents that a definition accepts or refuses, and why.

They lie as JSON under `contracts/vectors/<Definition>/`: `schema.json` for the rules of the schema, `semantics.json`
for the rules beyond it (where the definition has any), `root/schema.json` for the root of the main schema. A file is a
list of objects with

* `constraints`: what the documents are about, as references into the schema files or ids of semantic rules;
* `accepted`: documents that conform;
* `refused`: documents with exactly one violation; `pointer` and `rule` say which.

A document stands under `document`, or, when it is long, is described by a `recipe`: a `base` document and the steps
under `repeat`, in order. A step puts at the JSON Pointer `at`, which exists in the base, `count` times something:
an array of that many copies of `item`, or a string of that many copies of `text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kiln_contract.schema import contracts
from kiln_contract.validate import known

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ROOT: Final = "root"
FILES: Final = ("schema.json", "semantics.json")


class Vector(msgspec.Struct, frozen=True, kw_only=True):
    """One document and the verdict on it. `pointer` and `rule` name the violation of a refused one, else None.

    `definition` is None for the root of the main schema. `stored` is the document as the file holds it.
    """

    definition: str | None
    constraints: tuple[str, ...]
    accepted: bool
    stored: dict[str, Any]
    pointer: str | None = None
    rule: str | None = None

    @property
    def document(self) -> Any:
        """The document; a recipe is carried out on every access (the longest gives 16,777,217 items)."""
        return expand(self.stored["recipe"]) if "recipe" in self.stored else self.stored["document"]


def vectors(name: str | None = None) -> Iterator[Vector]:
    """The vectors of a definition, or of the main schema's root; all of one group, then of the next.

    Numbers are read exactly, whatever their size. Raises LookupError for an unknown definition.
    """
    if name is not None:
        known(name)
    return _read(name)


def expand(recipe: dict[str, Any]) -> Any:
    """Carry out a recipe. Raises KeyError, IndexError or TypeError when a step points to nothing."""
    document = deepcopy(recipe["base"])
    for step in recipe["repeat"]:
        value = step["text"] * step["count"] if "text" in step else [step["item"]] * step["count"]
        document = _put(document, step["at"], value)
    return document


def _put(document: Any, at: str, value: Any) -> Any:
    if not at:
        return value
    *parents, last = (key.replace("~1", "/").replace("~0", "~") for key in at[1:].split("/"))
    holder = document
    for key in parents:
        holder = holder[_key(holder, key)]
    holder[_key(holder, last)]  # a step replaces, it never adds
    holder[_key(holder, last)] = value
    return document


def _key(holder: Any, key: str) -> Any:
    return int(key) if isinstance(holder, list) else key


def _read(name: str | None) -> Iterator[Vector]:
    folder = contracts() / "vectors" / (name or ROOT)
    for file in (folder / file for file in FILES):
        if file.is_file():
            yield from _vectors(name, file)


def _vectors(name: str | None, file: Traversable) -> Iterator[Vector]:
    for entry in msgspec.json.decode(file.read_bytes()):
        constraints = tuple(entry["constraints"])
        for stored in entry["accepted"]:
            yield Vector(definition=name, constraints=constraints, accepted=True, stored=stored)
        for refused in entry["refused"]:
            yield Vector(
                definition=name,
                constraints=constraints,
                accepted=False,
                stored=refused,
                pointer=refused["pointer"],
                rule=refused["rule"],
            )
