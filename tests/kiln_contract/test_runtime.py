"""The hooks for what only a server knows, at their borders."""

from __future__ import annotations

import pytest

import kiln_contract as kc
from kiln_contract import runtime
from kiln_contract.errors import Violation

Found = list[tuple[str, str]]


def places(found: list[Violation]) -> Found:
    assert all(violation.rule in kc.RULES and violation.message and violation.expected for violation in found)
    return [(violation.pointer, violation.rule) for violation in found]


def test_every_hook_that_a_rule_names_exists() -> None:
    hooks = {rule.hook for rule in kc.RULES.values() if rule.hook}
    assert hooks == {
        "close_fits",
        "rollout_backend",
        "rollout_capacity",
        "rollout_sampling",
        "scoring_candidates",
        "scoring_no_adapter",
        "scoring_prompt_length",
        "scoring_vocabulary",
    }
    assert all(callable(getattr(runtime, hook)) for hook in hooks)


@pytest.mark.parametrize(
    ("limit", "close", "rollout", "fits"),
    [(1, 1, False, True), (0, 1, False, False), (1, 1, True, False), (2, 1, True, True), (3, 4, False, False)],
)
def test_close_fits(limit: int, close: int, rollout: bool, fits: bool) -> None:
    expected: Found = [] if fits else [("/max_tokens", "budget.close-fits")]
    assert places(runtime.close_fits(limit, close, rollout=rollout)) == expected


def test_rollout_backend_names_each_thing_that_is_missing() -> None:
    assert runtime.rollout_backend(real_batching=True, base_identity="sha256:a") == []
    broken = ("/rollout_provenance", "rollout.backend")
    assert places(runtime.rollout_backend(real_batching=False, base_identity="sha256:a")) == [broken]
    assert places(runtime.rollout_backend(real_batching=True, base_identity=None)) == [broken]
    assert places(runtime.rollout_backend(real_batching=False, base_identity=None)) == [broken, broken]


def test_rollout_capacity() -> None:
    assert runtime.rollout_capacity(1) == []
    assert places(runtime.rollout_capacity(0)) == [("/max_tokens", "rollout.capacity")]


def test_rollout_sampling_uses_the_bounds_of_the_record() -> None:
    fine = {"temperature": 0.0, "top_p": 1.0, "min_p": 0.0, "presence_penalty": -2.0, "repetition_penalty": 0.1}
    assert runtime.rollout_sampling(fine) == []
    wrong = {"temperature": -0.1, "top_p": 1.1, "presence_penalty": 2.1, "repetition_penalty": 0.0}
    assert places(runtime.rollout_sampling(wrong)) == [
        ("/temperature", "rollout.sampling"),
        ("/top_p", "rollout.sampling"),
        ("/repetition_penalty", "rollout.sampling"),
        ("/presence_penalty", "rollout.sampling"),
    ]


@pytest.mark.parametrize(
    ("tokens", "context", "fits"),
    [(0, 10, False), (1, 10, True), (10, 10, True), (11, 10, False), (4096, 9999, True), (4097, 9999, False)],
)
def test_scoring_prompt_length(tokens: int, context: int, fits: bool) -> None:
    expected: Found = [] if fits else [("/prompt", "scoring.prompt-length")]
    assert places(runtime.scoring_prompt_length(tokens, context)) == expected


def test_scoring_vocabulary_names_the_first_id_outside() -> None:
    assert runtime.scoring_vocabulary([0, 7], 8, 8) == []
    assert places(runtime.scoring_vocabulary([0, 8, 9], 9, 8)) == [
        ("/prompt_logprobs", "scoring.vocabulary"),
        ("/prompt/1", "scoring.vocabulary"),
    ]


def test_scoring_candidates() -> None:
    assert runtime.scoring_candidates(257, 255) == []
    assert places(runtime.scoring_candidates(258, 255)) == [("", "scoring.candidates")]


def test_scoring_no_adapter() -> None:
    assert runtime.scoring_no_adapter(None) == []
    assert places(runtime.scoring_no_adapter("tone")) == [("", "scoring.no-adapter")]
