"""The verifier of provenance records: every comparison alone, in bounded time, and silent about content."""

from __future__ import annotations

import json
import time
import tracemalloc
from copy import deepcopy
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from kiln_contract import RolloutProvenanceV1, decode, provenance
from kiln_contract.errors import Violation
from kiln_contract.provenance import Expected
from kiln_contract.validate import validate

MESSAGES = [{"role": "user", "content": "Hi"}]
MESSAGES_SHA256 = "sha256:c78dd08d6154e3bc473d869f254473bc646e3707a2a3f04160ba5bfc2ec5ec47"
HELLO_SHA256 = "sha256:8fd860cc5152dd0c3a465016098f608a87462d3445fc2ec2d75438c3740ca614"


def sha(letter: str) -> str:
    return f"sha256:{letter * 64}"


RECORD: dict[str, Any] = {
    "schema": "kiln.rollout-provenance.v1",
    "input_token_ids": [5, 6, 9],
    "prompt_token_count": 2,
    "prompt_messages_sha256": MESSAGES_SHA256,
    "scored_payload_sha256": HELLO_SHA256,
    "action_tokens": [{"sequence_index": 2, "token_id": 9, "source": "sampled", "behavior_logprob": -0.5}],
    "behavior_policy": {
        "served_model_id": "m",
        "base_model_sha256": sha("a"),
        "inference_config_sha256": sha("b"),
        "implementation": "kiln",
    },
    "tokenizer": {"vocab_sha256": sha("c"), "config_sha256": sha("d"), "chat_template_sha256": sha("e")},
    "sampling": {
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": 0.0,
        "max_tokens": 8,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "stop": [],
    },
    "seed": 2**64 - 1,
    "generation_backend": "torch",
}
ADAPTER = {"name": "tuned", "content_sha256": sha("f")}


def changed(path: str, value: object) -> dict[str, Any]:
    """The record with one member set, or taken out when the value is UNSET."""
    record = deepcopy(RECORD)
    *parents, last = path.split("/")
    holder = record
    for parent in parents:
        holder = holder[parent]
    holder.pop(last, None)
    if value is not UNSET:
        holder[last] = value
    return record


KNOWN: dict[str, Any] = {
    "messages": MESSAGES,
    "text": "Hello",
    "prompt_token_ids": [5, 6],
    "expected": Expected(
        base_model_sha256=sha("a"),
        inference_config_sha256=sha("b"),
        adapter_sha256=None,
        vocab_sha256=sha("c"),
        config_sha256=sha("d"),
        chat_template_sha256=sha("e"),
    ),
}


def test_a_true_record_verifies() -> None:
    assert provenance.verify(RECORD, **KNOWN) == []
    assert provenance.verify(RECORD) == []


def test_a_prompt_count_in_float_notation_is_compared_as_the_integer_it_is() -> None:
    assert provenance.verify(changed("prompt_token_count", 2.0), prompt_token_ids=[5, 6]) == []
    (found,) = provenance.verify(changed("prompt_token_count", 1.0), prompt_token_ids=[5, 6])
    assert found.pointer == "/prompt_token_count"


def test_an_adapter_is_compared_by_content() -> None:
    tuned = changed("behavior_policy/adapter", ADAPTER)
    assert provenance.verify(tuned, expected=Expected(adapter_sha256=sha("f"))) == []
    assert provenance.verify(tuned) == []


def hash_case(path: str, rule: str, what: str) -> tuple[str, object, str, str, str, str, str]:
    name = path.rpartition("/")[2]
    message = f"{name} does not belong to {what}: use the record of this exchange, or the inputs it was made from"
    return path, sha("0"), f"/{path}", rule, message, f"the hash of {what}", "string"


MESSAGES_RULE, PAYLOAD_RULE, PROMPT_RULE, IDENTITY_RULE = provenance.RULES
COUNT_MESSAGE = "prompt_token_count is not the length of the prompt given: that one has 2 tokens"
PROMPT_MESSAGE = "the prompt's token ids part from the prompt given here: render the same messages and template"
ADAPTER_MESSAGE = "the record names an adapter: the rollout did not come from the base model alone"
ID_WANTED = "the token id of the prompt given"


@pytest.mark.parametrize(
    ("path", "value", "pointer", "rule", "message", "expected", "got"),
    [
        hash_case("prompt_messages_sha256", MESSAGES_RULE, "the messages given"),
        hash_case("scored_payload_sha256", PAYLOAD_RULE, "the text given"),
        ("prompt_token_count", 1, "/prompt_token_count", PROMPT_RULE, COUNT_MESSAGE, "2", "integer"),
        ("input_token_ids", [5, 7, 9], "/input_token_ids/1", PROMPT_RULE, PROMPT_MESSAGE, ID_WANTED, "integer"),
        ("input_token_ids", [4, 7, 9], "/input_token_ids/0", PROMPT_RULE, PROMPT_MESSAGE, ID_WANTED, "integer"),
        (
            "behavior_policy/adapter",
            ADAPTER,
            "/behavior_policy/adapter",
            IDENTITY_RULE,
            ADAPTER_MESSAGE,
            "no adapter",
            "object",
        ),
        *(
            hash_case(path, IDENTITY_RULE, f"the expected {path.rpartition('/')[2]}")
            for path in (
                "behavior_policy/base_model_sha256",
                "behavior_policy/inference_config_sha256",
                "tokenizer/vocab_sha256",
                "tokenizer/config_sha256",
                "tokenizer/chat_template_sha256",
            )
        ),
    ],
)
def test_each_difference_is_found_alone(
    path: str, value: object, pointer: str, rule: str, message: str, expected: str, got: str
) -> None:
    schema_ref = "#/$defs/RolloutProvenanceV1/properties/" + pointer.split("/")[1]
    assert provenance.verify(changed(path, value), **KNOWN) == [
        Violation(
            pointer=pointer,
            rule=rule,
            keyword="",
            schema_ref=schema_ref,
            message=message,
            expected=expected,
            got=got,
        )
    ]


