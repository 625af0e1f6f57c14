"""Hostile documents get a verdict or a clean violation, quickly, and never a crash.

The time limits are generous guards against quadratic work, not performance claims.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

import kiln_contract as kc
from kiln_contract.plain_json import read_plain
from tests.kiln_contract.samples import provenance

OPEN = b'{"messages": [{"role": "user", "content": "hi"}], '


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def decoded(body: bytes, **options: Any) -> tuple[str, ...]:
    """Rules that `decode` reports for a chat request; none when it decodes."""
    try:
        kc.decode(kc.ChatCompletionRequest, body, **options)
    except kc.ContractViolation as error:
        return tuple(v.rule for v in error.violations)
    return ()


def verdicts(body: bytes) -> set[tuple[str, ...]]:
    """Rules that each strict way of reading reports for a chat request."""
    validated = tuple(v.rule for v in kc.validate_json("ChatCompletionRequest", body))
    return {validated, decoded(body, strict=True), decoded(body, strict=True, opaque="raw")}


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (b"[" * 100_000, "json.depth"),
        (b"[" * 100_000 + b"]" * 100_000, "json.depth"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json.depth"),
        (OPEN + b'"tools": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "json.depth"),
        (OPEN + b'"ignored": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "json.depth"),
        (OPEN + b'"seed": ' + b"9" * 1_000_000 + b"}", "json.number"),
        (OPEN + b'"seed": ' + b"9" * 1_000_000 + b".5}", "number.finite"),
        (OPEN + b'"temperature": ' + b"9" * 400 + b"}", "number.finite"),
        (OPEN + b'"user": "\xff"}', "json.utf8"),
        (OPEN + b'"\xff": 1}', "json.utf8"),
        (OPEN + b'"user": "\\ud800"}', "json.utf8"),
        (OPEN + b'"stop": "\\udfff"}', "json.utf8"),
    ],
)
def test_refused_alike_by_every_way_of_reading(body: bytes, rules: str) -> None:
    with within(5):
        found = verdicts(body)
    if rules == "number.finite" and b"seed" in body:
        assert found <= {("schema.type",), ("number.finite",)}
    else:
        assert found == {(rules,)}


@pytest.mark.parametrize(
    "body",
    [
        OPEN + b'"user": "' + b"x" * 50_000_000 + b'"}',
        b'{"messages": [{"role": "user", "content": "' + "é".encode() * 25_000_000 + b'"}]}',
        OPEN + b'"user": ' + b"9" * 1_000_000 + b"}",
        OPEN + b'"user": 1e999999999}',
        OPEN + b'"user": 0.' + b"0" * 1_000_000 + b"1}",
        OPEN + b'"temperature": 0.' + b"0" * 1_000_000 + b"1}",
        OPEN + b'"ignored": [' + b", ".join([b"1e308"] * 300_000) + b"]}",
        OPEN + b'"tools": [' + b", ".join([b"-1.5e-300"] * 300_000) + b"]}",
    ],
    ids=[
        "50 MB ignored",
        "50 MB content",
        "10^6 digits",
        "huge exponent",
        "long fraction ignored",
        "long fraction",
        "large exponents ignored",
        "large exponents",
    ],
)
def test_large_but_valid(body: bytes) -> None:
    with within(10):
        assert verdicts(body) == {()}


def test_json_without_types_is_read_in_bounded_time_and_keeps_to_doubles() -> None:
    with within(5):
        assert read_plain(b"[" + b", ".join([b"1e308"] * 500_000) + b"]") == [1e308] * 500_000
    assert [read_plain(text) for text in ("-0.0", "1.5e3", "12345678901234567890123")] == [
        0.0,
        1500.0,
        12345678901234567890123,
    ]
    with pytest.raises(msgspec.DecodeError):
        read_plain("[1e309]")


def test_deep_values_built_in_python() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with within(5):
        assert kc.validate("ChatCompletionRequest", {"messages": [], "tools": [deep]}) == []
        assert kc.validate("ChatCompletionRequest", {"messages": [deep]})[0].pointer == "/messages/0"


def test_non_strict_decoding_at_the_parsers_limit() -> None:
    for levels in (200, 500, 900, 1_000, 5_000, 1_000_000):
        body = OPEN + b'"tools": ' + b"[" * levels + b"]" * levels + b"}"
        rules = decoded(body)
        assert rules in ((), ("json.depth",))
        assert levels > 500 or rules == ()
        assert levels < 1_000 or rules == ("json.depth",)


def test_a_large_bad_record_fails_in_bounded_time_and_memory() -> None:
    record = provenance(tokens=100_000, prompt=25_000)
    for token in record["action_tokens"]:
        token["behavior_logprob"] = "x"
    body = json.dumps(record).encode()
    assert len(body) > 7_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with within(5), pytest.raises(kc.ContractViolation) as caught:
        kc.decode(kc.RolloutProvenanceV1, body)
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert len(caught.value.violations) == 100
    assert len(str(caught.value)) < 20_000
    assert grown_mb < 120


def test_long_keys_and_paths_are_cut() -> None:
    key = "k" * 1_000_000
    (violation,) = kc.validate("Usage", {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, key: 1})
    assert len(violation.pointer) <= 65
    deep: object = float("nan")
    for _ in range(200):
        deep = {"x" * 60: deep}
    (violation,) = kc.validate("ChatCompletionRequest", {"messages": [], "tools": [deep]})
    assert len(violation.pointer) == 1024


def test_no_message_is_long_or_repeats_content() -> None:
    secret = "hunter2" * 100
    documents = [
        {"messages": secret},
        {"messages": [secret]},
        {"messages": [{"role": {secret: secret}, "content": 1.5, "tool_calls": secret}], "stop": {secret: 1}},
        {"messages": [], "adapter": secret + "/", "adapters": [{"name": secret + "/", "scale": secret}]},
    ]
    for document in documents:
        found = kc.validate("ChatCompletionRequest", document)
        assert found
        assert all(len(v.message) <= 300 and "hunter2" not in repr(v) for v in found)


def test_many_unknown_members_are_bounded() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2} | {f"x{i}": i for i in range(200_000)}
    with within(5):
        assert len(kc.validate("Usage", usage)) == 100
