"""The contract's definitions as msgspec Structs and type aliases.

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType


__all__ = [
    "AdapterRef",
    "BatchCompletionItem",
    "BatchCompletionMetadata",
    "BatchCompletionRequest",
    "BatchCompletionResponse",
    "ChatCompletionChunk",
    "ChatCompletionChunkStream",
    "ChatCompletionMetadata",
    "ChatCompletionPerformanceMetadata",
    "ChatCompletionRequest",
    "ChatCompletionResponse",
    "ChatMessageInput",
    "ChatMessageOutput",
    "Choice",
    "ChunkChoice",
    "ConfigHashes",
    "DEFINITIONS",
    "Delta",
    "FinishReason",
    "LatencyPhaseTimings",
    "LatencyStallReasonCounts",
    "NonNegativeInteger",
    "NullableBoolean",
    "NullableNonNegativeInteger",
    "NullableNonNegativeNumber",
    "NullableSamplingNumber",
    "NullableString",
    "NullableTemplateKwargs",
    "NullableToolArray",
    "NullableUint32",
    "NullableUint64",
    "PromptLogprobEntry",
    "PromptLogprobMap",
    "RequestLatencyDiagnostics",
    "RolloutActionTokenV1",
    "RolloutAdapterIdentityV1",
    "RolloutBehaviorPolicyIdentityV1",
    "RolloutChatTemplateInvocationV1",
    "RolloutIdentityText",
    "RolloutProvenanceV1",
    "RolloutSamplingConfigV1",
    "RolloutThinkingBudgetV1",
    "RolloutTokenizerIdentityV1",
    "SamplingPreset",
    "Sha256",
    "StopInput",
    "StreamOptions",
    "StreamingTerminalMetadata",
    "StreamingTokenTiming",
    "TextCompletionChoice",
    "TextCompletionRequest",
    "TextCompletionResponse",
    "ThinkingBudgetConfigurationMetadata",
    "ThinkingBudgetEffective",
    "ThinkingBudgetLimitOverride",
    "ThinkingBudgetOutcome",
    "ThinkingBudgetRecentRecord",
    "ThinkingBudgetRecord",
    "ThinkingBudgetRequest",
    "ThinkingBudgetServerDefaults",
    "ThinkingBudgetSource",
    "ThinkingBudgetTrigger",
    "ToolCallArray",
    "UnixSeconds",
    "Usage",
]


class AdapterRef(Struct, kw_only=True, gc=False):
    """Names a stored LoRA adapter and the weight it gets in a mix. Members not listed here are ignored."""

    name: Annotated[str, Meta(min_length=1)]
    scale: float


FinishReason = Literal["error", "length", "stop", "tool_calls"]
"""What ended an answer: `stop` (end token or stop text), `length` (token limit), `tool_calls` (a call was
parsed), or `error` (a batch item failed)."""

NonNegativeInteger = Annotated[int, Meta(ge=0)]
"""Whole number, 0 or more."""

ToolCallArray = list[Any]
"""Function calls in the OpenAI format, not inspected by the contract. In output each has an id, type
`function`, a name and arguments as JSON text."""


class Usage(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """How many tokens went in, how many came out, and their sum."""

    prompt_tokens: NonNegativeInteger
    completion_tokens: NonNegativeInteger
    total_tokens: NonNegativeInteger


ThinkingBudgetTrigger = Literal["tokens", "time", "max_tokens"]
"""Which limit ended thinking: `tokens` (thinking tokens), `time` (thinking time), or `max_tokens` (the
answer's own token limit left room only for the closing tag)."""


class ThinkingBudgetOutcome(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What the limits did to one answer."""

    triggered: bool
    trigger: ThinkingBudgetTrigger | UnsetType = UNSET
    closed: bool
    thinking_tokens: Annotated[int, Meta(ge=0)]
    thinking_time_ms: Annotated[int, Meta(ge=0)]


class BatchCompletionItem(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One answer in a batch result, located by its prompt and its place among that prompt's answers."""

    prompt_index: Annotated[int, Meta(ge=0)]
    completion_index: Annotated[int, Meta(ge=0)]
    text: str
    reasoning_content: str | UnsetType = UNSET
    tool_calls: ToolCallArray | UnsetType = UNSET
    finish_reason: FinishReason
    thinking_budget: ThinkingBudgetOutcome | UnsetType = UNSET
    usage: Usage


ThinkingBudgetSource = Literal[
    "unlimited",
    "server_default",
    "request",
    "request_unlimited",
    "suite",
    "suite_unlimited",
    "run_override",
    "run_override_unlimited",
    "example",
    "example_unlimited",
    "unknown",
]
"""The scope that settled a limit. A plain name set a finite limit, `*_unlimited` lifted one with null,
`unlimited` means no scope set any, `unknown` that the origin was not recorded."""


class ThinkingBudgetConfigurationMetadata(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Thinking limits that apply across a batch, with the origin of each."""

    configured: bool
    max_tokens: NonNegativeInteger | UnsetType = UNSET
    max_time_ms: NonNegativeInteger | UnsetType = UNSET
    tokens_source: ThinkingBudgetSource
    time_source: ThinkingBudgetSource


class BatchCompletionMetadata(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Facts that hold for a whole batch rather than for any single item."""

    thinking_budget: ThinkingBudgetConfigurationMetadata


NullableString = str | None
"""Text, which may be empty; null stands for no value."""


class ChatMessageInput(Struct, kw_only=True, gc=False):
    """A turn of the conversation, as the chat template will see it. Members not listed here are ignored."""

    role: str
    content: str | list[Any] | None | UnsetType = UNSET
    reasoning_content: NullableString | UnsetType = UNSET
    tool_calls: ToolCallArray | None | UnsetType = UNSET
    name: NullableString | UnsetType = UNSET
    tool_call_id: NullableString | UnsetType = UNSET


NullableNonNegativeInteger = NonNegativeInteger | None
"""Whole number, 0 or more; null stands for no value."""

NullableSamplingNumber = float | None
"""Any finite number, or null to keep the preset's value. Out-of-range values are not refused: each setting
defines what they do."""

NullableTemplateKwargs = dict[str, Any] | None
"""Extra variables for the chat template by name; null stands for none."""

NullableToolArray = list[Any] | None
"""Tools on offer to the model; null stands for none."""

NullableUint32 = Annotated[int, Meta(ge=0, le=4294967295)] | None
"""Whole number between 0 and 4294967295; null stands for no value."""

NullableUint64 = Annotated[int, Meta(ge=0)] | None
"""Whole number between 0 and 18446744073709551615, never rounded; null stands for no value."""

SamplingPreset = str | None
"""`qwen3-thinking-coding`, `greedy`, `qwen3-non-thinking-reasoning`, `qwen3-thinking-general` or
`qwen3-non-thinking-general`; unknown strings act as `qwen3-thinking-general`, and so does null unless tools
are given (then thinking-coding)."""

StopInput = str | list[str] | None
"""A stop text, several, or null for none; a lone string equals a list of one. Empty strings never match and
are dropped."""

ThinkingBudgetLimitOverride = Annotated[int, Meta(ge=0)] | None
"""How a scope states a limit: a whole number from 0 sets it, null explicitly removes it. Leaving the
property out is a third state that inherits the limit."""


class BatchCompletionRequest(Struct, kw_only=True, gc=False):
    """Asks for n answers to each of several conversations, at most 64 answers in total. Members not listed here
    are ignored."""

    model: NullableString | UnsetType = UNSET
    prompts: Annotated[list[list[ChatMessageInput]], Meta(min_length=1, max_length=64)]
    n: Annotated[int, Meta(ge=1, le=64)] | None | UnsetType = UNSET
    temperature: NullableSamplingNumber | UnsetType = UNSET
    top_p: NullableSamplingNumber | UnsetType = UNSET
    top_k: NullableUint32 | UnsetType = UNSET
    min_p: NullableSamplingNumber | UnsetType = UNSET
    presence_penalty: NullableSamplingNumber | UnsetType = UNSET
    frequency_penalty: NullableSamplingNumber | UnsetType = UNSET
    repetition_penalty: NullableSamplingNumber | UnsetType = UNSET
    sampling_preset: SamplingPreset | UnsetType = UNSET
    max_tokens: NullableNonNegativeInteger | UnsetType = UNSET
    max_completion_tokens: NullableNonNegativeInteger | UnsetType = UNSET
    ignore_eos: bool | UnsetType = UNSET
    thinking_budget_tokens: ThinkingBudgetLimitOverride | UnsetType = UNSET
    thinking_budget_ms: ThinkingBudgetLimitOverride | UnsetType = UNSET
    stop: StopInput | UnsetType = UNSET
    seed: NullableUint64 | UnsetType = UNSET
    adapter: NullableString | UnsetType = UNSET
    adapters: Annotated[list[AdapterRef], Meta(min_length=1, max_length=16)] | None | UnsetType = UNSET
    tools: NullableToolArray | UnsetType = UNSET
    tool_choice: Any | UnsetType = UNSET
    chat_template_kwargs: NullableTemplateKwargs | UnsetType = UNSET


UnixSeconds = Annotated[int, Meta(ge=0)]
"""Unix timestamp in seconds, without a fraction."""


class BatchCompletionResponse(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Everything a batch produced: its answers, the token totals and the thinking limits in force."""

    id: Annotated[str, Meta(pattern="^batchcmpl-")]
    object: Literal["batch.completion"]
    created: UnixSeconds
    model: str
    completions: Annotated[list[BatchCompletionItem], Meta(min_length=1, max_length=64)]
    usage: Usage
    metadata: BatchCompletionMetadata


NullableNonNegativeNumber = Annotated[float, Meta(ge=0)] | None
"""Finite number, 0 or more; null stands for no value."""


class LatencyPhaseTimings(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Where a request's time went, in milliseconds by phase. Null says the phase was not measured on this path,
    0 that it took no time."""

    actor_queue_ms: NullableNonNegativeNumber
    actor_admission_ms: NullableNonNegativeNumber
    tokenization_ms: NullableNonNegativeNumber
    prefill_ms: NullableNonNegativeNumber
    decode_ms: NullableNonNegativeNumber
    actor_cycle_idle_ms: NullableNonNegativeNumber
    sampling_ms: NullableNonNegativeNumber
    readback_ms: NullableNonNegativeNumber
    response_delivery_ms: NullableNonNegativeNumber
    handler_queue_ms: NullableNonNegativeNumber
    client_delivery_ms: NullableNonNegativeNumber
    gpu_lock_wait_ms: NullableNonNegativeNumber
    graph_capture_ms: NullableNonNegativeNumber
    graph_replay_ms: NullableNonNegativeNumber
    synchronization_ms: NullableNonNegativeNumber
    resize_ms: NullableNonNegativeNumber
    trim_ms: NullableNonNegativeNumber
    adapter_ms: NullableNonNegativeNumber
    training_ms: NullableNonNegativeNumber
    unexplained_ms: NullableNonNegativeNumber


class LatencyStallReasonCounts(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Stalls tallied by cause. Each stall is counted once, under the measured phase that overlapped it most."""

    actor_queue: NonNegativeInteger
    actor_admission: NonNegativeInteger
    actor_prefill: NonNegativeInteger
    actor_decode: NonNegativeInteger
    actor_cycle_idle: NonNegativeInteger
    response_delivery: NonNegativeInteger
    handler_queue: NonNegativeInteger
    client_delivery: NonNegativeInteger
    sampling: NonNegativeInteger
    readback: NonNegativeInteger
    gpu_lock_wait: NonNegativeInteger
    graph_capture: NonNegativeInteger
    graph_replay: NonNegativeInteger
    synchronization: NonNegativeInteger
    resize: NonNegativeInteger
    trim: NonNegativeInteger
    adapter: NonNegativeInteger
    training: NonNegativeInteger
    unexplained: NonNegativeInteger


NullableBoolean = bool | None
"""True, false, or null for no preference or no finding."""


class RequestLatencyDiagnostics(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """How evenly a request's tokens arrived: gap percentiles, stalls with their causes, and phase timings. All
    times are in milliseconds."""

    emitted_tokens: NonNegativeInteger
    gap_samples: NonNegativeInteger
    retained_gap_samples: Annotated[int, Meta(ge=0, le=8192)]
    gap_samples_truncated: bool
    ttft_ms: NullableNonNegativeNumber
    itl_ms_p50: NullableNonNegativeNumber
    itl_ms_p99: NullableNonNegativeNumber
    itl_ms_p999: NullableNonNegativeNumber
    max_itl_ms: NullableNonNegativeNumber
    stall_threshold_ms: NullableNonNegativeNumber
    stall_count: NonNegativeInteger
    unexplained_stall_count: NonNegativeInteger
    stall_reasons: LatencyStallReasonCounts
    phases: LatencyPhaseTimings


class ChatCompletionPerformanceMetadata(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Counts and timings of a chat request from one monotonic clock. Null marks a time the path did not
    measure, 0 a measured zero."""

    prompt_tokens: NonNegativeInteger
    completion_tokens: NonNegativeInteger
    ttft_ms: NullableNonNegativeNumber
    prefill_ms: NullableNonNegativeNumber
    actor_queue_ms: NullableNonNegativeNumber
    actor_admission_ms: NullableNonNegativeNumber
    actor_prefill_wall_ms: NullableNonNegativeNumber
    resident_prefill_used: NullableBoolean
    decode_ms: NullableNonNegativeNumber
    total_latency_ms: Annotated[float, Meta(ge=0)]
    decode_tokens_per_sec: NullableNonNegativeNumber
    adapter_used: str
    thinking_mode: str
    finish_reason: FinishReason
    latency: RequestLatencyDiagnostics | None


class Delta(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Additions to an answer. After the role, each non-empty delta has exactly one kind of member."""

    role: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    reasoning_content: str | UnsetType = UNSET
    tool_calls: ToolCallArray | UnsetType = UNSET


class ChunkChoice(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The part of a stream chunk that extends one answer."""

    index: NonNegativeInteger
    delta: Delta
    finish_reason: FinishReason | UnsetType = UNSET


class ThinkingBudgetEffective(Struct, kw_only=True, gc=False):
    """The limits that result once all scopes are resolved, and the source of each. A limit that is present
    needs a source that sets one, an absent limit a source that does not."""

    configured: bool
    max_tokens: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    max_time_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    tokens_source: ThinkingBudgetSource
    time_source: ThinkingBudgetSource


class ThinkingBudgetRecord(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Limits and their effect in one object. Counters, closed and, if triggered, trigger appear together once
    an outcome is known; an outcome implies that applied is true."""

    configured: bool
    max_tokens: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    max_time_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    tokens_source: ThinkingBudgetSource
    time_source: ThinkingBudgetSource
    applied: bool
    triggered: bool
    trigger: ThinkingBudgetTrigger | UnsetType = UNSET
    closed: bool | UnsetType = UNSET
    thinking_tokens: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    thinking_time_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


class StreamingTerminalMetadata(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Closing facts about a streamed answer, sent once with its finish_reason."""

    thinking_budget: ThinkingBudgetRecord
    performance: ChatCompletionPerformanceMetadata | UnsetType = UNSET


class ChatCompletionChunk(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Payload of an unnamed event in a chat stream: a piece of the answer, the finish, or the usage report."""

    id: Annotated[str, Meta(pattern="^chatcmpl-")]
    object: Literal["chat.completion.chunk"]
    created: UnixSeconds
    model: str
    choices: list[ChunkChoice]
    metadata: StreamingTerminalMetadata | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET


ChatCompletionChunkStream = str
"""A `text/event-stream` body: role chunk, deltas, finish chunk, usage chunk if asked for, then `data:
[DONE]`. Timing events come only after opt-in; a failure sends one error event and `[DONE]`, without a
finish chunk."""

Sha256 = Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}\\Z")]
"""SHA-256 as `sha256:` plus 64 lowercase hex digits."""


class ConfigHashes(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """SHA-256 identities of what shaped the output, for telling two deployments apart. A hash the server cannot
    supply is left out."""

    tokenizer_config_hash: Sha256 | UnsetType = UNSET
    chat_template_hash: Sha256 | UnsetType = UNSET
    training_chat_template_hash: Sha256 | UnsetType = UNSET
    model_config_hash: Sha256 | UnsetType = UNSET
    effective_config_hash: Sha256 | UnsetType = UNSET


class ChatCompletionMetadata(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """How the server handled thinking for a chat answer, plus opt-in hashes and timings. With n above 1 it
    describes choice 0."""

    thinking_enabled: bool
    thinking_mode: Literal["non_reasoning", "reasoning"]
    thinking_source: Literal["custom", "request", "server_default", "template_default"]
    default_thinking_enabled: bool | UnsetType = UNSET
    final_content_empty: bool
    content_empty_reason: Literal["no_content", "reasoning_without_final_content", "tool_call"] | UnsetType = UNSET
    reasoning_folded_into_content: bool
    thinking_budget: ThinkingBudgetRecord
    config_hashes: ConfigHashes | UnsetType = UNSET
    performance: ChatCompletionPerformanceMetadata | UnsetType = UNSET


class StreamOptions(Struct, kw_only=True, gc=False):
    """Extras a client can ask for in a stream. Members not listed here are ignored."""

    include_usage: bool | UnsetType = UNSET


class ChatCompletionRequest(Struct, kw_only=True, gc=False):
    """Asks for one or more answers to a conversation in the OpenAI chat format. Members not listed here are
    ignored."""

    model: NullableString | UnsetType = UNSET
    messages: list[ChatMessageInput]
    n: Annotated[int, Meta(ge=1, le=64)] | None | UnsetType = UNSET
    temperature: NullableSamplingNumber | UnsetType = UNSET
    top_p: NullableSamplingNumber | UnsetType = UNSET
    top_k: NullableUint32 | UnsetType = UNSET
    min_p: NullableSamplingNumber | UnsetType = UNSET
    presence_penalty: NullableSamplingNumber | UnsetType = UNSET
    frequency_penalty: NullableSamplingNumber | UnsetType = UNSET
    repetition_penalty: NullableSamplingNumber | UnsetType = UNSET
    sampling_preset: SamplingPreset | UnsetType = UNSET
    max_tokens: NullableNonNegativeInteger | UnsetType = UNSET
    max_completion_tokens: NullableNonNegativeInteger | UnsetType = UNSET
    ignore_eos: bool | UnsetType = UNSET
    thinking_budget_tokens: ThinkingBudgetLimitOverride | UnsetType = UNSET
    thinking_budget_ms: ThinkingBudgetLimitOverride | UnsetType = UNSET
    stream: bool | UnsetType = UNSET
    stream_options: StreamOptions | None | UnsetType = UNSET
    stop: StopInput | UnsetType = UNSET
    seed: NullableUint64 | UnsetType = UNSET
    adapter: NullableString | UnsetType = UNSET
    adapters: Annotated[list[AdapterRef], Meta(min_length=1, max_length=16)] | None | UnsetType = UNSET
    tools: NullableToolArray | UnsetType = UNSET
    tool_choice: Any | UnsetType = UNSET
    chat_template_kwargs: NullableTemplateKwargs | UnsetType = UNSET
    fold_reasoning_into_content: NullableBoolean | UnsetType = UNSET
    include_performance: NullableBoolean | UnsetType = UNSET
    include_config_hashes: NullableBoolean | UnsetType = UNSET
    rollout_provenance: bool | UnsetType = UNSET


class ChatMessageOutput(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The assistant's whole turn in one choice of a chat response."""

    role: str
    content: str
    reasoning_content: str | UnsetType = UNSET
    tool_calls: ToolCallArray | UnsetType = UNSET
    name: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET


class RolloutActionTokenV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A generated token and its origin. `sampled` ones carry the log-probability they were drawn with (0.0 when
    greedy); `forced` ones, inserted to close thinking, carry null."""

    sequence_index: NonNegativeInteger
    token_id: Annotated[int, Meta(ge=0, le=4294967295)]
    source: Literal["sampled", "forced"]
    behavior_logprob: Annotated[float, Meta(le=1e-06)] | None


RolloutIdentityText = Annotated[str, Meta(min_length=1, max_length=256, pattern="^[^\\u0000-\\u001f\\u007f]+\\Z")]
"""A short identifying name of 1 to 256 UTF-8 bytes. It may not begin or end with whitespace, nor contain
C0, DEL or C1 control characters."""


class RolloutAdapterIdentityV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Which adapter took part in a rollout, by name and by content."""

    name: RolloutIdentityText
    content_sha256: Sha256


class RolloutBehaviorPolicyIdentityV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Pins down the policy behind a rollout: weights, adapter, inference settings and software."""

    served_model_id: RolloutIdentityText
    base_model_sha256: Sha256
    adapter: RolloutAdapterIdentityV1 | UnsetType = UNSET
    inference_config_sha256: Sha256
    implementation: RolloutIdentityText


class RolloutChatTemplateInvocationV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What besides the messages went into rendering the prompt. At most 1048576 bytes when serialised."""

    tools: Annotated[list[Any], Meta(max_length=256)] | UnsetType = UNSET
    tool_choice: Any | UnsetType = UNSET
    template_kwargs: (
        Annotated[dict[Annotated[str, Meta(min_length=1, max_length=256)], Any], Meta(max_length=256)] | UnsetType
    ) = UNSET


class RolloutThinkingBudgetV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The limit on thinking in force and how it is carried out. Has max_tokens, max_time_ms or both."""

    max_tokens: NonNegativeInteger | UnsetType = UNSET
    max_time_ms: NonNegativeInteger | UnsetType = UNSET
    close_token_ids: Annotated[list[Annotated[int, Meta(ge=0, le=4294967295)]], Meta(min_length=1)]


class RolloutSamplingConfigV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Sampling settings as finally applied, after presets, overrides and defaults."""

    temperature: Annotated[float, Meta(ge=0)]
    top_p: Annotated[float, Meta(ge=0, le=1)]
    top_k: Annotated[int, Meta(ge=0, le=4294967295)]
    min_p: Annotated[float, Meta(ge=0, le=1)]
    max_tokens: Annotated[int, Meta(ge=1)]
    repetition_penalty: Annotated[float, Meta(gt=0)]
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)]
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)]
    stop: Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(max_length=256)]
    thinking_budget: RolloutThinkingBudgetV1 | UnsetType = UNSET


class RolloutTokenizerIdentityV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Pins down by SHA-256 how text became tokens."""

    vocab_sha256: Sha256
    config_sha256: Sha256
    chat_template_sha256: Sha256


class RolloutProvenanceV1(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A complete record of one generation: which tokens, from which policy, tokenizer and settings."""

    schema: Literal["kiln.rollout-provenance.v1"]
    input_token_ids: Annotated[list[Annotated[int, Meta(ge=0, le=4294967295)]], Meta(min_length=1, max_length=16777216)]
    prompt_token_count: Annotated[int, Meta(ge=1)]
    prompt_messages_sha256: Sha256
    scored_payload_sha256: Sha256
    action_tokens: Annotated[list[RolloutActionTokenV1], Meta(min_length=1)]
    behavior_policy: RolloutBehaviorPolicyIdentityV1
    tokenizer: RolloutTokenizerIdentityV1
    template_invocation: RolloutChatTemplateInvocationV1 | UnsetType = UNSET
    sampling: RolloutSamplingConfigV1
    seed: Annotated[int, Meta(ge=0)]
    generation_backend: Annotated[str, Meta(min_length=1, max_length=64, pattern="^[^\\u0000-\\u001f\\u007f]+\\Z")]


class Choice(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An answer in a chat response, with how it ended and what evidence goes with it."""

    index: NonNegativeInteger
    message: ChatMessageOutput
    finish_reason: FinishReason
    thinking_budget: ThinkingBudgetOutcome | UnsetType = UNSET
    rollout_provenance: RolloutProvenanceV1 | UnsetType = UNSET


class ChatCompletionResponse(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The complete answer to a chat request that did not stream, with Kiln's additions under metadata."""

    id: Annotated[str, Meta(pattern="^chatcmpl-")]
    object: Literal["chat.completion"]
    created: UnixSeconds
    model: str
    choices: Annotated[list[Choice], Meta(min_length=1, max_length=64)]
    usage: Usage
    metadata: ChatCompletionMetadata


class PromptLogprobEntry(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """How likely the model found one candidate token at a prompt position."""

    logprob: float
    rank: Annotated[int, Meta(ge=1)]
    decoded_token: str


PromptLogprobMap = dict[Annotated[str, Meta(pattern="^[0-9]+\\Z")], PromptLogprobEntry]
"""Candidates for a prompt position, keyed by token id in decimal: the token that is really there, plus the
K most likely."""


class StreamingTokenTiming(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Life of one streamed token, in milliseconds on the request's clock. Sent after the token's text, only if
    the request set include_performance to true."""

    object: Literal["kiln.token_timing"]
    source: Literal["batching_engine", "direct"]
    token_index: Annotated[int, Meta(ge=0, le=4294967295)]
    token_id: Annotated[int, Meta(ge=0, le=4294967295)]
    ready_ms: Annotated[float, Meta(ge=0)]
    producer_delivered_ms: Annotated[float, Meta(ge=0)]
    handler_received_ms: Annotated[float, Meta(ge=0)]
    body_enqueued_ms: Annotated[float, Meta(ge=0)]
    response_delivery_ms: Annotated[float, Meta(ge=0)]
    handler_queue_ms: Annotated[float, Meta(ge=0)]
    queue_delay_ms: Annotated[float, Meta(ge=0)]
    client_delivery_ms: Annotated[float, Meta(ge=0)]
    blocking_phase: Literal[
        "actor_queue",
        "actor_admission",
        "actor_prefill",
        "actor_decode",
        "actor_cycle_idle",
        "response_delivery",
        "handler_queue",
        "client_delivery",
        "sampling",
        "readback",
        "gpu_lock_wait",
        "graph_capture",
        "graph_replay",
        "synchronization",
        "resize",
        "trim",
        "adapter",
        "training",
        "unexplained",
        None,
    ]
    blocking_phase_ms: NullableNonNegativeNumber


class TextCompletionChoice(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Scores for the tokens of one prompt."""

    index: NonNegativeInteger
    text: str
    finish_reason: FinishReason
    prompt_logprobs: list[PromptLogprobMap | None] | UnsetType = UNSET


class TextCompletionRequest(Struct, kw_only=True, gc=False):
    """Asks how likely each token of a prompt is. Nothing is generated, and members not listed here are
    ignored."""

    model: NullableString | UnsetType = UNSET
    prompt: str | Annotated[list[Annotated[int, Meta(ge=0, le=4294967295)]], Meta(min_length=1, max_length=4096)]
    max_tokens: Annotated[int, Meta(ge=0, le=1)] | None | UnsetType = UNSET
    prompt_logprobs: Annotated[int, Meta(ge=0, le=256)]
    n: Literal[1] | None | UnsetType = UNSET
    stream: Literal[False] | UnsetType = UNSET
    add_special_tokens: bool | UnsetType = UNSET


class TextCompletionResponse(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The scores of a prompt, with the identity of the model that gave them."""

    id: Annotated[str, Meta(pattern="^cmpl-")]
    object: Literal["text_completion"]
    created: UnixSeconds
    model: str
    system_fingerprint: NullableString
    choices: Annotated[list[TextCompletionChoice], Meta(min_length=1, max_length=1)]
    usage: Usage


class ThinkingBudgetRequest(Struct, kw_only=True, gc=False):
    """Members of a request that override the server's thinking limits. The two are independent, and other
    members may be present."""

    thinking_budget_tokens: ThinkingBudgetLimitOverride | UnsetType = UNSET
    thinking_budget_ms: ThinkingBudgetLimitOverride | UnsetType = UNSET


class ThinkingBudgetServerDefaults(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Thinking limits the server applies where a request states none. Both members are always present."""

    default_thinking_budget_tokens: Annotated[int, Meta(ge=0)] | None
    default_thinking_budget_ms: Annotated[int, Meta(ge=0)] | None


class ThinkingBudgetRecentRecord(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Looser form of record for lists of recent requests: the limits are required, everything about their
    effect is optional and not cross-checked."""

    configured: bool
    max_tokens: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    max_time_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    tokens_source: ThinkingBudgetSource
    time_source: ThinkingBudgetSource
    applied: bool | UnsetType = UNSET
    triggered: bool | UnsetType = UNSET
    trigger: ThinkingBudgetTrigger | UnsetType = UNSET
    closed: bool | UnsetType = UNSET
    thinking_tokens: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    thinking_time_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


DEFINITIONS: Final[dict[str, Any]] = {
    "AdapterRef": AdapterRef,
    "BatchCompletionItem": BatchCompletionItem,
    "BatchCompletionMetadata": BatchCompletionMetadata,
    "BatchCompletionRequest": BatchCompletionRequest,
    "BatchCompletionResponse": BatchCompletionResponse,
    "ChatCompletionChunk": ChatCompletionChunk,
    "ChatCompletionChunkStream": ChatCompletionChunkStream,
    "ChatCompletionMetadata": ChatCompletionMetadata,
    "ChatCompletionPerformanceMetadata": ChatCompletionPerformanceMetadata,
    "ChatCompletionRequest": ChatCompletionRequest,
    "ChatCompletionResponse": ChatCompletionResponse,
    "ChatMessageInput": ChatMessageInput,
    "ChatMessageOutput": ChatMessageOutput,
    "Choice": Choice,
    "ChunkChoice": ChunkChoice,
    "ConfigHashes": ConfigHashes,
    "Delta": Delta,
    "FinishReason": FinishReason,
    "LatencyPhaseTimings": LatencyPhaseTimings,
    "LatencyStallReasonCounts": LatencyStallReasonCounts,
    "NonNegativeInteger": NonNegativeInteger,
    "NullableBoolean": NullableBoolean,
    "NullableNonNegativeInteger": NullableNonNegativeInteger,
    "NullableNonNegativeNumber": NullableNonNegativeNumber,
    "NullableSamplingNumber": NullableSamplingNumber,
    "NullableString": NullableString,
    "NullableTemplateKwargs": NullableTemplateKwargs,
    "NullableToolArray": NullableToolArray,
    "NullableUint32": NullableUint32,
    "NullableUint64": NullableUint64,
    "PromptLogprobEntry": PromptLogprobEntry,
    "PromptLogprobMap": PromptLogprobMap,
    "RequestLatencyDiagnostics": RequestLatencyDiagnostics,
    "RolloutActionTokenV1": RolloutActionTokenV1,
    "RolloutAdapterIdentityV1": RolloutAdapterIdentityV1,
    "RolloutBehaviorPolicyIdentityV1": RolloutBehaviorPolicyIdentityV1,
    "RolloutChatTemplateInvocationV1": RolloutChatTemplateInvocationV1,
    "RolloutIdentityText": RolloutIdentityText,
    "RolloutProvenanceV1": RolloutProvenanceV1,
    "RolloutSamplingConfigV1": RolloutSamplingConfigV1,
    "RolloutThinkingBudgetV1": RolloutThinkingBudgetV1,
    "RolloutTokenizerIdentityV1": RolloutTokenizerIdentityV1,
    "SamplingPreset": SamplingPreset,
    "Sha256": Sha256,
    "StopInput": StopInput,
    "StreamOptions": StreamOptions,
    "StreamingTerminalMetadata": StreamingTerminalMetadata,
    "StreamingTokenTiming": StreamingTokenTiming,
    "TextCompletionChoice": TextCompletionChoice,
    "TextCompletionRequest": TextCompletionRequest,
    "TextCompletionResponse": TextCompletionResponse,
    "ThinkingBudgetConfigurationMetadata": ThinkingBudgetConfigurationMetadata,
    "ToolCallArray": ToolCallArray,
    "UnixSeconds": UnixSeconds,
    "Usage": Usage,
    "thinking_budget.limitOverride": ThinkingBudgetLimitOverride,
    "thinking_budget.source": ThinkingBudgetSource,
    "thinking_budget.trigger": ThinkingBudgetTrigger,
    "thinking_budget.request": ThinkingBudgetRequest,
    "thinking_budget.serverDefaults": ThinkingBudgetServerDefaults,
    "thinking_budget.effective": ThinkingBudgetEffective,
    "thinking_budget.outcome": ThinkingBudgetOutcome,
    "thinking_budget.record": ThinkingBudgetRecord,
    "thinking_budget.recentRecord": ThinkingBudgetRecentRecord,
}
