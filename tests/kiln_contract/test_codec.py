"""decode, convert, check and encode, as a caller uses them."""

from __future__ import annotations

import copy
import math
import pickle
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

import kiln_contract as kc
from kiln_contract import canonical, sse
from tests.kiln_contract.samples import example

HELLO = b'{"messages": [{"role": "user", "content": "hi"}]'


def refusal(type_: Any, body: bytes | str, **options: Any) -> list[kc.Violation]:
    with pytest.raises(kc.ContractViolation) as caught:
        kc.decode(type_, body, **options)
    return list(caught.value.violations)


def test_absent_null_and_value_are_three_states() -> None:
    assert kc.decode(kc.ChatCompletionRequest, HELLO + b"}").thinking_budget_tokens is UNSET
    null = kc.decode(kc.ChatCompletionRequest, HELLO + b', "thinking_budget_tokens": null, "adapter": null}')
    assert (null.thinking_budget_tokens, null.adapter) == (None, None)
    zero = kc.decode(kc.ChatCompletionRequest, HELLO + b', "thinking_budget_tokens": 0, "adapter": ""}')
    assert (zero.thinking_budget_tokens, zero.adapter) == (0, "")


def test_defaults_are_never_invented() -> None:
    request = kc.decode(kc.ChatCompletionRequest, HELLO + b"}")
    assert request.n is UNSET
    assert kc.encode(request) == HELLO.replace(b": ", b":").replace(b", ", b",") + b"}"
    assert kc.DEFAULTS["ChatCompletionRequest"]["n"] == 1


def test_every_violation_is_reported_in_schema_order() -> None:
    found = refusal(kc.ChatCompletionRequest, b'{"stop": [1], "top_k": -1, "messages": [{"role": 1}], "n": 65}')
    assert [(v.pointer, v.rule) for v in found] == [
        ("/messages/0/role", "schema.type"),
        ("/n", "schema.maximum"),
        ("/top_k", "schema.minimum"),
        ("/stop/0", "schema.type"),
    ]


def test_max_errors_bounds_the_list_without_changing_its_start() -> None:
    body = b'{"messages": [' + b",".join([b'{"role": 1}'] * 500) + b"]}"
    assert len(refusal(kc.ChatCompletionRequest, body)) == 100
    assert refusal(kc.ChatCompletionRequest, body, max_errors=3) == refusal(kc.ChatCompletionRequest, body)[:3]
    with pytest.raises(ValueError, match="max_errors must be at least 1"):
        kc.decode(kc.ChatCompletionRequest, body, max_errors=0)


@pytest.mark.parametrize(
    ("literal", "value"),
    [(b"16.0", 16), (b"1.6e1", 16), (b"-0.0", 0), (b"-0", 0), (b"9007199254740993.0", 9007199254740993), (b"1E2", 100)],
)
def test_integers_in_float_notation_are_read_exactly(literal: bytes, value: int) -> None:
    request = kc.decode(kc.ChatCompletionRequest, HELLO + b', "seed": ' + literal + b"}")
    assert (request.seed, type(request.seed)) == (value, int)


@pytest.mark.parametrize(
    "literal", [b"16.5", b"9007199254740993.5", b"1e400", b"true", b'"1"', b"-1", b"18446744073709551616"]
)
def test_what_is_no_integer_in_range_is_refused(literal: bytes) -> None:
    assert [v.pointer for v in refusal(kc.ChatCompletionRequest, HELLO + b', "seed": ' + literal + b"}")] == ["/seed"]


@pytest.mark.parametrize("seed", [2**63 - 1, 2**63, 2**64 - 1])
def test_uint64_is_exact(seed: int) -> None:
    assert kc.decode(kc.ChatCompletionRequest, HELLO + b', "seed": %d}' % seed).seed == seed


def test_recovery_keeps_opaque_values_as_they_are() -> None:
    body = HELLO + b', "n": 1.0, "tools": [1.0, {"a": 9007199254740993.0}]}'
    request = kc.decode(kc.ChatCompletionRequest, body)
    assert request.n == 1
    assert request.tools == [1.0, {"a": 9007199254740992.0}]
    assert [type(tool) for tool in request.tools or []] == [float, dict]
    assert msgspec.json.decode(kc.encode(request))["tools"] == request.tools


