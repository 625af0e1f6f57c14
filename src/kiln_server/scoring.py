"""Prompt log-probabilities: checks in the contract's order, and the answer's entries."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from kiln_contract import PromptLogprobEntry, TextCompletionRequest, Violation, runtime
from kiln_contract.canonical import Ordered, dumps
from kiln_contract.semantics import MAX_SCORED_CANDIDATES
from kiln_server.backend import Backend, Candidate, Scores, Tokenizer
from kiln_server.errors import ApiError, param_of, too_long
from kiln_server.text.detokenizer import tail_text

INVALID = "completion_invalid_request"
MAX_TOP_K = 256
LOWEST_FLOAT32 = -3.4028234663852886e38
MAX_TOKENS = runtime.MAX_SCORED_TOKENS


def prompt_ids(
    request: TextCompletionRequest, backend: Backend, *, model_id: str, default_adapter: str | None
) -> tuple[int, ...]:
    """The ids to score. Raises ApiError with the first thing that stands in the way."""
    if isinstance(request.model, str) and request.model != model_id:
        raise ApiError(INVALID, f"this server scores with {model_id!r} only; leave model out or null", param="model")
    capabilities = backend.capabilities
    if not capabilities.scoring:
        raise ApiError(INVALID, "this server's backend generates only: it does not score prompts")
    _require(runtime.scoring_vocabulary((), request.prompt_logprobs, capabilities.vocab_size))
    ids = _encoded(request, backend.text.tokenizer)
    if len(ids) > capabilities.context_length:
        asked = request.max_tokens if isinstance(request.max_tokens, int) else 0
        raise too_long(capabilities.context_length, len(ids), asked, param="prompt")
    _require(runtime.scoring_prompt_length(len(ids), capabilities.context_length))
    _require(runtime.scoring_vocabulary(ids, 0, capabilities.vocab_size))
    _require(runtime.scoring_candidates(len(ids), request.prompt_logprobs))
    _require(runtime.scoring_no_adapter(default_adapter))
    return ids


def _encoded(request: TextCompletionRequest, tokenizer: Tokenizer) -> tuple[int, ...]:
    if not isinstance(request.prompt, str):
        return tuple(request.prompt)
    special = request.add_special_tokens is not False
    try:
        return tuple(tokenizer.encode_prompt(request.prompt) if special else tokenizer.encode(request.prompt))
    except ValueError as error:
        raise ApiError(INVALID, str(error), param="prompt") from error


def _require(found: Sequence[Violation]) -> None:
    if found:
        raise ApiError(INVALID, found[0].message, param=param_of(found[0]), violations=found)


def logprob_entries(
    ids: Sequence[int], scores: Scores, tokenizer: Tokenizer
) -> list[dict[str, PromptLogprobEntry] | None]:
    """One entry a token: null for the first, then the candidates of its place by token id."""
    entries: list[dict[str, PromptLogprobEntry] | None] = [None]
    for position, candidates in enumerate(scores.positions, start=1):
        before = ids[:position]
        entries.append({str(c.token_id): _entry(c, before, tokenizer) for c in candidates})
    return entries


def _entry(candidate: Candidate, before: Sequence[int], tokenizer: Tokenizer) -> PromptLogprobEntry:
    return PromptLogprobEntry(
        # JSON has no -inf: a token of no probability is given the lowest number that a float32 holds.
        logprob=max(candidate.logprob, LOWEST_FLOAT32),
        rank=candidate.rank,
        decoded_token=tail_text(tokenizer, before, candidate.token_id),
    )


def fingerprint(backend: Backend, model_id: str) -> str | None:
    """The teacher's content-addressed identity, or None when the base model has no hash."""
    identity = backend.identity
    if identity.base_model_sha256 is None:
        return None
    capabilities = backend.capabilities
    fields: dict[str, Any] = {
        "schema": "kiln.teacher-identity.v1",
        "protocol": "vllm.prompt-logprobs.numeric-token-ids.causal.v1",
        "served_model_id": model_id,
        "base_model_sha256": _bare(identity.base_model_sha256),
        "tokenizer_vocab_sha256": _bare(identity.tokenizer_vocab_sha256),
        "tokenizer_config_sha256": _bare(identity.tokenizer_config_sha256),
        "adapter": None,
        "vocab_size": capabilities.vocab_size,
        "max_top_k": min(MAX_TOP_K, capabilities.vocab_size),
        "max_model_len": min(MAX_TOKENS, capabilities.context_length),
        "max_prompt_logprob_candidates": MAX_SCORED_CANDIDATES,
        "logprobs_mode": "raw_logprobs",
        "implementation": identity.implementation,
        "inference_config_sha256": _bare(identity.inference_config_sha256),
    }
    body = dumps(Ordered(fields))
    encoded = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
    return f"kiln-teacher-v1.{encoded}.{hashlib.sha256(body).hexdigest()}"


def _bare(value: str | None) -> str | None:
    """A digest without its `sha256:`."""
    return None if value is None else value.removeprefix("sha256:")
