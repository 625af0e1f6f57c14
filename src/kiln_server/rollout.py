"""Rollout provenance of a finished answer: what was sampled, from which policy, and under which prompt."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from kiln_contract import (
    ChatCompletionRequest,
    RolloutActionTokenV1,
    RolloutAdapterIdentityV1,
    RolloutBehaviorPolicyIdentityV1,
    RolloutChatTemplateInvocationV1,
    RolloutProvenanceV1,
    RolloutSamplingConfigV1,
    RolloutThinkingBudgetV1,
    RolloutTokenizerIdentityV1,
    provenance,
)
from kiln_server.backend import Backend, Identity
from kiln_server.errors import ApiError
from kiln_server.generation import Run
from kiln_server.plan import Plan
from kiln_server.presets import VALUES


class Recorder:
    """Makes the records of one request's answers.

    Made before any work, of what is loaded then. Raises ApiError when the backend lacks an identity that a record must
    name.
    """

    def __init__(self, request: ChatCompletionRequest, plan: Plan, backend: Backend, model_id: str) -> None:
        self._request = request
        self._plan = plan
        self._policy = _policy(plan, backend, model_id)
        self._tokenizer = _tokenizer(backend.identity)
        self._generation_backend = backend.identity.generation_backend

    def record(self, run: Run) -> RolloutProvenanceV1:
        """The record of a finished answer."""
        prompt_ids = list(run.task.prompt.ids)
        return RolloutProvenanceV1(
            schema="kiln.rollout-provenance.v1",
            input_token_ids=prompt_ids + [event.token_id for event in run.events],
            prompt_token_count=len(prompt_ids),
            prompt_messages_sha256=provenance.messages_sha256(self._request.messages),
            scored_payload_sha256=provenance.scored_payload_sha256(run.text.content),
            action_tokens=[
                RolloutActionTokenV1(
                    sequence_index=len(prompt_ids) + index,
                    token_id=event.token_id,
                    source="forced" if event.forced else "sampled",
                    behavior_logprob=None if event.forced else event.logprob,
                )
                for index, event in enumerate(run.events)
            ],
            behavior_policy=self._policy,
            tokenizer=self._tokenizer,
            template_invocation=_invocation(self._request),
            sampling=_sampling(self._plan, run),
            seed=self._plan.seed,
            generation_backend=self._generation_backend,
        )


def _policy(plan: Plan, backend: Backend, model_id: str) -> RolloutBehaviorPolicyIdentityV1:
    identity = backend.identity
    saved = {adapter.name: adapter.content_sha256 for adapter in backend.adapters()}
    adapter = None
    if plan.adapters:
        if len(plan.adapters) > 1:
            raise ApiError("rollout_provenance_unavailable", "a composition of adapters has no content hash of its own")
        name = plan.adapters[0].name
        adapter = RolloutAdapterIdentityV1(name=name, content_sha256=saved[name])
    return RolloutBehaviorPolicyIdentityV1(
        served_model_id=model_id,
        base_model_sha256=_known(identity.base_model_sha256, "base model"),
        adapter=adapter or UNSET,
        inference_config_sha256=_known(identity.inference_config_sha256, "inference configuration"),
        implementation=identity.implementation,
    )


def _tokenizer(identity: Identity) -> RolloutTokenizerIdentityV1:
    return RolloutTokenizerIdentityV1(
        vocab_sha256=_known(identity.tokenizer_vocab_sha256, "vocabulary"),
        config_sha256=_known(identity.tokenizer_config_sha256, "tokenizer configuration"),
        chat_template_sha256=_known(identity.chat_template_sha256, "chat template"),
    )


def _known(value: str | None, what: str) -> str:
    if value is None:
        raise ApiError("rollout_provenance_unavailable", f"the backend has no content hash of its {what}")
    return value


def _invocation(request: ChatCompletionRequest) -> Any:
    kwargs = request.chat_template_kwargs
    return RolloutChatTemplateInvocationV1(template_kwargs=kwargs) if kwargs else UNSET


def _sampling(plan: Plan, run: Run) -> RolloutSamplingConfigV1:
    values = {name: getattr(plan.sampling, name) for name in VALUES}
    budget = run.task.budget
    return RolloutSamplingConfigV1(
        **values,
        max_tokens=run.task.limit,
        stop=list(plan.stops),
        thinking_budget=RolloutThinkingBudgetV1(
            max_tokens=budget.effective.max_tokens,
            max_time_ms=budget.effective.max_time_ms,
            close_token_ids=list(budget.close_ids),
        )
        if budget.applied
        else UNSET,
    )