def test_raw_keeps_the_text_and_the_type() -> None:
    body = HELLO + b', "tools": [ {"b": 1.50} ], "tool_choice": null, "chat_template_kwargs": {"k": [ 1 ]}}'
    request = kc.decode(kc.ChatCompletionRequest, body, opaque="raw")
    assert isinstance(request, kc.ChatCompletionRequest)
    assert [bytes(tool) for tool in request.tools or []] == [b'{"b": 1.50}']
    assert bytes(request.tool_choice) == b"null"
    assert kc.decode(kc.ChatCompletionRequest, kc.encode(request)) == kc.decode(kc.ChatCompletionRequest, body)


def test_raw_checks_syntax_and_encoding_inside_opaque_values() -> None:
    assert kc.decode(kc.ChatCompletionRequest, HELLO + b', "tools": [1e400]}', opaque="raw").tools
    assert [v.rule for v in refusal(kc.ChatCompletionRequest, HELLO + b', "tools": [1e400]}')] == ["number.finite"]
    for bad in (b"[NaN]", b'["\xff"]', b'["\\ud800"]'):
        found = refusal(kc.ChatCompletionRequest, HELLO + b', "tools": ' + bad + b"}", opaque="raw")
        assert found[0].rule.startswith("json."), bad


def test_raw_parts_are_checked_and_compared_like_all_others() -> None:
    body = b'{"messages": [{"role": "user", "content": "x", "tool_calls": [{"a": 1}]}], "tools": [{"x": [1.5, null]}]}'
    raw = kc.decode(kc.ChatCompletionRequest, body, opaque="raw")
    kc.check(raw)
    assert kc.validate_exchange(raw, example("ChatCompletionResponse")) == []
    raw.tools = msgspec.Raw(b'{"not": "a list"}')  # type: ignore[assignment]
    with pytest.raises(kc.ContractViolation, match="/tools"):
        kc.check(raw)
    with pytest.raises(TypeError):
        kc.check(kc.ChatCompletionRequest(messages=[], tools=[object()]))


@pytest.mark.parametrize(
    "error",
    [canonical.CanonicalError("/a", "it is no JSON"), sse.EventTooLarge(16)],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))], ids=["copy", "pickle"])  # noqa: S301
def test_errors_can_be_sent_to_another_process(error: Exception, again: Callable[[Exception], Exception]) -> None:
    other = again(error)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("name", "value", "got"),
    [
        ("Usage", OrderedDict(prompt_tokens=1, completion_tokens=1, total_tokens=2), "Python OrderedDict"),
        ("ChatCompletionRequest", {"messages": deque()}, "Python deque"),
        ("ChatMessageInput", {"role": type("Text", (str,), {})("user")}, "Python Text"),
    ],
)
def test_what_is_like_json_and_is_none_is_named(name: str, value: Any, got: str) -> None:
    assert [violation.got for violation in kc.validate(name, value)] == [got]


def test_a_definition_is_named_by_a_string() -> None:
    with pytest.raises(TypeError, match="pass a definition's name as a string, such as 'Usage', not <class"):
        kc.validate(kc.Usage, {})  # type: ignore[arg-type]


def test_raw_rules_still_hold() -> None:
    body = HELLO + b', "rollout_provenance": true, "tool_choice": %s}'
    assert kc.decode(kc.ChatCompletionRequest, body % b"null", opaque="raw")
    found = refusal(kc.ChatCompletionRequest, body % b'"auto"', opaque="raw")
    assert [v.rule for v in found] == ["rollout.no-tools"]


def test_strict_refuses_duplicates_and_depth_everywhere() -> None:
    twice = HELLO + b', "ignored": {"a": 1, "a": 2}, "n": 1, "n": 2}'
    assert kc.decode(kc.ChatCompletionRequest, twice).n == 2
    found = refusal(kc.ChatCompletionRequest, twice, strict=True)
    assert [(v.pointer, v.rule) for v in found] == [
        ("/n", "json.duplicate-key"),
        ("/ignored/a", "json.duplicate-key"),
    ]
    for levels, allowed in ((127, True), (128, False)):  # the request object is one level itself
        deep = HELLO + b', "ignored": ' + b"[" * levels + b"]" * levels + b"}"
        assert kc.decode(kc.ChatCompletionRequest, deep)
        if allowed:
            kc.decode(kc.ChatCompletionRequest, deep, strict=True)
        else:
            assert [v.rule for v in refusal(kc.ChatCompletionRequest, deep, strict=True)] == ["json.depth"]