def test_an_expected_adapter_that_is_missing_is_found() -> None:
    (found,) = provenance.verify(RECORD, expected=Expected(adapter_sha256=sha("f")))
    assert (found.pointer, found.rule, found.expected, found.got) == (
        "/behavior_policy",
        "provenance.identity",
        "an adapter",
        "object",
    )
    assert "came from the base model, not from the expected adapter" in found.message


def test_another_adapter_is_found() -> None:
    other = changed("behavior_policy/adapter", ADAPTER | {"content_sha256": sha("0")})
    (found,) = provenance.verify(other, expected=Expected(adapter_sha256=sha("f")))
    assert (found.pointer, found.rule) == ("/behavior_policy/adapter/content_sha256", "provenance.identity")
    assert found.expected == "the hash of the expected adapter"


@pytest.mark.parametrize(
    "path",
    [
        "prompt_messages_sha256",
        "tokenizer/vocab_sha256",
        "tokenizer",
        "behavior_policy",
        "input_token_ids",
        "prompt_token_count",
    ],
)
@pytest.mark.parametrize("value", [UNSET, None, True, 5.5, "sha256:ABC", sha("0") + "\n", [], {}])
def test_a_malformed_field_is_left_to_the_validator(path: str, value: object) -> None:
    record = changed(path, value)
    assert provenance.verify(record, **KNOWN) == validate("RolloutProvenanceV1", record) != []


@pytest.mark.parametrize("record", [None, 5, "text", [], [1], {}])
def test_what_is_no_record_at_all_is_left_to_the_validator(record: object) -> None:
    assert provenance.verify(record, **KNOWN) == validate("RolloutProvenanceV1", record) != []


def test_shape_comes_first_and_the_count_is_bounded() -> None:
    broken = changed("prompt_messages_sha256", sha("0"))
    broken |= {"scored_payload_sha256": sha("0"), "seed": -1, "generation_backend": None}
    rules = [v.rule for v in provenance.verify(broken, **KNOWN)]
    assert [v.rule for v in validate("RolloutProvenanceV1", broken)] == rules[:2]
    assert rules[2:] == ["provenance.messages-hash", "provenance.payload-hash"]
    for count in (1, 2, 3):
        assert [v.rule for v in provenance.verify(broken, **KNOWN, max_errors=count)] == rules[:count]


def test_a_struct_is_verified_as_the_json_it_stands_for() -> None:
    invocation = {"template_invocation": {"tools": [1]}}
    record = decode(RolloutProvenanceV1, json.dumps(RECORD | invocation), opaque="raw")
    assert isinstance(record.template_invocation.tools[0], msgspec.Raw)
    assert provenance.verify(record, **KNOWN) == []
    (found,) = provenance.verify(record, text="another")
    assert found.rule == "provenance.payload-hash"


def test_a_struct_that_json_cannot_carry_is_a_clean_error() -> None:
    holder = msgspec.defstruct("Holder", ["value"])
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for value in ("secret\ud800", deep):
        with pytest.raises(ValueError, match="lone surrogate, or is nested too deeply") as caught:
            provenance.verify(holder(value))
        assert "secret" not in str(caught.value)


def test_the_callers_own_malformed_messages_are_an_error_not_a_violation() -> None:
    with pytest.raises(ValueError, match="role"):
        provenance.verify(RECORD, messages=[{}])


def test_nothing_of_the_record_or_the_inputs_is_shown() -> None:
    broken = changed("input_token_ids", [424242, 6, 9])
    broken["prompt_messages_sha256"] = sha("0")
    broken["behavior_policy"]["adapter"] = {"name": "secret", "content_sha256": sha("9")}
    found = provenance.verify(
        broken,
        messages=[{"role": "user", "content": "secret"}],
        text="secret",
        **{k: KNOWN[k] for k in ("prompt_token_ids", "expected")},
    )
    assert len(found) == 4
    assert {v.rule for v in found} <= set(provenance.RULES)
    shown = repr(found)
    assert not any(content in shown for content in ("secret", "424242", "0" * 64, "9" * 64))


def test_a_large_wrong_record_is_judged_in_bounded_time_and_memory() -> None:
    action = {"token_id": 0, "source": "sampled", "behavior_logprob": -0.5}
    ids = [4_000_000_000 + index for index in range(100_000)]
    record = changed("input_token_ids", ids)
    record["action_tokens"] = [{**action, "sequence_index": index} for index in range(25_000, 100_000)]
    record["prompt_token_count"] = 25_000
    assert len(json.dumps(record)) > 7_000_000
    prompt = [*ids[:24_999], 0]
    started = time.process_time()
    found = provenance.verify(record, messages=MESSAGES, text="other", prompt_token_ids=prompt)
    assert time.process_time() - started < 10  # seconds, against quadratic work; it takes one
    tracemalloc.start()
    assert provenance.verify(record, messages=MESSAGES, text="other", prompt_token_ids=prompt) == found
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 100
    assert peak < 30_000_000
    assert "4000000" not in repr(found)
