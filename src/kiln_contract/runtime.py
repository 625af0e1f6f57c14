"""The runtime part of the contract's semantic rules: what only a server can decide.

A server calls these hooks with the facts it knows; each returns the violations of one rule, shaped like those of the
payload part. Rule ids and hooks are listed in `kiln_contract.RULES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kiln_contract._generated.bounds import BOUNDS
from kiln_contract.errors import Violation, json_type
from kiln_contract.semantics import MAX_SCORED_CANDIDATES

MAX_SCORED_TOKENS: Final = 4096


def close_fits(max_tokens: int, close_length: int, *, rollout: bool = False) -> list[Violation]:
    """budget.close-fits: the effective limit (tokens, clamped to the context) leaves room for the close sequence.

    A rollout needs one token more, since it must sample at least one.
    """
    least = close_length + 1 if rollout else close_length
    if max_tokens >= least:
        return []
    message = f"raise max_tokens to at least {least}: closing the thinking block takes {close_length} tokens"
    return [_violation("/max_tokens", "budget.close-fits", message, f"at least {least}", max_tokens)]


def rollout_backend(*, real_batching: bool, base_identity: str | None) -> list[Violation]:
    """rollout.backend: the backend batches for real, and its base model has a content hash."""
    reasons = []
    if not real_batching:
        reasons.append("this backend has no batching engine; send rollout_provenance=false or use one that has")
    if base_identity is None:
        reasons.append("the base model has no content hash; send rollout_provenance=false or serve a hashed checkpoint")
    expected = "a batching engine and a content-addressed base model"
    return [_violation("/rollout_provenance", "rollout.backend", reason, expected, True) for reason in reasons]


def rollout_capacity(max_tokens: int) -> list[Violation]:
    """rollout.capacity: the effective limit, in tokens, is positive."""
    if max_tokens > 0:
        return []
    message = "ask for at least one token when rollout_provenance is true"
    return [_violation("/max_tokens", "rollout.capacity", message, "at least 1", max_tokens)]


def rollout_sampling(resolved: Mapping[str, float]) -> list[Violation]:
    """rollout.sampling: the resolved sampling values, presets included, fit RolloutSamplingConfigV1."""
    found = []
    for name, bound in BOUNDS["RolloutSamplingConfigV1"].items():
        value = resolved.get(name)
        if value is not None and not bound.holds(value):
            message = f"{name} resolves outside what a provenance record can hold; send a value that is {bound.text}"
            found.append(_violation(f"/{name}", "rollout.sampling", message, bound.text, value))
    return found


def scoring_prompt_length(num_tokens: int, context_length: int) -> list[Violation]:
    """scoring.prompt-length: a scored prompt has 1 to min(4096, context) tokens."""
    limit = min(MAX_SCORED_TOKENS, context_length)
    if 1 <= num_tokens <= limit:
        return []
    message = f"send a prompt of 1 to {limit} tokens: this one has {num_tokens}"
    return [_violation("/prompt", "scoring.prompt-length", message, f"1 to {limit} tokens", "")]


def scoring_vocabulary(token_ids: Sequence[int], top_k: int, vocab_size: int) -> list[Violation]:
    """scoring.vocabulary: K and every token id lie inside the vocabulary; the first id outside is named."""
    found = []
    if top_k > vocab_size:
        message = f"lower prompt_logprobs to at most {vocab_size}, the size of the vocabulary"
        found.append(_violation("/prompt_logprobs", "scoring.vocabulary", message, f"at most {vocab_size}", top_k))
    outside = next((position for position, token in enumerate(token_ids) if token >= vocab_size), None)
    if outside is not None:
        message = f"use token ids below {vocab_size}, the size of the vocabulary"
        pointer = f"/prompt/{outside}"
        found.append(_violation(pointer, "scoring.vocabulary", message, f"below {vocab_size}", token_ids[outside]))
    return found


def scoring_candidates(num_tokens: int, top_k: int) -> list[Violation]:
    """scoring.candidates: scored positions times K + 1 candidates stay within one answer."""
    count = (num_tokens - 1) * (top_k + 1)
    if count <= MAX_SCORED_CANDIDATES:
        return []
    message = f"score fewer tokens or lower prompt_logprobs: {count} candidates, {MAX_SCORED_CANDIDATES} are allowed"
    expected = f"positions * (prompt_logprobs + 1) <= {MAX_SCORED_CANDIDATES}"
    return [_violation("", "scoring.candidates", message, expected, {})]


def scoring_no_adapter(adapter: str | None) -> list[Violation]:
    """scoring.no-adapter: no adapter is active while prompts are scored."""
    if adapter is None:
        return []
    message = "prompts are scored with the base model only; ask the operator to unset the default adapter"
    return [_violation("", "scoring.no-adapter", message, "no active adapter", {})]


def _violation(pointer: str, rule: str, message: str, expected: str, value: Any) -> Violation:
    return Violation(
        pointer=pointer,
        rule=rule,
        keyword="x-kiln-semantic-constraints",
        schema_ref="",
        message=message,
        expected=expected,
        got=json_type(value),
    )
