"""Provenance: the hashes of conversations and answers, with their known answers. The verifier has its own file."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from kiln_contract import provenance
from kiln_contract.canonical import CanonicalError

MESSAGES = [{"role": "user", "content": "Hi"}]
MESSAGES_SHA256 = "sha256:c78dd08d6154e3bc473d869f254473bc646e3707a2a3f04160ba5bfc2ec5ec47"
HELLO_SHA256 = "sha256:8fd860cc5152dd0c3a465016098f608a87462d3445fc2ec2d75438c3740ca614"


def digest(canonical: str) -> str:
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def test_known_answer_of_a_conversation() -> None:
    assert provenance.messages_sha256(MESSAGES) == MESSAGES_SHA256


def test_known_answer_of_a_payload() -> None:
    assert provenance.scored_payload_sha256("Hello") == HELLO_SHA256


@pytest.mark.parametrize(
    ("message", "canonical"),
    [
        ({"role": "user"}, '{"role":"user","content":""}'),
        ({"content": None, "role": "user"}, '{"role":"user","content":""}'),
        (
            {
                "reasoning_content": "r",
                "tool_call_id": "t",
                "name": "n",
                "tool_calls": [{"type": "function", "id": "1", "function": {"name": "f", "arguments": '{"b":1}'}}],
                "content": "c",
                "role": "assistant",
                "unknown": 1,
            },
            '{"role":"assistant","content":"c","tool_calls":[{"function":{"arguments":"{\\"b\\":1}","name":"f"},"id":"1",'
            '"type":"function"}],"name":"n","tool_call_id":"t","reasoning_content":"r"}',
        ),
        (
            {"role": "a", "tool_calls": None, "name": None, "tool_call_id": None, "reasoning_content": None},
            '{"role":"a","content":""}',
        ),
        (
            {"role": "a", "content": "", "tool_calls": [], "name": "", "tool_call_id": "", "reasoning_content": ""},
            '{"role":"a","content":"","tool_calls":[],"name":"","tool_call_id":""}',
        ),
        (
            {"role": "a", "tool_calls": [{"x": None, "v": 1.0}]},
            '{"role":"a","content":"","tool_calls":[{"v":1.0,"x":null}]}',
        ),
    ],
)
def test_messages_are_hashed_in_a_fixed_order_with_null_as_absent(message: dict[str, Any], canonical: str) -> None:
    assert provenance.messages_sha256([message, MESSAGES[0]]) == digest(
        f'[{canonical},{{"role":"user","content":"Hi"}}]'
    )


def test_structs_and_raw_json_hash_like_their_plain_form() -> None:
    class Message(msgspec.Struct):
        role: str
        content: Any = UNSET
        reasoning_content: str | msgspec.UnsetType | None = UNSET
        tool_calls: Any = UNSET
        name: str | msgspec.UnsetType | None = UNSET
        tool_call_id: str | msgspec.UnsetType | None = UNSET

    plain = {"role": "a", "content": [{"type": "text", "text": "x"}], "tool_calls": [{"b": 1, "a": 2}], "name": None}
    parts, calls = msgspec.Raw(b'[{"type":"text","text":"x"}]'), msgspec.Raw(b'[{"b":1,"a":2}]')
    expected = provenance.messages_sha256([plain])
    assert provenance.messages_sha256([Message("a", parts, tool_calls=calls)]) == expected
    assert (
        provenance.messages_sha256(
            [Message("a", [msgspec.Raw(b'{"type":"text","text":"x"}')], tool_calls=[msgspec.Raw(b'{"b":1,"a":2}')])]
        )
        == expected
    )
    assert provenance.messages_sha256([Message("user", "Hi")]) == MESSAGES_SHA256


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        (UNSET, ""),
        ("", ""),
        ("plain", "plain"),
        ([], ""),
        (
            [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}, {"type": "output_text", "text": "c"}],
            "abc",
        ),
        ([{"type": "image_url", "text": "no"}, {"text": "no type"}, "bare", None, 7, {"type": "text"}], ""),
        ([{"type": "text", "text": None}, {"type": ["text"], "text": "no"}, {"type": "text", "text": 5}], ""),
        (msgspec.Raw(b'"raw"'), "raw"),
        (msgspec.Raw(b"null"), ""),
    ],
)
def test_content_is_flattened_to_its_text_parts(content: Any, text: str) -> None:
    assert provenance.content_text(content) == text


@pytest.mark.parametrize("content", [5, True, {"type": "text", "text": "x"}, msgspec.Raw(b"{}")])
def test_a_content_of_another_type_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match="content must be a string, null or an array"):
        provenance.content_text(content)


@pytest.mark.parametrize("raw", [b"[1", b'"\xff"', b"[" * 10**5 + b"]" * 10**5])
def test_raw_content_that_cannot_be_read_is_a_clean_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match="raw JSON that cannot be read"):
        provenance.content_text(msgspec.Raw(raw))


@pytest.mark.parametrize("message", [{"content": "no role"}, {"role": None}, {"role": 3}])
def test_a_message_without_a_role_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="role must be a string"):
        provenance.messages_sha256([message])


def test_what_utf8_cannot_carry_is_refused_without_being_shown() -> None:
    with pytest.raises(CanonicalError, match=r"/0/content: .*lone surrogate") as caught:
        provenance.messages_sha256([{"role": "user", "content": "secret\ud800"}])
    assert "secret" not in str(caught.value)
    with pytest.raises(CanonicalError, match="/text: "):
        provenance.scored_payload_sha256("\ud800")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_the_payload_is_the_documented_json(text: str) -> None:
    spelled = json.dumps(text, ensure_ascii=False)
    expected = digest(f'{{"schema":"kiln.scored-rollout-payload.v1","text":{spelled},"trajectory":[]}}')
    assert provenance.scored_payload_sha256(text) == expected
