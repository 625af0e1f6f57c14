"""Everything that two readers of one document can disagree about."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

import kiln_contract as kc
from kiln_contract.number import is_number
from tests.oracles import draft202012, rust, strict_json
from tests.oracles.contract_schema import visible
from tests.oracles.strict_json import Huge, NotJson, Parsed

REFUSED: Final[Any] = type("Refused", (), {"__repr__": lambda _: "refused"})()


def disagreements(name: str, text: bytes, made_valid: bool | None = None) -> list[str]:
    """What any two readers of `text` as definition `name` disagree about. `made_valid` is what its maker knows."""
    try:
        return list(_disagreements(name, text, made_valid))
    except Exception:
        return [f"crash: {traceback.format_exc(limit=-4)}"]


def _disagreements(name: str, text: bytes, made_valid: bool | None) -> Iterator[str]:
    parsed, lenient = _parsed(text, strict=True), _parsed(text, strict=False)
    schema_holds = not kc.validate_json(name, text, semantics=False)
    holds = not kc.validate_json(name, text)
    if schema_holds != _conforms(name, parsed):
        yield f"validate_json says {schema_holds}, jsonschema {not schema_holds}"
    if lenient is not None and holds != (not kc.validate_json(name, text.decode())):
        yield "validate_json gives bytes and text different verdicts"
    if holds and not schema_holds:
        yield "valid with semantic rules, invalid without"
    if made_valid is not None and holds != made_valid:
        yield f"made to be {_word(made_valid)}, but validate_json finds it {_word(holds)}"
    if parsed is not None:
        yield from _value_disagreements(name, parsed, schema_holds, holds)
    yield from _decode_disagreements(name, text, parsed, lenient, holds)


def _value_disagreements(name: str, parsed: Parsed, schema_holds: bool, holds: bool) -> Iterator[str]:
    if schema_holds == bool(kc.validate(name, parsed.value, semantics=False)):
        yield f"validate_json says {schema_holds} to the schema, validate the opposite"
    if holds == bool(kc.validate(name, parsed.value)):
        yield f"validate_json says {holds}, validate the opposite"
    # The Rust validator takes Python's own numbers; it is not asked about literals that none of them holds.
    ordinary = not (parsed.extreme or parsed.fractional)
    if ordinary and rust.accepts(name, parsed.value) != schema_holds:
        yield f"validate_json says {schema_holds} to the schema, jsonschema-rs the opposite"


def _decode_disagreements(
    name: str, text: bytes, parsed: Parsed | None, lenient: Parsed | None, holds: bool
) -> Iterator[str]:
    strictly = _attempt(lambda: kc.decode(name, text, strict=True))
    if (strictly is not REFUSED) != holds:
        yield f"validate_json finds it {_word(holds)}, decode(strict=True) the opposite"
    due = holds if parsed is not None else lenient is not None and not kc.validate(name, lenient.value)
    decoded = _attempt(lambda: kc.decode(name, text))
    if (decoded is not REFUSED) != due:
        yield f"decode should find it {_word(due)}"
    if strictly is not REFUSED and (strictly != decoded or type(strictly) is not type(decoded)):
        yield "strict changes what the document decodes to"
    raw = _attempt(lambda: kc.decode(name, text, opaque="raw"))
    if decoded is not REFUSED and lenient is not None:
        yield from _result_disagreements(name, lenient.value, decoded, raw)
    struct = kc.DEFINITIONS[name]
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        yield from _struct_disagreements(struct, text, lenient, decoded, raw)


def _result_disagreements(name: str, value: Any, decoded: Any, raw: Any) -> Iterator[str]:
    if not same(decoded, value):
        yield "decode changes the value"
    if raw is REFUSED:
        yield 'decode refuses with opaque="raw" only'
        return
    encoded = kc.encode(decoded)
    if kc.validate_json(name, encoded) or kc.decode(name, encoded) != decoded:
        yield "what decode gives does not survive encode"
    if not same(decoded, strict_json.parse(kc.encode(raw), strict=False).value):
        yield 'opaque="raw" changes the value'


def _struct_disagreements(struct: Any, text: bytes, lenient: Parsed | None, decoded: Any, raw: Any) -> Iterator[str]:
    if _attempt(lambda: kc.decode(struct, text)) != decoded:
        yield "decode by name and by Struct differ"
    if _attempt(lambda: kc.decode(struct, text, opaque="raw")) != raw:
        yield 'decode by name and by Struct differ with opaque="raw"'
    if lenient is not None:
        converted = _attempt(lambda: kc.convert(struct, lenient.value))
        if not same(converted, decoded):
            yield "decode and convert differ"
    if decoded is not REFUSED:
        kc.check(decoded)


def _parsed(text: bytes, *, strict: bool) -> Parsed | None:
    try:
        return strict_json.parse(text, strict=strict)
    except NotJson:
        return None


def conforms(name: str, text: bytes) -> bool:
    """The oracle's verdict: whether text is JSON, strictly read, that conforms to the schema of a definition."""
    return _conforms(name, _parsed(text, strict=True))


def _conforms(name: str, parsed: Parsed | None) -> bool:
    if parsed is None or not draft202012.accepts(name, parsed.value):
        return False
    # What an open object ignores may hold any number; elsewhere it must be one that can be read.
    return not parsed.extreme or _is_readable(visible(name, parsed.value))


def _is_readable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_readable, value.values()))
    if isinstance(value, list):
        return all(map(_is_readable, value))
    return not isinstance(value, Huge) and value not in (float("inf"), float("-inf"))


def _attempt(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except kc.ContractViolation:
        return REFUSED


def _word(holds: bool) -> str:
    return "valid" if holds else "invalid"


def same(decoded: Any, other: Any) -> bool:
    """Whether a decoded payload says what another one, or the JSON value, says. Ignored members are left out.

    Where the contract leaves JSON open, a literal in float notation may be read as a double or exactly.
    """
    if isinstance(decoded, msgspec.Struct):
        return _same_members(decoded, msgspec.structs.asdict(other) if isinstance(other, msgspec.Struct) else other)
    if isinstance(decoded, dict):
        return decoded.keys() == other.keys() and all(same(item, other[key]) for key, item in decoded.items())
    if isinstance(decoded, list):
        return len(decoded) == len(other) and all(map(same, decoded, other))
    if is_number(decoded) and is_number(other) and float in (type(decoded), type(other)):
        return float(decoded) == float(other)
    return type(decoded) is type(other) and bool(decoded == other)


def _same_members(decoded: msgspec.Struct, members: dict[str, Any]) -> bool:
    for name in decoded.__struct_fields__:
        if not same(getattr(decoded, name), members.get(name, msgspec.UNSET)):
            return False
    return not decoded.__struct_config__.forbid_unknown_fields or members.keys() <= set(decoded.__struct_fields__)
