"""A second, independent oracle: the Rust implementation of JSON Schema."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema_rs

from tests.oracles.contract_schema import INFERENCE, THINKING, uri


@cache
def _validator(name: str) -> Any:
    registry = jsonschema_rs.Registry([(file["$id"], file) for file in (INFERENCE, THINKING)])
    return jsonschema_rs.Draft202012Validator({"$ref": uri(name)}, registry=registry)


def accepts(name: str, value: Any) -> bool:
    """Whether a value conforms to the JSON Schema of a definition. It knows Python's own numbers only."""
    return bool(_validator(name).is_valid(value))
