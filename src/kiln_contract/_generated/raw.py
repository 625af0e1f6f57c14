"""Variants of the Structs that hold opaque JSON as text (`opaque="raw"`).

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""
# ruff: noqa
# mypy: disable-error-code="assignment"

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from kiln_contract._generated import structs


class BatchCompletionItem(structs.BatchCompletionItem, kw_only=True, forbid_unknown_fields=True, gc=False):
    prompt_index: Annotated[int, Meta(ge=0)]
    completion_index: Annotated[int, Meta(ge=0)]
    text: str
    reasoning_content: str | UnsetType = UNSET
    tool_calls: list[Raw] | UnsetType = UNSET
    finish_reason: structs.FinishReason
    thinking_budget: structs.ThinkingBudgetOutcome | UnsetType = UNSET
    usage: structs.Usage


class ChatMessageInput(structs.ChatMessageInput, kw_only=True, gc=False):
    role: str
    content: str | list[Raw] | None | UnsetType = UNSET
    reasoning_content: structs.NullableString | UnsetType = UNSET
    tool_calls: list[Raw] | None | UnsetType = UNSET
    name: structs.NullableString | UnsetType = UNSET
    tool_call_id: structs.NullableString | UnsetType = UNSET


class BatchCompletionRequest(structs.BatchCompletionRequest, kw_only=True, gc=False):
    model: structs.NullableString | UnsetType = UNSET
    prompts: Annotated[list[list[ChatMessageInput]], Meta(min_length=1, max_length=64)]
    n: Annotated[int, Meta(ge=1, le=64)] | None | UnsetType = UNSET
    temperature: structs.NullableSamplingNumber | UnsetType = UNSET
    top_p: structs.NullableSamplingNumber | UnsetType = UNSET
    top_k: structs.NullableUint32 | UnsetType = UNSET
    min_p: structs.NullableSamplingNumber | UnsetType = UNSET
    presence_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    frequency_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    repetition_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    sampling_preset: structs.SamplingPreset | UnsetType = UNSET
    max_tokens: structs.NullableNonNegativeInteger | UnsetType = UNSET
    max_completion_tokens: structs.NullableNonNegativeInteger | UnsetType = UNSET
    ignore_eos: bool | UnsetType = UNSET
    thinking_budget_tokens: structs.ThinkingBudgetLimitOverride | UnsetType = UNSET
    thinking_budget_ms: structs.ThinkingBudgetLimitOverride | UnsetType = UNSET
    stop: structs.StopInput | UnsetType = UNSET
    seed: structs.NullableUint64 | UnsetType = UNSET
    adapter: structs.NullableString | UnsetType = UNSET
    adapters: Annotated[list[structs.AdapterRef], Meta(min_length=1, max_length=16)] | None | UnsetType = UNSET
    tools: list[Raw] | None | UnsetType = UNSET
    tool_choice: Raw | UnsetType = UNSET
    chat_template_kwargs: dict[str, Raw] | None | UnsetType = UNSET


class BatchCompletionResponse(structs.BatchCompletionResponse, kw_only=True, forbid_unknown_fields=True, gc=False):
    id: Annotated[str, Meta(pattern="^batchcmpl-")]
    object: Literal["batch.completion"]
    created: structs.UnixSeconds
    model: str
    completions: Annotated[list[BatchCompletionItem], Meta(min_length=1, max_length=64)]
    usage: structs.Usage
    metadata: structs.BatchCompletionMetadata


class Delta(structs.Delta, kw_only=True, forbid_unknown_fields=True, gc=False):
    role: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    reasoning_content: str | UnsetType = UNSET
    tool_calls: list[Raw] | UnsetType = UNSET


class ChunkChoice(structs.ChunkChoice, kw_only=True, forbid_unknown_fields=True, gc=False):
    index: structs.NonNegativeInteger
    delta: Delta
    finish_reason: structs.FinishReason | UnsetType = UNSET


class ChatCompletionChunk(structs.ChatCompletionChunk, kw_only=True, forbid_unknown_fields=True, gc=False):
    id: Annotated[str, Meta(pattern="^chatcmpl-")]
    object: Literal["chat.completion.chunk"]
    created: structs.UnixSeconds
    model: str
    choices: list[ChunkChoice]
    metadata: structs.StreamingTerminalMetadata | UnsetType = UNSET
    usage: structs.Usage | UnsetType = UNSET


class ChatCompletionRequest(structs.ChatCompletionRequest, kw_only=True, gc=False):
    model: structs.NullableString | UnsetType = UNSET
    messages: list[ChatMessageInput]
    n: Annotated[int, Meta(ge=1, le=64)] | None | UnsetType = UNSET
    temperature: structs.NullableSamplingNumber | UnsetType = UNSET
    top_p: structs.NullableSamplingNumber | UnsetType = UNSET
    top_k: structs.NullableUint32 | UnsetType = UNSET
    min_p: structs.NullableSamplingNumber | UnsetType = UNSET
    presence_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    frequency_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    repetition_penalty: structs.NullableSamplingNumber | UnsetType = UNSET
    sampling_preset: structs.SamplingPreset | UnsetType = UNSET
    max_tokens: structs.NullableNonNegativeInteger | UnsetType = UNSET
    max_completion_tokens: structs.NullableNonNegativeInteger | UnsetType = UNSET
    ignore_eos: bool | UnsetType = UNSET
    thinking_budget_tokens: structs.ThinkingBudgetLimitOverride | UnsetType = UNSET
    thinking_budget_ms: structs.ThinkingBudgetLimitOverride | UnsetType = UNSET
    stream: bool | UnsetType = UNSET
    stream_options: structs.StreamOptions | None | UnsetType = UNSET
    stop: structs.StopInput | UnsetType = UNSET
    seed: structs.NullableUint64 | UnsetType = UNSET
    adapter: structs.NullableString | UnsetType = UNSET
    adapters: Annotated[list[structs.AdapterRef], Meta(min_length=1, max_length=16)] | None | UnsetType = UNSET
    tools: list[Raw] | None | UnsetType = UNSET
    tool_choice: Raw | UnsetType = UNSET
    chat_template_kwargs: dict[str, Raw] | None | UnsetType = UNSET
    fold_reasoning_into_content: structs.NullableBoolean | UnsetType = UNSET
    include_performance: structs.NullableBoolean | UnsetType = UNSET
    include_config_hashes: structs.NullableBoolean | UnsetType = UNSET
    rollout_provenance: bool | UnsetType = UNSET


class ChatMessageOutput(structs.ChatMessageOutput, kw_only=True, forbid_unknown_fields=True, gc=False):
    role: str
    content: str
    reasoning_content: str | UnsetType = UNSET
    tool_calls: list[Raw] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET


class RolloutChatTemplateInvocationV1(
    structs.RolloutChatTemplateInvocationV1, kw_only=True, forbid_unknown_fields=True, gc=False
):
    tools: Annotated[list[Raw], Meta(max_length=256)] | UnsetType = UNSET
    tool_choice: Raw | UnsetType = UNSET
    template_kwargs: (
        Annotated[dict[Annotated[str, Meta(min_length=1, max_length=256)], Raw], Meta(max_length=256)] | UnsetType
    ) = UNSET


class RolloutProvenanceV1(structs.RolloutProvenanceV1, kw_only=True, forbid_unknown_fields=True, gc=False):
    schema: Literal["kiln.rollout-provenance.v1"]
    input_token_ids: Annotated[list[Annotated[int, Meta(ge=0, le=4294967295)]], Meta(min_length=1, max_length=16777216)]
    prompt_token_count: Annotated[int, Meta(ge=1)]
    prompt_messages_sha256: structs.Sha256
    scored_payload_sha256: structs.Sha256
    action_tokens: Annotated[list[structs.RolloutActionTokenV1], Meta(min_length=1)]
    behavior_policy: structs.RolloutBehaviorPolicyIdentityV1
    tokenizer: structs.RolloutTokenizerIdentityV1
    template_invocation: RolloutChatTemplateInvocationV1 | UnsetType = UNSET
    sampling: structs.RolloutSamplingConfigV1
    seed: Annotated[int, Meta(ge=0)]
    generation_backend: Annotated[str, Meta(min_length=1, max_length=64, pattern="^[^\\u0000-\\u001f\\u007f]+\\Z")]


class Choice(structs.Choice, kw_only=True, forbid_unknown_fields=True, gc=False):
    index: structs.NonNegativeInteger
    message: ChatMessageOutput
    finish_reason: structs.FinishReason
    thinking_budget: structs.ThinkingBudgetOutcome | UnsetType = UNSET
    rollout_provenance: RolloutProvenanceV1 | UnsetType = UNSET


class ChatCompletionResponse(structs.ChatCompletionResponse, kw_only=True, forbid_unknown_fields=True, gc=False):
    id: Annotated[str, Meta(pattern="^chatcmpl-")]
    object: Literal["chat.completion"]
    created: structs.UnixSeconds
    model: str
    choices: Annotated[list[Choice], Meta(min_length=1, max_length=64)]
    usage: structs.Usage
    metadata: structs.ChatCompletionMetadata


RAW: Final[dict[Any, Any]] = {
    structs.BatchCompletionItem: BatchCompletionItem,
    structs.ChatMessageInput: ChatMessageInput,
    structs.BatchCompletionRequest: BatchCompletionRequest,
    structs.BatchCompletionResponse: BatchCompletionResponse,
    structs.Delta: Delta,
    structs.ChunkChoice: ChunkChoice,
    structs.ChatCompletionChunk: ChatCompletionChunk,
    structs.ChatCompletionRequest: ChatCompletionRequest,
    structs.ChatMessageOutput: ChatMessageOutput,
    structs.RolloutChatTemplateInvocationV1: RolloutChatTemplateInvocationV1,
    structs.RolloutProvenanceV1: RolloutProvenanceV1,
    structs.Choice: Choice,
    structs.ChatCompletionResponse: ChatCompletionResponse,
}
