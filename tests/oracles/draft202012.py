"""The first oracle: jsonschema's Draft202012Validator, with patterns in their ECMA meaning and no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry, Resource

from tests.oracles.contract_schema import INFERENCE, THINKING, ecma, uri


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not re.search(ecma(pattern), value):
        yield ValidationError(f"does not match {pattern}")


_Validator: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
_REGISTRY: Any = Registry().with_resources(
    [(file["$id"], Resource.from_contents(file)) for file in (INFERENCE, THINKING)]
)


@cache
def _validator(name: str) -> Any:
    return _Validator({"$ref": uri(name)}, registry=_REGISTRY)


def accepts(name: str, value: Any) -> bool:
    """Whether a value conforms to the JSON Schema of a definition."""
    return bool(_validator(name).is_valid(value))
