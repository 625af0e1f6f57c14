"""Rollout provenance: the hashes that bind a record to a conversation, and the verifier of whole records.

A record is evidence only against something the reader already holds: the messages that were sent, the text that came
back, the prompt's token ids, the identities of the model and tokenizer. `verify` compares each of them that is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from kiln_contract import canonical
from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation, json_type, pointer
from kiln_contract.identity import content_sha256
from kiln_contract.plain_json import read_plain
from kiln_contract.validate import validate

RULES: Final = {
    "provenance.messages-hash": "prompt_messages_sha256 is the hash of the conversation that was sent.",
    "provenance.payload-hash": "scored_payload_sha256 is the hash of the final message content.",
    "provenance.prompt-tokens": "input_token_ids begins with the prompt's token ids, prompt_token_count of them.",
    "provenance.identity": "The record names the model, adapter, configuration and tokenizer that were expected.",
}

DEFINITION: Final = "RolloutProvenanceV1"
PAYLOAD_SCHEMA: Final = "kiln.scored-rollout-payload.v1"
TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})

_SHA256: Final = re.compile(r"sha256:[0-9a-f]{64}")


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The identities a reader trusts, each `sha256:` + hex; UNSET ones are not compared. No adapter (base): None."""

    base_model_sha256: str | UnsetType = UNSET
    inference_config_sha256: str | UnsetType = UNSET
    adapter_sha256: str | UnsetType | None = UNSET
    vocab_sha256: str | UnsetType = UNSET
    config_sha256: str | UnsetType = UNSET
    chat_template_sha256: str | UnsetType = UNSET


_IDENTITY_PATHS: Final = {
    "base_model_sha256": ("behavior_policy", "base_model_sha256"),
    "inference_config_sha256": ("behavior_policy", "inference_config_sha256"),
    "vocab_sha256": ("tokenizer", "vocab_sha256"),
    "config_sha256": ("tokenizer", "config_sha256"),
    "chat_template_sha256": ("tokenizer", "chat_template_sha256"),
}


def content_text(content: object) -> str:
    """The text of a message's `content`: null or missing is "", the text parts of an array are joined, others dropped.

    Raises ValueError for a content that is no string, null or array.
    """
    value = _plain(content)
    if value is None or value is UNSET:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_part_text(_plain(part)) for part in value)
    raise ValueError(f"a message's content must be a string, null or an array of parts, not {json_type(value)}")


def messages_sha256(messages: Sequence[object]) -> str:
    """`prompt_messages_sha256` of a conversation: mappings or Structs of the contract's message shape.

    Raises ValueError (canonical.CanonicalError for a part that is no JSON) when a message is malformed.
    """
    return content_sha256(canonical.dumps([_message(message) for message in messages]))


def scored_payload_sha256(text: str) -> str:
    """`scored_payload_sha256` of an answer: `text` is the content of the final message."""
    payload = canonical.Ordered(schema=PAYLOAD_SCHEMA, text=text, trajectory=[])
    return content_sha256(canonical.dumps(payload))


def verify(
    record: object,
    *,
    messages: Sequence[object] | None = None,
    text: str | None = None,
    prompt_token_ids: Sequence[int] | None = None,
    expected: Expected | None = None,
    max_errors: int = DEFAULT_MAX_ERRORS,
) -> list[Violation]:
    """Check a RolloutProvenanceV1 record (decoded JSON or Struct), empty when it holds: its shape and semantic rules
    first, then everything the caller knows. What is not given is not compared; a field whose shape is already reported
    is not reported again. Raises ValueError when the caller's own messages or text cannot be hashed, or a Struct that
    was built in Python holds what JSON cannot carry.
    """
    value = _decoded(record)
    found = validate(DEFINITION, value, max_errors=max_errors)
    known = _compare(value, messages, text, prompt_token_ids, expected or Expected())
    return [*found, *islice(known, max(0, max_errors - len(found)))]


def _decoded(record: object) -> object:
    """A Struct as the JSON value it stands for, raw parts included; a decoded value is returned as it is."""
    if not isinstance(record, msgspec.Struct):
        return record
    try:
        return read_plain(msgspec.json.encode(record))
    except (RecursionError, UnicodeEncodeError):
        raise ValueError("the record holds a lone surrogate, or is nested too deeply to be JSON") from None


