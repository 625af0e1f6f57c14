"""Numeric ranges of members.

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
kiln-inference-v1.schema.json: sha256 752ed527b7228624bbd803216c4e9c7fb072a12f48e93721a0211f5c2834eb49
thinking-budget-v1.schema.json: sha256 29ca19dff417091f8a7f9b593f0fe5295854dd7ec7d834e7745777135613e00f
"""

from __future__ import annotations

from typing import Final

from kiln_contract.bound import Bound

BOUNDS: Final[dict[str, dict[str, Bound]]] = {
    "BatchCompletionItem": {"prompt_index": Bound(minimum=0), "completion_index": Bound(minimum=0)},
    "BatchCompletionRequest": {"prompts": Bound(minimum=1, maximum=64)},
    "BatchCompletionResponse": {"created": Bound(minimum=0), "completions": Bound(minimum=1, maximum=64)},
    "ChatCompletionChunk": {"created": Bound(minimum=0)},
    "ChatCompletionPerformanceMetadata": {
        "prompt_tokens": Bound(minimum=0),
        "completion_tokens": Bound(minimum=0),
        "total_latency_ms": Bound(minimum=0),
    },
    "ChatCompletionResponse": {"created": Bound(minimum=0), "choices": Bound(minimum=1, maximum=64)},
    "Choice": {"index": Bound(minimum=0)},
    "ChunkChoice": {"index": Bound(minimum=0)},
    "LatencyStallReasonCounts": {
        "actor_queue": Bound(minimum=0),
        "actor_admission": Bound(minimum=0),
        "actor_prefill": Bound(minimum=0),
        "actor_decode": Bound(minimum=0),
        "actor_cycle_idle": Bound(minimum=0),
        "response_delivery": Bound(minimum=0),
        "handler_queue": Bound(minimum=0),
        "client_delivery": Bound(minimum=0),
        "sampling": Bound(minimum=0),
        "readback": Bound(minimum=0),
        "gpu_lock_wait": Bound(minimum=0),
        "graph_capture": Bound(minimum=0),
        "graph_replay": Bound(minimum=0),
        "synchronization": Bound(minimum=0),
        "resize": Bound(minimum=0),
        "trim": Bound(minimum=0),
        "adapter": Bound(minimum=0),
        "training": Bound(minimum=0),
        "unexplained": Bound(minimum=0),
    },
    "PromptLogprobEntry": {"rank": Bound(minimum=1)},
    "RequestLatencyDiagnostics": {
        "emitted_tokens": Bound(minimum=0),
        "gap_samples": Bound(minimum=0),
        "retained_gap_samples": Bound(minimum=0, maximum=8192),
        "stall_count": Bound(minimum=0),
        "unexplained_stall_count": Bound(minimum=0),
    },
    "RolloutActionTokenV1": {
        "sequence_index": Bound(minimum=0),
        "token_id": Bound(minimum=0, maximum=4294967295),
        "behavior_logprob": Bound(maximum=1e-06),
    },
    "RolloutChatTemplateInvocationV1": {"tools": Bound(maximum=256)},
    "RolloutProvenanceV1": {
        "input_token_ids": Bound(minimum=1, maximum=16777216),
        "prompt_token_count": Bound(minimum=1),
        "action_tokens": Bound(minimum=1),
        "seed": Bound(minimum=0, maximum=18446744073709551615),
    },
    "RolloutSamplingConfigV1": {
        "temperature": Bound(minimum=0),
        "top_p": Bound(minimum=0, maximum=1),
        "top_k": Bound(minimum=0, maximum=4294967295),
        "min_p": Bound(minimum=0, maximum=1),
        "max_tokens": Bound(minimum=1),
        "repetition_penalty": Bound(minimum=0, exclusive=True),
        "presence_penalty": Bound(minimum=-2, maximum=2),
        "frequency_penalty": Bound(minimum=-2, maximum=2),
        "stop": Bound(maximum=256),
    },
    "RolloutThinkingBudgetV1": {
        "max_tokens": Bound(minimum=0),
        "max_time_ms": Bound(minimum=0),
        "close_token_ids": Bound(minimum=1),
    },
    "StreamingTokenTiming": {
        "token_index": Bound(minimum=0, maximum=4294967295),
        "token_id": Bound(minimum=0, maximum=4294967295),
        "ready_ms": Bound(minimum=0),
        "producer_delivered_ms": Bound(minimum=0),
        "handler_received_ms": Bound(minimum=0),
        "body_enqueued_ms": Bound(minimum=0),
        "response_delivery_ms": Bound(minimum=0),
        "handler_queue_ms": Bound(minimum=0),
        "queue_delay_ms": Bound(minimum=0),
        "client_delivery_ms": Bound(minimum=0),
    },
    "TextCompletionChoice": {"index": Bound(minimum=0)},
    "TextCompletionRequest": {"prompt_logprobs": Bound(minimum=0, maximum=256)},
    "TextCompletionResponse": {"created": Bound(minimum=0), "choices": Bound(minimum=1, maximum=1)},
    "ThinkingBudgetConfigurationMetadata": {"max_tokens": Bound(minimum=0), "max_time_ms": Bound(minimum=0)},
    "Usage": {
        "prompt_tokens": Bound(minimum=0),
        "completion_tokens": Bound(minimum=0),
        "total_tokens": Bound(minimum=0),
    },
    "thinking_budget.effective": {"max_tokens": Bound(minimum=0), "max_time_ms": Bound(minimum=0)},
    "thinking_budget.outcome": {"thinking_tokens": Bound(minimum=0), "thinking_time_ms": Bound(minimum=0)},
    "thinking_budget.record": {
        "max_tokens": Bound(minimum=0),
        "max_time_ms": Bound(minimum=0),
        "thinking_tokens": Bound(minimum=0),
        "thinking_time_ms": Bound(minimum=0),
    },
    "thinking_budget.recentRecord": {
        "max_tokens": Bound(minimum=0),
        "max_time_ms": Bound(minimum=0),
        "thinking_tokens": Bound(minimum=0),
        "thinking_time_ms": Bound(minimum=0),
    },
}
