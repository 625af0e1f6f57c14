"""A chat response that carries everything a server can measure about it."""

from __future__ import annotations

from typing import Any, Final

import kiln_contract as kc

_ANSWER: Final = "Check the left side first, then the right one; both agree, so “four” is right. "
_INTEGERS: Final = ("_tokens", "_count", "_samples")


def measured_response(base: dict[str, Any]) -> dict[str, Any]:
    """A smaller valid response with reasoning, a thinking budget and full timings added."""
    outcome = {"triggered": False, "closed": True, "thinking_tokens": 60, "thinking_time_ms": 812}
    choice = base["choices"][0]
    message = {**choice["message"], "content": _ANSWER * 14, "reasoning_content": _ANSWER * 8}
    limits = {"configured": True, "max_tokens": 512, "tokens_source": "request", "time_source": "unlimited"}
    metadata = {
        **base["metadata"],
        "thinking_enabled": True,
        "thinking_mode": "reasoning",
        "thinking_budget": {**limits, "applied": True, **outcome},
        "performance": _performance(),
    }
    return {
        **base,
        "choices": [{**choice, "message": message, "thinking_budget": outcome}],
        "usage": {"prompt_tokens": 42, "completion_tokens": 141, "total_tokens": 183},
        "metadata": metadata,
    }


def _performance() -> dict[str, Any]:
    latency = {
        **_measured(kc.RequestLatencyDiagnostics),
        "gap_samples_truncated": False,
        "stall_reasons": dict.fromkeys(kc.LatencyStallReasonCounts.__struct_fields__, 0) | {"actor_decode": 2},
        "phases": {**_measured(kc.LatencyPhaseTimings), "adapter_ms": None, "training_ms": None},
    }
    return {
        **_measured(kc.ChatCompletionPerformanceMetadata),
        "resident_prefill_used": True,
        "adapter_used": "base",
        "thinking_mode": "reasoning",
        "finish_reason": "stop",
        "latency": latency,
    }


def _measured(struct: Any) -> dict[str, Any]:
    """A number for every member: a count where the name says so, else milliseconds."""
    return {
        name: 140 - index if name.endswith(_INTEGERS) else round(0.137 * (index + 2) ** 2, 3)
        for index, name in enumerate(struct.__struct_fields__)
    }
