"""The strategies keep their promises: valid documents conform, near misses break the rule that they name."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import kiln_contract as kc
from kiln_contract.strategies import NearMiss, near_miss, near_misses, near_misses_of, valid

few = settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
"""Health checks stay on: users of the strategies have them on too."""


@pytest.mark.parametrize("name", kc.DEFINITIONS)
def test_valid_documents_conform(name: str) -> None:
    @few
    @given(valid(name))
    def conforms(document: Any) -> None:
        assert kc.validate(name, document) == []

    conforms()


@pytest.mark.parametrize("name", kc.DEFINITIONS)
def test_near_misses_break_the_rule_that_they_name(name: str) -> None:
    @few
    @given(near_misses(name))
    def breaks(miss: NearMiss) -> None:
        assert_broken(name, miss)

    breaks()


@pytest.mark.parametrize("name", kc.DEFINITIONS)
def test_every_near_miss_of_a_document_breaks_the_rule_that_it_names(name: str) -> None:
    @settings(few, max_examples=2)
    @given(valid(name))
    def breaks(document: Any) -> None:
        before = copy.deepcopy(document)
        for miss in near_misses_of(name, document):
            assert_broken(name, miss)
        assert document == before

    breaks()


def assert_broken(name: str, miss: NearMiss) -> None:
    found = [(violation.rule, violation.pointer) for violation in kc.validate(name, miss.document)]
    assert (miss.rule, miss.pointer) in found, miss.mistake
    assert {rule for rule, _ in found} <= {miss.rule}, miss.mistake


@pytest.mark.parametrize("name", kc.DEFINITIONS)
def test_near_miss_gives_the_document_alone(name: str) -> None:
    @settings(few, max_examples=3)
    @given(near_miss(name))
    def refused(document: Any) -> None:
        assert kc.validate(name, document)

    refused()


def test_every_rule_of_a_document_can_be_broken() -> None:
    broken: set[str] = set()

    @settings(few, max_examples=4, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(st.tuples(*(st.tuples(st.just(name), valid(name)) for name in kc.DEFINITIONS)))
    def collect(documents: tuple[tuple[str, Any], ...]) -> None:
        broken.update(miss.rule for name, document in documents for miss in near_misses_of(name, document))

    collect()
    decidable = {rule.id for rule in kc.RULES.values() if rule.kind == "schema" or rule.kind.startswith("payload")}
    assert decidable - broken == NOT_BROKEN.keys()


NOT_BROKEN = {
    "scoring.prompt-length": "the schema's own bounds hold its payload part, and are what is broken",
    "provenance.messages-hash": "needs the conversation",
    "provenance.payload-hash": "needs the answer",
    "provenance.prompt-tokens": "needs the prompt's token ids",
    "provenance.identity": "needs the expected identities",
}


CORNERS: list[tuple[str, Callable[[Any], bool]]] = [
    ("NullableUint64", lambda value: value == 2**64 - 1),
    ("NullableUint64", lambda value: value is None),
    ("NullableUint64", lambda value: isinstance(value, float)),
    ("NonNegativeInteger", lambda value: value > 2**64),
    ("NullableSamplingNumber", lambda value: isinstance(value, int)),
    ("RolloutActionTokenV1", lambda token: token["behavior_logprob"] == 1e-6),
    ("RolloutIdentityText", lambda text: len(text.encode()) == 256 and len(text) == 128),
    ("ChatCompletionRequest", lambda request: "adapter" not in request),
    ("ChatCompletionRequest", lambda request: request.get("adapter", "") is None),
    ("ChatCompletionRequest", lambda request: isinstance(request.get("adapter"), str)),
    ("ChatCompletionRequest", lambda request: len(request.get("adapters") or ()) > 1),
    ("ChatCompletionRequest", lambda request: request.get("rollout_provenance") is True and bool(request.get("stop"))),
    ("ChatCompletionRequest", lambda request: not request.keys() <= set(kc.ChatCompletionRequest.__struct_fields__)),
    ("ChatMessageInput", lambda message: "\x00" in message["role"]),
    ("ChatMessageInput", lambda message: "\u0301" in message["role"]),
    ("ChatMessageInput", lambda message: any(ord(char) > 0xFFFF for char in message["role"])),
    ("BatchCompletionRequest", lambda request: len(request["prompts"]) == 64),
    ("TextCompletionRequest", lambda request: len(request["prompt"]) == 4096 and request["prompt_logprobs"] == 15),
    ("StreamingTokenTiming", lambda event: event["blocking_phase"] is None),
    (
        "RolloutProvenanceV1",
        lambda record: {token["source"] for token in record["action_tokens"]} == {"sampled", "forced"},
    ),
    ("thinking_budget.record", lambda record: record["triggered"]),
    ("thinking_budget.record", lambda record: record["configured"] and not record["applied"]),
]


@pytest.mark.parametrize(("name", "corner"), CORNERS)
def test_valid_documents_reach_the_corners(name: str, corner: Callable[[Any], bool]) -> None:
    find(valid(name), corner, settings=settings(few, max_examples=5000, report_multiple_bugs=False))


def test_unknown_definitions_are_refused_with_a_suggestion() -> None:
    for strategy in (valid, near_miss, near_misses):
        with pytest.raises(LookupError, match="did you mean 'Usage'"):
            strategy("Usag")


def test_nothing_is_a_near_miss_of_a_schema_that_accepts_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[near_misses.__module__], "definition", lambda _: {})
    with pytest.raises(ValueError, match="accepts every JSON value"):
        near_misses("anything")


def test_without_hypothesis_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import kiln_contract; kiln_contract.strategies.valid"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'kiln-inference[strategies]'" in run.stderr
