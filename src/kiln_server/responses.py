"""Build the contract's responses from finished answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from kiln_contract import (
    BatchCompletionItem,
    BatchCompletionMetadata,
    BatchCompletionResponse,
    ChatCompletionMetadata,
    ChatCompletionPerformanceMetadata,
    ChatCompletionRequest,
    ChatCompletionResponse,
    ChatMessageOutput,
    Choice,
    ConfigHashes,
    RolloutProvenanceV1,
    ThinkingBudgetConfigurationMetadata,
    Usage,
)
from kiln_server.generation import Run
from kiln_server.plan import Plan
from kiln_server.random_hex import random_hex
from kiln_server.settings import Settings

CHAT_PREFIX = "chatcmpl-"
BATCH_PREFIX = "batchcmpl-"
SCORING_PREFIX = "cmpl-"

EmptyReason = Literal["no_content", "reasoning_without_final_content", "tool_call"]


def new_id(prefix: str) -> str:
    """An id of the contract's form."""
    return prefix + random_hex(16)


def now_s() -> int:
    """Whole seconds since the epoch."""
    return int(time.time())


def usage(prompt_tokens: int, completion_tokens: int) -> Usage:
    """Token counts with their sum."""
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        total_tokens=prompt_tokens + completion_tokens,
    )


def switched(asked: bool | UnsetType | None, default: bool) -> bool:
    """What a request's switch says, or the server's default when it leaves the choice."""
    return asked if isinstance(asked, bool) else default


def chat_response(
    request: ChatCompletionRequest,
    plan: Plan,
    runs: Sequence[Run],
    settings: Settings,
    *,
    hashes: ConfigHashes | None,
    provenance: Sequence[RolloutProvenanceV1],
    end_ns: int,
) -> ChatCompletionResponse:
    """A finished chat completion; `metadata` describes its first choice."""
    first = runs[0]
    fold = switched(request.fold_reasoning_into_content, settings.fold_reasoning_into_content)
    performance = switched(request.include_performance, settings.include_performance)
    prompt_tokens = len(first.task.prompt.ids)
    return ChatCompletionResponse(
        id=new_id(CHAT_PREFIX),
        object="chat.completion",
        created=now_s(),
        model=plan.model,
        choices=[
            Choice(
                index=index,
                message=_message(run, fold=fold),
                finish_reason=run.finish_reason,
                thinking_budget=run.outcome or UNSET,
                rollout_provenance=provenance[index] if provenance else UNSET,
            )
            for index, run in enumerate(runs)
        ],
        usage=usage(prompt_tokens, sum(run.num_tokens for run in runs)),
        metadata=ChatCompletionMetadata(
            thinking_enabled=first.task.prompt.inside_thinking,
            thinking_mode=thinking_mode(first),
            thinking_source=plan.thinking_source,
            default_thinking_enabled=_or_unset(settings.default_thinking_enabled),
            final_content_empty=not first.text.content,
            content_empty_reason=_empty_reason(first),
            reasoning_folded_into_content=fold and bool(first.text.reasoning),
            thinking_budget=first.budget_record,
            config_hashes=_or_unset(hashes),
            performance=performance_metadata(plan, runs, end_ns) if performance else UNSET,
        ),
    )


def batch_response(plan: Plan, runs: Sequence[Sequence[Run]], failed: set[tuple[int, int]]) -> BatchCompletionResponse:
    """A finished batch: `runs` by prompt, then by choice; `failed` holds the places of those that broke off."""
    items = [
        BatchCompletionItem(
            prompt_index=prompt,
            completion_index=choice,
            text=run.text.content,
            reasoning_content=run.text.reasoning or UNSET,
            tool_calls=[call.as_json() for call in run.text.tool_calls] or UNSET,
            finish_reason="error" if (prompt, choice) in failed else run.finish_reason,
            thinking_budget=run.outcome or UNSET,
            usage=usage(len(run.task.prompt.ids), run.num_tokens),
        )
        for prompt, choices in enumerate(runs)
        for choice, run in enumerate(choices)
    ]
    effective = plan.tasks[0].budget.effective
    return BatchCompletionResponse(
        id=new_id(BATCH_PREFIX),
        object="batch.completion",
        created=now_s(),
        model=plan.model,
        completions=items,
        usage=usage(
            sum(item.usage.prompt_tokens for item in items), sum(item.usage.completion_tokens for item in items)
        ),
        metadata=BatchCompletionMetadata(
            thinking_budget=ThinkingBudgetConfigurationMetadata(
                configured=effective.configured,
                max_tokens=effective.max_tokens,
                max_time_ms=effective.max_time_ms,
                tokens_source=effective.tokens_source,
                time_source=effective.time_source,
            )
        ),
    )


def performance_metadata(plan: Plan, runs: Sequence[Run], end_ns: int) -> ChatCompletionPerformanceMetadata:
    """Token counts over all choices, and the latency record of the first."""
    first = runs[0]
    timing = first.timing
    tokens = sum(run.num_tokens for run in runs)
    decode_ms = timing.phase_ms("actor_decode")
    ready = [run.timing.ttft_ms for run in runs if run.timing.ttft_ms is not None]
    return ChatCompletionPerformanceMetadata(
        prompt_tokens=len(first.task.prompt.ids),
        completion_tokens=tokens,
        ttft_ms=min(ready, default=None),
        prefill_ms=timing.phase_ms("actor_prefill"),
        actor_queue_ms=timing.phase_ms("actor_queue"),
        actor_admission_ms=timing.phase_ms("actor_admission"),
        actor_prefill_wall_ms=timing.phase_ms("actor_prefill"),
        resident_prefill_used=None,
        decode_ms=decode_ms,
        total_latency_ms=max(0, end_ns - timing.received_ns) / 1_000_000,
        decode_tokens_per_sec=None if decode_ms is None else tokens / decode_ms * 1000 if tokens and decode_ms else 0.0,
        adapter_used=plan.adapter_label,
        thinking_mode=thinking_mode(first),
        finish_reason=first.finish_reason,
        latency=timing.diagnostics(end_ns),
    )


def thinking_mode(run: Run) -> Literal["reasoning", "non_reasoning"]:
    """The mode that the rendered prompt asked the model for."""
    return "reasoning" if run.task.prompt.inside_thinking else "non_reasoning"


def _message(run: Run, *, fold: bool) -> ChatMessageOutput:
    text = run.text
    content = text.content
    if fold and text.reasoning:
        content = f"<think>\n{text.reasoning}</think>" + (f"\n\n{content}" if content else "")
    return ChatMessageOutput(
        role="assistant",
        content=content,
        reasoning_content=text.reasoning or UNSET,
        tool_calls=[call.as_json() for call in text.tool_calls] or UNSET,
    )


def _empty_reason(run: Run) -> EmptyReason | UnsetType:
    if run.text.content:
        return UNSET
    if run.text.reasoning:
        return "reasoning_without_final_content"
    return "tool_call" if run.text.tool_calls else "no_content"


def _or_unset(value: Any) -> Any:
    return UNSET if value is None else value
