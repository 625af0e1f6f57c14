"""Semantic rules: which annotation of the schema each one answers to, and which code enforces it.

The ids are stable: clients match on them. `checks` names functions of `kiln_contract.semantics`, `hook` one of
`kiln_contract.runtime`. A rule without an annotation says in `note` where the contract has it from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One function over one definition. It runs when every member in `reads` is free of other violations."""

    on: str
    function: str
    reads: tuple[str, ...]
    gate: str | None = None
    """A cheap expression over the Struct `o`; when it is false the rule holds."""
    fast: str | None = None
    """A yes-or-no function that stands for several rules at once on the fast path."""
    covers: tuple[str, ...] = ()
    """Members whose own checks the fast function includes, so that a long list is read once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One semantic rule. `schema` says that schema keywords already enforce its payload part."""

    id: str
    summary: str
    annotations: tuple[tuple[str, str], ...] = ()
    note: str = ""
    checks: tuple[Check, ...] = ()
    text_limit: bool = False
    finite: bool = False
    names: tuple[tuple[str, str], ...] = ()
    """Members (definition, name) that hold an adapter's name."""
    schema: tuple[str, ...] = ()
    hook: str | None = None

    @property
    def kind(self) -> str:
        """Who decides the rule: the document alone (payload), only a server (runtime), or each its part."""
        payload = bool(self.checks or self.text_limit or self.finite or self.names or self.schema)
        return " and ".join([*(["payload"] if payload else []), *(["runtime"] if self.hook else [])])


_ACTIONS: Final = ("input_token_ids", "prompt_token_count", "action_tokens")
_ROLLOUT: Final = "o.rollout_provenance is True"
_SAMPLING: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "stop",
)
_CLOSE_FITS: Final = (
    "the effective max_tokens must fit the active tokenizer's reasoning close sequence when a thinking budget applies"
)


def _actions(function: str, *reads: str) -> tuple[Check, ...]:
    return (
        Check(
            on="RolloutProvenanceV1",
            function=function,
            reads=reads or _ACTIONS,
            fast="provenance_actions_hold",
            covers=("action_tokens",),
        ),
    )


