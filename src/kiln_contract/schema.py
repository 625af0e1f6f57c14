"""The schemas themselves, and the vectors that come with them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kiln_contract.validate import known

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

INFERENCE: Final = "kiln-inference-v1.schema.json"
THINKING_BUDGET: Final = "thinking-budget-v1.schema.json"


def contracts() -> Traversable:
    """The folder of schemas and vectors: inside an installed package, at the top of a checkout otherwise."""
    # Reading a schema is rare; importing the package must not pay for it.
    from importlib.resources import files
    from pathlib import Path

    installed = files("kiln_contract") / "_contracts"
    if installed.is_dir():
        return installed
    checkout = Path(__file__).resolve().parents[2] / "contracts"
    if (checkout / INFERENCE).is_file():
        return checkout
    raise FileNotFoundError("the contract's schemas are missing from this installation; install kiln-inference again")


def schema(name: str | None = None) -> dict[str, Any]:
    """The JSON Schema of one definition, or the whole inference schema.

    The dict is the caller's own. Its `$ref`s point into the schema files. Raises LookupError for an unknown definition.
    """
    if name is None:
        return _load(INFERENCE)
    known(name)
    scope, _, definition = name.rpartition(".")
    document = _load(THINKING_BUDGET if scope else INFERENCE)
    found: dict[str, Any] = document["$defs"][definition]
    return found


@cache
def schema_bytes(file: str) -> bytes:
    """One schema file, byte for byte."""
    return (contracts() / file).read_bytes()


def _load(file: str) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.json.decode(schema_bytes(file))
    return document
