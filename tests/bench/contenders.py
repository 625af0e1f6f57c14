"""Who is measured on each document: the contract library, its peers, and two rows for reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import jsonschema_rs
import msgspec
import orjson

import kiln_contract as kc
from tests.bench import contract_models
from tests.bench.openai_request import OpenAIChatRequest
from tests.bench.payloads import Payload
from tests.bench.timing import Contender
from tests.oracles.contract_schema import INFERENCE, THINKING, uri

DECODE: Final = "kc.decode"
STRICT: Final = "kc.decode, strict"
RAW: Final = "kc.decode, opaque raw"
JSON: Final = "json.loads"
ORJSON: Final = "orjson.loads"
RUST: Final = "orjson + jsonschema-rs"
OPENAI: Final = "pydantic, vLLM-like request"
GENERATED: Final = "pydantic, generated from the schema"
COLLAPSED: Final = "pydantic, generated, scalars unwrapped"
TYPES_ALONE: Final = "pydantic, types alone"
TYPED: Final = "msgspec typed, no checks"
UNTYPED: Final = "msgspec untyped"
FAILS: Final = "kc.decode of a broken document"
ENCODE: Final = "kc.encode"
DUMPS: Final = "orjson.dumps"

_FAILING: Final = """
try:
    kc.decode(type_, body)
except kc.ContractViolation:
    pass
else:
    raise AssertionError("the broken document was accepted")
"""


def decoding(payload: Payload) -> list[Contender]:
    """Everyone who reads this document, ours first."""
    scope = {"kc": kc, "json": json, "orjson": orjson, "body": payload.body}
    return [Contender(name, statement, {**scope, **extra}) for name, statement, extra in _decoding(payload)]


def _decoding(payload: Payload) -> Iterator[tuple[str, str, dict[str, Any]]]:
    type_ = f"kc.{payload.definition}"
    yield DECODE, f"kc.decode({type_}, body)", {}
    yield STRICT, f"kc.decode({type_}, body, strict=True)", {}
    if payload.key.startswith("b"):
        yield RAW, f'kc.decode({type_}, body, opaque="raw")', {}
    yield ORJSON, "orjson.loads(body)", {}
    yield JSON, "json.loads(body)", {}
    yield RUST, "validate(orjson.loads(body))", {"validate": _validator(payload.definition).validate}
    if payload.is_request:
        yield OPENAI, "Model.model_validate_json(body)", {"Model": OpenAIChatRequest}
    for name, module in ((GENERATED, contract_models.generated()), (COLLAPSED, contract_models.collapsed())):
        yield name, "Model.model_validate_json(body)", {"Model": getattr(module, payload.definition)}
    yield TYPES_ALONE, "Model.model_validate_json(body)", {"Model": contract_models.from_structs(payload.type)}
    yield TYPED, "decode(body)", {"decode": msgspec.json.Decoder(payload.type).decode}
    yield UNTYPED, "decode(body)", {"decode": msgspec.json.Decoder().decode}


def failing(payload: Payload) -> list[Contender]:
    """Naming what is wrong with the broken document, and plain parsing of the same bytes."""
    scope = {"kc": kc, "json": json, "type_": payload.type, "body": payload.broken}
    return [Contender(FAILS, _FAILING, scope), Contender(JSON, "json.loads(body)", scope)]


def encoding(payload: Payload) -> list[Contender]:
    """Writing the document again, from a Struct and from dicts."""
    value = orjson.loads(payload.body)
    scope = {"kc": kc, "orjson": orjson, "struct": kc.decode(payload.type, payload.body), "value": value}
    return [Contender(ENCODE, "kc.encode(struct)", scope), Contender(DUMPS, "orjson.dumps(value)", scope)]


@cache
def _validator(definition: str) -> Any:
    registry = jsonschema_rs.Registry([(file["$id"], file) for file in (INFERENCE, THINKING)])
    return jsonschema_rs.Draft202012Validator({"$ref": uri(definition)}, registry=registry)
