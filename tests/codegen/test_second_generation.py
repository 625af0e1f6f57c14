"""Two generators that share no code read the same contract out of the schemas, but for losses that are listed here.

A difference that is not listed fails, and so does a listed one that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import msgspec
import pytest

import kiln_contract as kc
from tests.codegen.second_generation import counterpart, generate, is_struct, members, notation
from tests.oracles.contract_schema import INFERENCE, THINKING

DEFAULT = "writes the schema's default into the Struct, so that an absent member cannot be told from a given one"
CONST = "takes a constant that is no string or number for any boolean"
NAMES = "drops propertyNames"
ORDER = "puts required members first, not in the order of the wire"
BASE = "puts the members of a base first, each layer with its required ones in front"
TAGGED = "makes a tagged union of it, whose tag cannot be read as a member"
SPLIT = "splits an object with anyOf into untagged Structs"
UNDECODABLE = "cannot decode a union of untagged Structs, nor anything that holds one"

KNOWN_LOSSES = {
    "BatchCompletionItem: order": ORDER,
    "BatchCompletionRequest: order": ORDER,
    "BatchCompletionRequest.ignore_eos: default": DEFAULT,
    "BatchCompletionRequest.n: default": DEFAULT,
    "ChatCompletionMetadata: order": ORDER,
    "ChatCompletionRequest: order": ORDER,
    "ChatCompletionRequest.ignore_eos: default": DEFAULT,
    "ChatCompletionRequest.n: default": DEFAULT,
    "ChatCompletionRequest.rollout_provenance: default": DEFAULT,
    "ChatCompletionRequest.stream: default": DEFAULT,
    "ChatCompletionResponse: decoder": UNDECODABLE,
    "ChatMessageInput.content: default": DEFAULT,
    "Choice: decoder": UNDECODABLE,
    "PromptLogprobMap: type": NAMES,
    "RolloutActionTokenV1: split": TAGGED,
    "RolloutBehaviorPolicyIdentityV1: order": ORDER,
    "RolloutChatTemplateInvocationV1.template_kwargs: type": NAMES,
    "RolloutProvenanceV1: decoder": UNDECODABLE,
    "RolloutProvenanceV1: order": ORDER,
    "RolloutProvenanceV1.action_tokens: type": TAGGED,
    "RolloutSamplingConfigV1: decoder": UNDECODABLE,
    "RolloutSamplingConfigV1.thinking_budget: type": SPLIT,
    "RolloutThinkingBudgetV1: decoder": UNDECODABLE,
    "RolloutThinkingBudgetV1: split": SPLIT,
    "StreamOptions.include_usage: default": DEFAULT,
    "TextCompletionChoice.prompt_logprobs: type": NAMES,
    "TextCompletionRequest: order": ORDER,
    "TextCompletionRequest.add_special_tokens: default": DEFAULT,
    "TextCompletionRequest.max_tokens: default": DEFAULT,
    "TextCompletionRequest.n: default": DEFAULT,
    "TextCompletionRequest.stream: default": DEFAULT,
    "TextCompletionRequest.stream: type": CONST,
    "ThinkingBudgetConfigurationMetadata: order": ORDER,
    "thinking_budget.effective: order": ORDER,
    "thinking_budget.outcome: order": ORDER,
    "thinking_budget.recentRecord: order": BASE,
    "thinking_budget.record: order": BASE,
}
"""What datamodel-code-generator loses, and how; three more kinds of loss have tests of their own."""


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return generate(tmp_path_factory.mktemp("second"))


def test_both_generations_agree_but_for_the_known_losses(second: ModuleType) -> None:
    found: set[str] = set()
    for name, ours in kc.DEFINITIONS.items():
        found.update(f"{name}{difference}" for difference in differences(ours, counterpart(second, name)))
    assert sorted(found - KNOWN_LOSSES.keys()) == [], "unexpected differences"
    assert sorted(KNOWN_LOSSES.keys() - found) == [], "no longer lost"


def test_a_lost_bound_a_lost_member_and_a_lost_null_are_noticed(second: ModuleType) -> None:
    broken = msgspec.defstruct("Usage", [("prompt_tokens", int), ("total_tokens", kc.NonNegativeInteger | None)])
    assert sorted(differences(broken, second.Usage)) == [
        ".completion_tokens: name",
        ".prompt_tokens: type",
        ".total_tokens: type",
        ": order",
    ]


def differences(ours: Any, theirs: Any) -> Iterator[str]:
    """In what two types of one definition differ, by member and aspect."""
    if not decodable(theirs):
        yield ": decoder"
    if is_struct(ours) != is_struct(theirs):
        yield ": split"
    elif is_struct(ours):
        yield from member_differences(ours, theirs)
    elif notation(ours) != notation(theirs):
        yield ": type"


def member_differences(ours: Any, theirs: Any) -> Iterator[str]:
    left, right = members(ours), members(theirs)
    for name in left.keys() ^ right.keys():
        yield f".{name}: name"
    for name in left.keys() & right.keys():
        for aspect in ("optional", "default", "type"):
            if getattr(left[name], aspect) != getattr(right[name], aspect):
                yield f".{name}: {aspect}"
    if list(left) != list(right):
        yield ": order"


def decodable(type_: Any) -> bool:
    try:
        msgspec.json.Decoder(type_)
    except TypeError:
        return False
    return True


def test_the_second_generation_closes_no_object_and_ours_closes_those_of_the_schema(second: ModuleType) -> None:
    schemas = {**INFERENCE["$defs"], **{f"thinking_budget.{name}": node for name, node in THINKING["$defs"].items()}}
    for name, ours in kc.DEFINITIONS.items():
        if is_struct(ours):
            branches = schemas[name].get("oneOf", [schemas[name]])
            closed = all(
                False in (node.get("additionalProperties"), node.get("unevaluatedProperties")) for node in branches
            )
            assert ours.__struct_config__.forbid_unknown_fields is closed, name
            theirs = counterpart(second, name)
            assert not (is_struct(theirs) and theirs.__struct_config__.forbid_unknown_fields), name


def test_the_second_generation_drops_the_bound_of_64_bits_and_ours_holds_it(second: ModuleType) -> None:
    assert "le=" not in notation(second.NullableUint64)
    assert msgspec.convert(2**64, second.NullableUint64) == 2**64
    for literal in (b"18446744073709551615", b"18446744073709551616"):
        body = b'{"messages":[],"seed":%s}' % literal
        assert (kc.validate_json("ChatCompletionRequest", body) == []) is literal.endswith(b"5")


def test_the_second_generation_lets_a_trailing_newline_pass_and_ours_does_not(second: ModuleType) -> None:
    digest = "sha256:" + "0" * 64 + "\n"
    assert msgspec.convert(digest, second.Sha256) == digest
    assert kc.validate("Sha256", digest)


def test_the_second_generation_knows_no_rule_between_members(second: ModuleType) -> None:
    both = {"messages": [], "adapter": "a", "adapters": [{"name": "a", "scale": 1}]}
    assert msgspec.convert(both, second.ChatCompletionRequest).adapter == "a"
    assert [violation.rule for violation in kc.validate("ChatCompletionRequest", both)] == ["chat.adapter-exclusive"]
