"""What the Structs' types cannot express, as yes-or-no checks.

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET, ValidationError

from kiln_contract import semantics
from kiln_contract._generated import structs

Reader = Callable[[Any], Any]


def AdapterRef(o: structs.AdapterRef) -> bool:
    x: Any
    x = o.name
    if semantics.adapter_name(x):
        return False
    return True


def Usage(o: structs.Usage) -> bool:
    if semantics.usage_total(o):
        return False
    return True


def ThinkingBudgetOutcome(o: structs.ThinkingBudgetOutcome) -> bool:
    if o.triggered is True:
        if o.trigger is UNSET:
            return False
    else:
        if o.trigger is not UNSET:
            return False
    return True


def BatchCompletionItem(o: structs.BatchCompletionItem) -> bool:
    x: Any
    x = o.thinking_budget
    if x:
        if not ThinkingBudgetOutcome(x):
            return False
    x = o.usage
    if not Usage(x):
        return False
    return True


def BatchCompletionRequest(o: structs.BatchCompletionRequest) -> bool:
    x: Any
    x = o.seed
    if x:
        if x > 18446744073709551615:
            return False
    x = o.adapter
    if x:
        if semantics.adapter_name(x):
            return False
    x = o.adapters
    if x:
        for x_ in x:
            if not AdapterRef(x_):
                return False
    if o.adapter.__class__ is str and o.adapters.__class__ is list:
        return False
    if semantics.batch_outputs(o):
        return False
    return True


def BatchCompletionResponse(o: structs.BatchCompletionResponse) -> bool:
    x: Any
    x = o.completions
    for x_ in x:
        if not BatchCompletionItem(x_):
            return False
    x = o.usage
    if not Usage(x):
        return False
    if semantics.usage_sum(o):
        return False
    if semantics.batch_order(o):
        return False
    return True


def ThinkingBudgetEffective(o: structs.ThinkingBudgetEffective) -> bool:
    if (o.max_tokens is not UNSET) or (o.max_time_ms is not UNSET):
        if not (o.configured is True):
            return False
    else:
        if not (o.configured is False):
            return False
    if o.max_tokens is not UNSET:
        if not (o.tokens_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.tokens_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    if o.max_time_ms is not UNSET:
        if not (o.time_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.time_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    return True


def ThinkingBudgetRecord(o: structs.ThinkingBudgetRecord) -> bool:
    if (o.max_tokens is not UNSET) or (o.max_time_ms is not UNSET):
        if not (o.configured is True):
            return False
    else:
        if not (o.configured is False):
            return False
    if o.max_tokens is not UNSET:
        if not (o.tokens_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.tokens_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    if o.max_time_ms is not UNSET:
        if not (o.time_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.time_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    if o.applied is True:
        if not (o.configured is True):
            return False
    if o.closed is not UNSET:
        if o.thinking_tokens is UNSET:
            return False
        if o.thinking_time_ms is UNSET:
            return False
    if (o.closed is not UNSET) and (o.triggered is True):
        if o.trigger is UNSET:
            return False
    if (o.closed is not UNSET) and (not (o.triggered is True)):
        if o.trigger is not UNSET:
            return False
    if not (o.closed is not UNSET):
        if not (o.triggered is False):
            return False
        if o.trigger is not UNSET:
            return False
        if o.thinking_tokens is not UNSET:
            return False
        if o.thinking_time_ms is not UNSET:
            return False
    if not o.applied:
        if semantics.budget_outcome_applied(o):
            return False
    return True


def StreamingTerminalMetadata(o: structs.StreamingTerminalMetadata) -> bool:
    x: Any
    x = o.thinking_budget
    if not ThinkingBudgetRecord(x):
        return False
    return True


def ChatCompletionChunk(o: structs.ChatCompletionChunk) -> bool:
    x: Any
    x = o.metadata
    if x:
        if not StreamingTerminalMetadata(x):
            return False
    x = o.usage
    if x:
        if not Usage(x):
            return False
    return True


def ChatCompletionMetadata(o: structs.ChatCompletionMetadata) -> bool:
    x: Any
    x = o.thinking_budget
    if not ThinkingBudgetRecord(x):
        return False
    return True


def ChatCompletionRequest(o: structs.ChatCompletionRequest) -> bool:
    x: Any
    x = o.seed
    if x:
        if x > 18446744073709551615:
            return False
    x = o.adapter
    if x:
        if semantics.adapter_name(x):
            return False
    x = o.adapters
    if x:
        for x_ in x:
            if not AdapterRef(x_):
                return False
    if o.adapter is not UNSET and o.adapters.__class__ is list:
        return False
    if o.stream is True:
        if o.n.__class__ is int and o.n >= 2:
            return False
    if o.rollout_provenance is True:
        if o.ignore_eos is not UNSET and not (o.ignore_eos is False):
            return False
        if o.stream is not UNSET and not (o.stream is False):
            return False
        if o.n is not UNSET and not (o.n is None or (o.n == 1 and o.n.__class__ is not bool)):
            return False
        if o.max_tokens is not UNSET and not (
            o.max_tokens is None or o.max_tokens.__class__ is int and o.max_tokens >= 1
        ):
            return False
        if semantics.rollout_no_tools(o):
            return False
        if semantics.rollout_capacity(o):
            return False
        if semantics.rollout_sampling(o):
            return False
    return True


def RolloutActionTokenV1(o: structs.RolloutActionTokenV1) -> bool:
    if o.source == "sampled" and not (o.behavior_logprob.__class__ is float and o.behavior_logprob <= 1e-06):
        return False
    if o.source == "forced" and not (o.behavior_logprob is None):
        return False
    return True


def RolloutAdapterIdentityV1(o: structs.RolloutAdapterIdentityV1) -> bool:
    x: Any
    x = o.name
    if semantics.identity_text(x, 256):
        return False
    return True


def RolloutBehaviorPolicyIdentityV1(o: structs.RolloutBehaviorPolicyIdentityV1) -> bool:
    x: Any
    x = o.served_model_id
    if semantics.identity_text(x, 256):
        return False
    x = o.adapter
    if x:
        if not RolloutAdapterIdentityV1(x):
            return False
    x = o.implementation
    if semantics.identity_text(x, 256):
        return False
    return True


def RolloutChatTemplateInvocationV1(o: structs.RolloutChatTemplateInvocationV1) -> bool:
    if semantics.template_invocation_size(o):
        return False
    return True


def RolloutThinkingBudgetV1(o: structs.RolloutThinkingBudgetV1) -> bool:
    if not ((o.max_tokens is not UNSET) or (o.max_time_ms is not UNSET)):
        return False
    return True


def RolloutSamplingConfigV1(o: structs.RolloutSamplingConfigV1) -> bool:
    x: Any
    x = o.thinking_budget
    if x:
        if not RolloutThinkingBudgetV1(x):
            return False
    if o.stop:
        if semantics.stop_bytes(o):
            return False
    return True


def RolloutProvenanceV1(o: structs.RolloutProvenanceV1) -> bool:
    x: Any
    x = o.behavior_policy
    if not RolloutBehaviorPolicyIdentityV1(x):
        return False
    x = o.template_invocation
    if x:
        if not RolloutChatTemplateInvocationV1(x):
            return False
    x = o.sampling
    if not RolloutSamplingConfigV1(x):
        return False
    x = o.seed
    if x > 18446744073709551615:
        return False
    x = o.generation_backend
    if semantics.identity_text(x, 64):
        return False
    if not semantics.provenance_actions_hold(o):
        return False
    return True


def Choice(o: structs.Choice) -> bool:
    x: Any
    x = o.thinking_budget
    if x:
        if not ThinkingBudgetOutcome(x):
            return False
    x = o.rollout_provenance
    if x:
        if not RolloutProvenanceV1(x):
            return False
    return True


def ChatCompletionResponse(o: structs.ChatCompletionResponse) -> bool:
    x: Any
    x = o.choices
    for x_ in x:
        if not Choice(x_):
            return False
    x = o.usage
    if not Usage(x):
        return False
    x = o.metadata
    if not ChatCompletionMetadata(x):
        return False
    if semantics.choice_order(o):
        return False
    return True


def StreamingTokenTiming(o: structs.StreamingTokenTiming) -> bool:
    if semantics.queue_delay(o):
        return False
    return True


def TextCompletionChoice(o: structs.TextCompletionChoice) -> bool:
    if semantics.logprob_entries(o):
        return False
    return True


def TextCompletionRequest(o: structs.TextCompletionRequest) -> bool:
    if semantics.scoring_candidates(o):
        return False
    return True


def TextCompletionResponse(o: structs.TextCompletionResponse) -> bool:
    x: Any
    x = o.choices
    for x_ in x:
        if not TextCompletionChoice(x_):
            return False
    x = o.usage
    if not Usage(x):
        return False
    if semantics.choice_order(o):
        return False
    return True


def ThinkingBudgetRecentRecord(o: structs.ThinkingBudgetRecentRecord) -> bool:
    if (o.max_tokens is not UNSET) or (o.max_time_ms is not UNSET):
        if not (o.configured is True):
            return False
    else:
        if not (o.configured is False):
            return False
    if o.max_tokens is not UNSET:
        if not (o.tokens_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.tokens_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    if o.max_time_ms is not UNSET:
        if not (o.time_source in ("server_default", "request", "suite", "run_override", "example", "unknown")):
            return False
    else:
        if not (
            o.time_source
            in (
                "unlimited",
                "request_unlimited",
                "suite_unlimited",
                "run_override_unlimited",
                "example_unlimited",
                "unknown",
            )
        ):
            return False
    return True


def read_ChatCompletionRequest(decode: Reader, require_utf8: Callable[[Any], None]) -> Reader:
    def read(body: Any) -> Any:
        o = decode(body)
        if (
            o.seed is not UNSET
            or o.adapter is not UNSET
            or o.adapters is not UNSET
            or o.stream is True
            or o.rollout_provenance is True
        ) and not ChatCompletionRequest(o):
            raise ValidationError
        if not body.isascii():
            require_utf8(body)
        return o

    return read


CHECKS: Final[dict[Any, Callable[[Any], bool]]] = {
    structs.AdapterRef: AdapterRef,
    structs.Usage: Usage,
    structs.ThinkingBudgetOutcome: ThinkingBudgetOutcome,
    structs.BatchCompletionItem: BatchCompletionItem,
    structs.BatchCompletionRequest: BatchCompletionRequest,
    structs.BatchCompletionResponse: BatchCompletionResponse,
    structs.ThinkingBudgetEffective: ThinkingBudgetEffective,
    structs.ThinkingBudgetRecord: ThinkingBudgetRecord,
    structs.StreamingTerminalMetadata: StreamingTerminalMetadata,
    structs.ChatCompletionChunk: ChatCompletionChunk,
    structs.ChatCompletionMetadata: ChatCompletionMetadata,
    structs.ChatCompletionRequest: ChatCompletionRequest,
    structs.RolloutActionTokenV1: RolloutActionTokenV1,
    structs.RolloutAdapterIdentityV1: RolloutAdapterIdentityV1,
    structs.RolloutBehaviorPolicyIdentityV1: RolloutBehaviorPolicyIdentityV1,
    structs.RolloutChatTemplateInvocationV1: RolloutChatTemplateInvocationV1,
    structs.RolloutThinkingBudgetV1: RolloutThinkingBudgetV1,
    structs.RolloutSamplingConfigV1: RolloutSamplingConfigV1,
    structs.RolloutProvenanceV1: RolloutProvenanceV1,
    structs.Choice: Choice,
    structs.ChatCompletionResponse: ChatCompletionResponse,
    structs.StreamingTokenTiming: StreamingTokenTiming,
    structs.TextCompletionChoice: TextCompletionChoice,
    structs.TextCompletionRequest: TextCompletionRequest,
    structs.TextCompletionResponse: TextCompletionResponse,
    structs.ThinkingBudgetRecentRecord: ThinkingBudgetRecentRecord,
}

READERS: Final[dict[Any, Callable[[Reader, Callable[[Any], None]], Reader]]] = {
    structs.ChatCompletionRequest: read_ChatCompletionRequest
}
"""Decoding with its check in one, for types most of whose documents need no check."""

READ_WHOLE: Final[frozenset[Any]] = frozenset(
    {
        structs.BatchCompletionItem,
        structs.BatchCompletionMetadata,
        structs.BatchCompletionResponse,
        structs.ChatCompletionChunk,
        structs.ChatCompletionMetadata,
        structs.ChatCompletionPerformanceMetadata,
        structs.ChatCompletionResponse,
        structs.ChatMessageOutput,
        structs.Choice,
        structs.ChunkChoice,
        structs.ConfigHashes,
        structs.Delta,
        structs.LatencyPhaseTimings,
        structs.LatencyStallReasonCounts,
        structs.PromptLogprobEntry,
        structs.RequestLatencyDiagnostics,
        structs.RolloutActionTokenV1,
        structs.RolloutAdapterIdentityV1,
        structs.RolloutBehaviorPolicyIdentityV1,
        structs.RolloutChatTemplateInvocationV1,
        structs.RolloutProvenanceV1,
        structs.RolloutSamplingConfigV1,
        structs.RolloutThinkingBudgetV1,
        structs.RolloutTokenizerIdentityV1,
        structs.StreamingTerminalMetadata,
        structs.StreamingTokenTiming,
        structs.TextCompletionChoice,
        structs.TextCompletionResponse,
        structs.ThinkingBudgetConfigurationMetadata,
        structs.Usage,
        structs.ThinkingBudgetServerDefaults,
        structs.ThinkingBudgetOutcome,
        structs.ThinkingBudgetRecord,
        structs.ThinkingBudgetRecentRecord,
    }
)