def _plain(value: object) -> object:
    """Decode raw JSON, one level of opacity; anything else is returned as it is."""
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        return read_plain(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError("a message holds raw JSON that cannot be read") from None


def _part_text(part: object) -> str:
    """The text of one content part; a part of another type, or without text, has none."""
    if not isinstance(part, dict):
        return ""
    kind, text = part.get("type"), part.get("text")
    return text if isinstance(text, str) and isinstance(kind, str) and kind in TEXT_PARTS else ""


def _message(message: object) -> canonical.Ordered:
    """A message as it is hashed: null counts as absent, content is always there, reasoning only when it has text."""
    role = _field(message, "role")
    if not isinstance(role, str):
        raise ValueError(f"a message's role must be a string, not {json_type(role)}")
    hashed = canonical.Ordered(role=role, content=content_text(_field(message, "content")))
    for name in ("tool_calls", "name", "tool_call_id"):
        if (value := _field(message, name)) is not None:
            hashed[name] = value
    if (reasoning := _field(message, "reasoning_content")) not in (None, ""):
        hashed["reasoning_content"] = reasoning
    return hashed


def _field(message: object, name: str) -> object:
    value = message.get(name) if isinstance(message, Mapping) else getattr(message, name)
    return None if value is UNSET else value


def _compare(
    record: object,
    messages: Sequence[object] | None,
    text: str | None,
    prompt_token_ids: Sequence[int] | None,
    expected: Expected,
) -> Iterator[Violation]:
    if messages is not None:
        rule, name = "provenance.messages-hash", "prompt_messages_sha256"
        yield from _compare_hash(record, (name,), messages_sha256(messages), rule, "the messages given")
    if text is not None:
        rule, name = "provenance.payload-hash", "scored_payload_sha256"
        yield from _compare_hash(record, (name,), scored_payload_sha256(text), rule, "the text given")
    if prompt_token_ids is not None:
        yield from _compare_prompt(record, prompt_token_ids)
    for name, path in _IDENTITY_PATHS.items():
        yield from _compare_hash(record, path, getattr(expected, name), "provenance.identity", f"the expected {name}")
    yield from _compare_adapter(record, expected.adapter_sha256)


def _compare_hash(
    record: object, path: tuple[str, ...], wanted: str | UnsetType, rule: str, what: str
) -> Iterator[Violation]:
    """Compare one hash of the record; a missing or malformed one is the validator's to report."""
    actual = _at(record, path)
    if wanted is UNSET or actual == wanted or not (isinstance(actual, str) and _SHA256.fullmatch(actual)):
        return
    message = f"{path[-1]} does not belong to {what}: use the record of this exchange, or the inputs it was made from"
    yield _violation(path, rule, message, f"the hash of {what}", actual)


def _compare_adapter(record: object, wanted: str | UnsetType | None) -> Iterator[Violation]:
    parent = ("behavior_policy", "adapter")
    actual = _at(record, parent)
    if isinstance(wanted, str) and actual is not None:
        rule = "provenance.identity"
        yield from _compare_hash(record, (*parent, "content_sha256"), wanted, rule, "the expected adapter")
    elif isinstance(wanted, str) and isinstance(policy := _at(record, parent[:1]), dict):
        message = "the record names no adapter: the rollout came from the base model, not from the expected adapter"
        yield _violation(parent[:1], "provenance.identity", message, "an adapter", policy)
    elif wanted is None and actual is not None:
        message = "the record names an adapter: the rollout did not come from the base model alone"
        yield _violation(parent, "provenance.identity", message, "no adapter", actual)


def _compare_prompt(record: object, prompt_token_ids: Sequence[int]) -> Iterator[Violation]:
    count, ids = _at(record, ("prompt_token_count",)), _at(record, ("input_token_ids",))
    counts = type(count) is int or (isinstance(count, float) and count.is_integer())  # 2.0 is an integer in the dialect
    if not counts or not isinstance(ids, list):
        return
    rule, wanted = "provenance.prompt-tokens", len(prompt_token_ids)
    if count != wanted:
        message = f"prompt_token_count is not the length of the prompt given: that one has {wanted} tokens"
        yield _violation(("prompt_token_count",), rule, message, str(wanted), count)
        return
    for index, (actual, token_id) in enumerate(zip(ids, prompt_token_ids, strict=False)):
        if actual != token_id:
            message = "the prompt's token ids part from the prompt given here: render the same messages and template"
            yield _violation(("input_token_ids", index), rule, message, "the token id of the prompt given", actual)
            return


def _at(record: object, path: tuple[str, ...]) -> object:
    value = record
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _violation(path: tuple[str | int, ...], rule: str, message: str, expected: str, actual: object) -> Violation:
    return Violation(
        pointer=pointer(path),
        rule=rule,
        keyword="",
        schema_ref=f"#/$defs/{DEFINITION}/properties/{path[0]}",
        message=message,
        expected=expected,
        got=json_type(actual),
    )