RULES: Final = (
    Rule(
        id="batch.outputs",
        summary="A batch has at most 64 outputs: prompts times n.",
        annotations=(("BatchCompletionRequest", "prompts.length * (n or 1) <= 64"),),
        checks=(Check(on="BatchCompletionRequest", function="batch_outputs", reads=("prompts", "n")),),
    ),
    Rule(
        id="budget.close-fits",
        summary="When a thinking budget applies, the token limit leaves room for the close sequence.",
        annotations=(("BatchCompletionRequest", _CLOSE_FITS), ("ChatCompletionRequest", _CLOSE_FITS)),
        hook="close_fits",
    ),
    Rule(
        id="rollout.backend",
        summary="Rollout provenance needs a backend that really batches and a content-addressed base model.",
        annotations=(
            (
                "ChatCompletionRequest",
                "rollout_provenance=true requires the real batching engine and content-addressed base-policy identity",
            ),
        ),
        hook="rollout_backend",
    ),
    Rule(
        id="rollout.no-tools",
        summary="A request for rollout provenance has no tools and no tool choice.",
        annotations=(
            ("ChatCompletionRequest", "rollout_provenance=true rejects non-empty tools and non-null tool_choice"),
        ),
        checks=(
            Check(
                on="ChatCompletionRequest",
                function="rollout_no_tools",
                reads=("rollout_provenance", "tools", "tool_choice"),
                gate=_ROLLOUT,
            ),
        ),
    ),
    Rule(
        id="rollout.capacity",
        summary="A request for rollout provenance generates at least one token.",
        note="The description of rollout_provenance asks for positive effective generation capacity.",
        checks=(
            Check(
                on="ChatCompletionRequest",
                function="rollout_capacity",
                reads=("rollout_provenance", "max_tokens", "max_completion_tokens"),
                gate=_ROLLOUT,
            ),
        ),
        hook="rollout_capacity",
    ),
    Rule(
        id="rollout.sampling",
        summary="With rollout provenance, the sampling values fit the record that reports them.",
        note="RolloutSamplingConfigV1 bounds what a record can hold; a request outside it could not be answered.",
        checks=(
            Check(
                on="ChatCompletionRequest",
                function="rollout_sampling",
                reads=("rollout_provenance", *_SAMPLING),
                gate=_ROLLOUT,
            ),
        ),
        hook="rollout_sampling",
    ),
    Rule(
        id="template-invocation.size",
        summary="Tool and template inputs of a record take at most 1 MiB of canonical JSON.",
        annotations=(("RolloutChatTemplateInvocationV1", "serialized object size <= 1048576 bytes"),),
        checks=(
            Check(
                on="RolloutChatTemplateInvocationV1",
                function="template_invocation_size",
                reads=("tools", "tool_choice", "template_kwargs"),
            ),
        ),
    ),
    Rule(
        id="identity-text",
        summary="Identity text is trimmed, free of control characters and bounded in UTF-8 bytes.",
        note="x-kiln-max-utf8-bytes, and the description of RolloutIdentityText.",
        text_limit=True,
    ),
    Rule(
        id="provenance.prompt-count",
        summary="The prompt is a prefix of input_token_ids.",
        annotations=(("RolloutProvenanceV1", "prompt_token_count <= input_token_ids.length"),),
        checks=_actions("prompt_count", "input_token_ids", "prompt_token_count"),
    ),
    Rule(
        id="provenance.action-order",
        summary="Actions index generated tokens in strictly increasing order.",
        annotations=(
            (
                "RolloutProvenanceV1",
                "action token sequence_index values are strictly increasing and index generated tokens",
            ),
        ),
        checks=_actions("action_order"),
    ),
    Rule(
        id="provenance.action-token",
        summary="An action's token is the one that stands at its place in input_token_ids.",
        annotations=(("RolloutProvenanceV1", "each action token_id equals input_token_ids[sequence_index]"),),
        checks=_actions("action_token", "input_token_ids", "action_tokens"),
    ),
    Rule(
        id="provenance.sampled",
        summary="A record holds at least one sampled action.",
        annotations=(("RolloutProvenanceV1", "at least one action token is sampled"),),
        checks=_actions("some_sampled", "action_tokens"),
    ),
    Rule(
        id="provenance.forced",
        summary="Forced actions are close tokens of the thinking budget.",
        annotations=(
            (
                "RolloutProvenanceV1",
                "forced action token IDs belong to sampling.thinking_budget.close_token_ids",
            ),
        ),
        checks=_actions("forced_tokens", "action_tokens", "sampling"),
    ),
    Rule(
        id="sampling.stop-bytes",
        summary="A record's stop sequences take at most 16 KiB of UTF-8 together.",
        annotations=(("RolloutSamplingConfigV1", "sum of UTF-8 stop-sequence bytes <= 16384"),),
        checks=(Check(on="RolloutSamplingConfigV1", function="stop_bytes", reads=("stop",), gate="o.stop"),),
    ),
    Rule(
        id="scoring.prompt-length",
        summary="A scored prompt has at least one token, and at most 4096 or the served context.",
        annotations=(
            (
                "TextCompletionRequest",
                "the tokenized prompt is non-empty and has at most min(4096, served context length) tokens",
            ),
        ),
        schema=(
            "#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/minItems",
            "#/$defs/TextCompletionRequest/properties/prompt/oneOf/1/maxItems",
        ),
        hook="scoring_prompt_length",
    ),
    Rule(
        id="scoring.vocabulary",
        summary="Scored token ids and the number of candidates stay inside the vocabulary.",
        annotations=(
            ("TextCompletionRequest", "raw token IDs and prompt_logprobs do not exceed the served vocabulary"),
        ),
        hook="scoring_vocabulary",
    ),
    Rule(
        id="scoring.candidates",
        summary="One scoring answer lists at most 65536 candidates.",
        annotations=(("TextCompletionRequest", "scored positions * (prompt_logprobs + 1) <= 65536"),),
        checks=(Check(on="TextCompletionRequest", function="scoring_candidates", reads=("prompt", "prompt_logprobs")),),
        hook="scoring_candidates",
    ),
    Rule(
        id="scoring.no-adapter",
        summary="Prompts are scored with the base model only.",
        annotations=(
            (
                "TextCompletionRequest",
                "real scoring rejects an active LoRA until adapter revision identity can be pinned",
            ),
        ),
        hook="scoring_no_adapter",
    ),
    Rule(
        id="usage.total",
        summary="total_tokens is prompt_tokens plus completion_tokens.",
        annotations=(("Usage", "total_tokens = prompt_tokens + completion_tokens"),),
        checks=(
            Check(on="Usage", function="usage_total", reads=("prompt_tokens", "completion_tokens", "total_tokens")),
        ),
    ),
    Rule(
        id="usage.sum",
        summary="A batch's usage is the sum over its completions.",
        note="The batch response counts each prompt once per completion.",
        checks=(Check(on="BatchCompletionResponse", function="usage_sum", reads=("completions", "usage")),),
    ),
    Rule(
        id="index.order",
        summary="Choices and completions are numbered in order, each once.",
        note="Descriptions of choices and completions fix their order.",
        checks=(
            Check(on="ChatCompletionResponse", function="choice_order", reads=("choices",)),
            Check(on="TextCompletionResponse", function="choice_order", reads=("choices",)),
            Check(on="BatchCompletionResponse", function="batch_order", reads=("completions",)),
        ),
    ),
    Rule(
        id="adapter.name",
        summary="An adapter is named by a plain name, never by a path.",
        note="The description of AdapterRef.name; the same holds for the single adapter field.",
        names=(("AdapterRef", "name"), ("ChatCompletionRequest", "adapter"), ("BatchCompletionRequest", "adapter")),
    ),
    Rule(
        id="budget.outcome-applied",
        summary="Only a budget that applied has an outcome.",
        note="The terminal outcome describes a budget in force; the schema alone accepts one beside applied: false.",
        checks=(
            Check(
                on="thinking_budget.record",
                function="budget_outcome_applied",
                reads=("applied", "triggered", "closed"),
                gate="not o.applied",
            ),
        ),
    ),
    Rule(
        id="timing.queue-delay",
        summary="queue_delay_ms is response_delivery_ms plus handler_queue_ms, within 0.002.",
        note="The description of queue_delay_ms.",
        checks=(
            Check(
                on="StreamingTokenTiming",
                function="queue_delay",
                reads=("response_delivery_ms", "handler_queue_ms", "queue_delay_ms"),
            ),
        ),
    ),
    Rule(
        id="logprobs.entries",
        summary="The first prompt token has no entry; every later one has candidates in rank order.",
        note="The description of prompt_logprobs, and of rank in PromptLogprobEntry.",
        checks=(Check(on="TextCompletionChoice", function="logprob_entries", reads=("prompt_logprobs",)),),
    ),
    Rule(
        id="number.finite",
        summary="Every number is finite as a double.",
        note="x-kiln-runtime-validation, and JSON itself.",
        finite=True,
    ),
)