def test_content_stays_out_of_errors_unless_asked_for() -> None:
    body = b'{"messages": [{"role": "user", "content": {"secret": "hunter2"}}], "model": 5, "adapter": "hunter2/x"}'
    with pytest.raises(kc.ContractViolation) as caught:
        kc.decode(kc.ChatCompletionRequest, body)
    assert "hunter2" not in str(caught.value) + repr(caught.value.violations)
    shown = refusal(kc.ChatCompletionRequest, body, show_values=True)
    assert "string 'hunter2/x'" in {v.got for v in shown}


def test_convert_and_check_see_what_msgspec_lets_pass() -> None:
    value = {"messages": [{"role": "user", "content": "hi"}], "n": 1.0, "tools": [{"x": math.inf}]}
    with pytest.raises(kc.ContractViolation) as caught:
        kc.convert(kc.ChatCompletionRequest, value)
    assert [(v.pointer, v.rule) for v in caught.value.violations] == [("/tools/0/x", "number.finite")]
    value["tools"] = [{"x": 1}]
    assert kc.convert(kc.ChatCompletionRequest, value).n == 1
    usage = kc.Usage(prompt_tokens=1, completion_tokens=1, total_tokens=3)
    with pytest.raises(kc.ContractViolation, match=r"usage\.total"):
        kc.check(usage)
    kc.check(kc.Usage(prompt_tokens=1, completion_tokens=1, total_tokens=2))
    with pytest.raises(kc.ContractViolation, match=r"schema\.type"):
        kc.check(kc.Usage(prompt_tokens="1", completion_tokens=1, total_tokens=2))  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_encode_refuses_what_json_cannot_hold(number: float) -> None:
    ref = kc.AdapterRef(name="a", scale=number)
    with pytest.raises(kc.ContractViolation) as caught:
        kc.encode({"adapters": [ref], "note": None})
    assert [(v.pointer, v.rule) for v in caught.value.violations] == [("/adapters/0/scale", "number.finite")]


def test_encode_keeps_null_and_refuses_lone_surrogates() -> None:
    assert kc.encode({"a": None, "b": [1.5, None]}) == b'{"a":null,"b":[1.5,null]}'
    with pytest.raises(kc.ContractViolation, match="lone surrogate"):
        kc.encode({"a": "\ud800"})


@pytest.mark.parametrize("name", sorted(kc.DEFINITIONS))
def test_every_definition_decodes_by_name(name: str) -> None:
    with pytest.raises(kc.ContractViolation) as caught:
        kc.decode(name, b'{"\xff": 1}')
    assert caught.value.violations[0].rule == "json.utf8"


def test_aliases_are_decoded_by_name_only() -> None:
    assert kc.decode("NullableUint64", b"18446744073709551615") == 2**64 - 1
    assert refusal("NullableUint64", b"18446744073709551616")[0].rule == "schema.maximum"
    assert refusal("RolloutIdentityText", b'" x"')[0].rule == "identity-text"
    with pytest.raises(TypeError, match="definition's name as a string"):
        kc.decode(kc.NullableUint64, b"1")
    with pytest.raises(LookupError, match="did you mean 'Usage'"):
        kc.decode("Usge", b"1")


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        kc.decode(kc.Usage, 5)  # type: ignore[call-overload]
    kc.decode(kc.StreamOptions, b"{}", opaque="raw")  # what is prepared by now must not stand in for what is asked for
    with pytest.raises(ValueError, match='opaque must be "value" or "raw"'):
        kc.decode(kc.StreamOptions, b"{}", opaque="bytes")  # type: ignore[call-overload]
    usage = kc.decode(kc.Usage, bytearray(b'{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}'))  # type: ignore[call-overload]
    assert usage.total_tokens == 1


CHUNK = b'{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":%s,"choices":[]}'


@pytest.mark.parametrize("bad", [b'"\xff"', b'"\xed\xa0\x80"'])
@pytest.mark.parametrize("opaque", ["value", "raw"])
def test_encoding_is_checked_where_nothing_is_skipped_over(bad: bytes, opaque: Any) -> None:
    assert kc.decode(kc.ChatCompletionChunk, CHUNK % '"é😀"'.encode(), opaque=opaque).model == "é😀"
    assert refusal(kc.ChatCompletionChunk, CHUNK % bad, opaque=opaque)[0].rule == "json.utf8"
    call = b'{"role":"assistant","content":"","tool_calls":[{"x":%s}]}' % bad
    assert refusal(kc.ChatMessageOutput, call, opaque=opaque)[0].rule == "json.utf8"
