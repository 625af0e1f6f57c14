"""Documents for the semantic rules, written out: what each rule lets pass, and what it refuses where.

Members are set over the definition's smallest sample; ABSENT leaves one out. A refusal names its pointer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from codegen.entries import Repeat, RepeatText

Members = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """Documents of one rule over one definition."""

    accepted: tuple[Members, ...]
    refused: tuple[tuple[Members, str], ...]


_TOOLS: Final = [{"type": "function"}]
_ROLLOUT: Final[Members] = {"rollout_provenance": True}
_STOP_BYTES: Final = 16_384

_INVOCATION_BYTES: Final = 1_048_576
_TOOLS_AROUND: Final = len('{"tools":[""]}')
_CHOICE_AROUND: Final = len('{"tool_choice":""}')
_KWARGS_AROUND: Final = len('{"template_kwargs":{"key":""}}')


def _invocation(text: str, over: int) -> tuple[Members, ...]:
    """Invocations whose canonical JSON is `over` bytes longer than allowed, filled with an ASCII text."""
    room = _INVOCATION_BYTES + over
    return (
        {"tools": [RepeatText(text, room - _TOOLS_AROUND)]},
        {"tool_choice": RepeatText(text, room - _CHOICE_AROUND)},
        {"template_kwargs": {"key": RepeatText(text, room - _KWARGS_AROUND)}},
    )


def _usage(prompt: int, completion: int) -> Members:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _chat(index: int) -> Members:
    return {"index": index, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}


def _text(index: int) -> Members:
    return {"index": index, "text": "", "finish_reason": "stop"}


def _batch(*places: tuple[int, int], usage: Members | None = None) -> Members:
    item = {"text": "", "finish_reason": "stop", "usage": usage or _usage(0, 0)}
    return {"completions": [{"prompt_index": p, "completion_index": c, **item} for p, c in places]}


def _sampled(index: int, token: int = 0) -> Members:
    return {"sequence_index": index, "token_id": token, "source": "sampled", "behavior_logprob": -0.5}


def _forced(index: int, token: int) -> Members:
    return {"sequence_index": index, "token_id": token, "source": "forced", "behavior_logprob": None}


def _closing(*close: int) -> Members:
    """Sampling with a thinking budget that closes with these tokens."""
    return {
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": 0.0,
        "max_tokens": 1,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "stop": [],
        "thinking_budget": {"max_tokens": 1, "close_token_ids": list(close)},
    }


def _candidate(rank: int, logprob: float) -> Members:
    return {"logprob": logprob, "rank": rank, "decoded_token": "text"}


def _delays(delivery: float, handler: float, total: float) -> Members:
    return {"response_delivery_ms": delivery, "handler_queue_ms": handler, "queue_delay_ms": total}


_OUTCOME: Final[Members] = {
    "configured": True,
    "max_tokens": 0,
    "tokens_source": "request",
    "closed": True,
    "thinking_tokens": 0,
    "thinking_time_ms": 0,
}

CASES: Final[dict[str, dict[str, Case]]] = {
    "batch.outputs": {
        "BatchCompletionRequest": Case(
            accepted=(
                {"prompts": [[]], "n": 64},
                {"prompts": [[]] * 32, "n": 2},
                {"prompts": [[]] * 64, "n": None},
                {"prompts": [[]] * 64},
            ),
            refused=(
                ({"prompts": [[]] * 2, "n": 33}, ""),
                ({"prompts": [[]] * 13, "n": 5}, ""),
            ),
        ),
    },
    "rollout.no-tools": {
        "ChatCompletionRequest": Case(
            accepted=(
                {"tools": _TOOLS, "tool_choice": "auto"},
                {**_ROLLOUT, "tools": [], "tool_choice": None},
                {**_ROLLOUT, "tools": None},
            ),
            refused=(
                ({**_ROLLOUT, "tools": _TOOLS}, "/tools"),
                ({**_ROLLOUT, "tool_choice": "none"}, "/tool_choice"),
                ({**_ROLLOUT, "tool_choice": False}, "/tool_choice"),
            ),
        ),
    },
    "rollout.capacity": {
        "ChatCompletionRequest": Case(
            accepted=(
                {"max_completion_tokens": 0},
                {**_ROLLOUT, "max_completion_tokens": 1},
                {**_ROLLOUT, "max_tokens": 1, "max_completion_tokens": 0},
            ),
            refused=(
                ({**_ROLLOUT, "max_completion_tokens": 0}, "/max_completion_tokens"),
                ({**_ROLLOUT, "max_tokens": None, "max_completion_tokens": 0}, "/max_completion_tokens"),
            ),
        ),
    },
    "rollout.sampling": {
        "ChatCompletionRequest": Case(
            accepted=(
                {"temperature": -0.1, "top_p": 1.1, "repetition_penalty": 0, "stop": Repeat("x", 257)},
                {**_ROLLOUT, "temperature": 0, "top_p": 1, "min_p": 0, "repetition_penalty": 1e-06},
                {**_ROLLOUT, "presence_penalty": -2, "frequency_penalty": 2, "top_k": 4294967295},
                {**_ROLLOUT, "temperature": None, "top_p": None, "min_p": None, "top_k": None, "stop": None},
                {**_ROLLOUT, "stop": Repeat("x", 256)},
                # Empty stops never match; they are dropped before the record is written.
                {**_ROLLOUT, "stop": Repeat("", 257)},
                {**_ROLLOUT, "stop": RepeatText("é", _STOP_BYTES // 2)},
            ),
            refused=(
                ({**_ROLLOUT, "temperature": -1e-06}, "/temperature"),
                ({**_ROLLOUT, "top_p": -1e-06}, "/top_p"),
                ({**_ROLLOUT, "top_p": 1.000001}, "/top_p"),
                ({**_ROLLOUT, "min_p": -1e-06}, "/min_p"),
                ({**_ROLLOUT, "min_p": 1.000001}, "/min_p"),
                ({**_ROLLOUT, "repetition_penalty": 0}, "/repetition_penalty"),
                ({**_ROLLOUT, "presence_penalty": -2.000001}, "/presence_penalty"),
                ({**_ROLLOUT, "presence_penalty": 2.000001}, "/presence_penalty"),
                ({**_ROLLOUT, "frequency_penalty": -2.000001}, "/frequency_penalty"),
                ({**_ROLLOUT, "frequency_penalty": 2.000001}, "/frequency_penalty"),
                ({**_ROLLOUT, "stop": Repeat("x", 257)}, "/stop"),
                ({**_ROLLOUT, "stop": RepeatText("é", _STOP_BYTES // 2 + 1)}, "/stop"),
                ({**_ROLLOUT, "stop": ["x", RepeatText("x", _STOP_BYTES)]}, "/stop"),
            ),
        ),
    },
    "template-invocation.size": {
        "RolloutChatTemplateInvocationV1": Case(
            accepted=_invocation("x", 0),
            refused=(
                *((members, "") for members in _invocation("x", 1)),
                # Bytes are counted, not characters.
                ({"tools": [RepeatText("é", _INVOCATION_BYTES // 2)]}, ""),
            ),
        ),
    },
    "provenance.prompt-count": {
        "RolloutProvenanceV1": Case(
            accepted=({"input_token_ids": [0, 0, 0], "prompt_token_count": 2, "action_tokens": [_sampled(2)]},),
            refused=(({"input_token_ids": [0, 0], "prompt_token_count": 3}, "/prompt_token_count"),),
        ),
    },
    "provenance.action-order": {
        "RolloutProvenanceV1": Case(
            accepted=({"input_token_ids": [0, 0, 0, 0], "action_tokens": [_sampled(1), _sampled(3)]},),
            refused=(
                (
                    {"input_token_ids": [0, 0, 0], "action_tokens": [_sampled(2), _sampled(1)]},
                    "/action_tokens/1/sequence_index",
                ),
                (
                    {"input_token_ids": [0, 0, 0], "action_tokens": [_sampled(1), _sampled(1)]},
                    "/action_tokens/1/sequence_index",
                ),
                ({"input_token_ids": [0, 0], "action_tokens": [_sampled(0)]}, "/action_tokens/0/sequence_index"),
                ({"input_token_ids": [0, 0], "action_tokens": [_sampled(2)]}, "/action_tokens/0/sequence_index"),
            ),
        ),
    },
    "provenance.action-token": {
        "RolloutProvenanceV1": Case(
            accepted=({"input_token_ids": [5, 7], "action_tokens": [_sampled(1, 7)]},),
            refused=(({"input_token_ids": [5, 7], "action_tokens": [_sampled(1, 5)]}, "/action_tokens/0/token_id"),),
        ),
    },
    "provenance.sampled": {
        "RolloutProvenanceV1": Case(
            accepted=(
                {
                    "input_token_ids": [0, 0, 9],
                    "action_tokens": [_sampled(1), _forced(2, 9)],
                    "sampling": _closing(9),
                },
            ),
            refused=(
                (
                    {"input_token_ids": [0, 9], "action_tokens": [_forced(1, 9)], "sampling": _closing(9)},
                    "/action_tokens",
                ),
            ),
        ),
    },
    "provenance.forced": {
        "RolloutProvenanceV1": Case(
            accepted=(
                {
                    "input_token_ids": [0, 0, 8, 9],
                    "action_tokens": [_sampled(1), _forced(2, 8), _forced(3, 9)],
                    "sampling": _closing(9, 8),
                },
            ),
            refused=(
                (
                    {
                        "input_token_ids": [0, 0, 8],
                        "action_tokens": [_sampled(1), _forced(2, 8)],
                        "sampling": _closing(9),
                    },
                    "/action_tokens/1/token_id",
                ),
                # Without a budget nothing is ever forced.
                (
                    {"input_token_ids": [0, 0, 8], "action_tokens": [_sampled(1), _forced(2, 8)]},
                    "/action_tokens/1/token_id",
                ),
            ),
        ),
    },
    "sampling.stop-bytes": {
        "RolloutSamplingConfigV1": Case(
            accepted=({"stop": [RepeatText("x", _STOP_BYTES - 2), "é"]}, {"stop": [RepeatText("é", _STOP_BYTES // 2)]}),
            refused=(
                ({"stop": [RepeatText("x", _STOP_BYTES - 1), "é"]}, "/stop"),
                ({"stop": [RepeatText("é", _STOP_BYTES // 2), "x"]}, "/stop"),
            ),
        ),
    },
    "scoring.candidates": {
        "TextCompletionRequest": Case(
            accepted=(
                {"prompt": Repeat(0, 257), "prompt_logprobs": 255},
                {"prompt": Repeat(0, 4096), "prompt_logprobs": 15},
                {"prompt": "any text is counted by the server", "prompt_logprobs": 256},
            ),
            refused=(
                ({"prompt": Repeat(0, 257), "prompt_logprobs": 256}, ""),
                ({"prompt": Repeat(0, 4096), "prompt_logprobs": 16}, ""),
            ),
        ),
    },
    "usage.total": {
        "Usage": Case(
            accepted=(_usage(2, 3), _usage(2**64, 1)),
            refused=(
                ({**_usage(2, 3), "total_tokens": 6}, "/total_tokens"),
                ({**_usage(2**53, 1), "total_tokens": 2**53}, "/total_tokens"),
            ),
        ),
    },
    "usage.sum": {
        "BatchCompletionResponse": Case(
            accepted=({**_batch((0, 0), (0, 1), usage=_usage(2, 3)), "usage": _usage(4, 6)},),
            refused=(
                ({**_batch((0, 0), (0, 1), usage=_usage(2, 3)), "usage": _usage(2, 3)}, "/usage"),
                # The totals agree; the prompt was counted once.
                ({**_batch((0, 0), (0, 1), usage=_usage(2, 3)), "usage": _usage(2, 8)}, "/usage"),
            ),
        ),
    },
    "index.order": {
        "ChatCompletionResponse": Case(
            accepted=({"choices": [_chat(0), _chat(1)]},),
            refused=(
                ({"choices": [_chat(0), _chat(0)]}, "/choices/1/index"),
                ({"choices": [_chat(1), _chat(0)]}, "/choices/0/index"),
                ({"choices": [_chat(0), _chat(2)]}, "/choices/1/index"),
            ),
        ),
        "TextCompletionResponse": Case(
            accepted=({"choices": [_text(0)]},),
            refused=(({"choices": [_text(1)]}, "/choices/0/index"),),
        ),
        "BatchCompletionResponse": Case(
            accepted=(_batch((0, 0), (0, 1), (1, 0), (1, 1)), _batch((0, 0), (1, 0))),
            refused=(
                (_batch((1, 0)), "/completions/0/prompt_index"),
                (_batch((0, 1)), "/completions/0/completion_index"),
                (_batch((0, 0), (0, 0)), "/completions/1/completion_index"),
                (_batch((0, 0), (1, 0), (0, 1), (1, 1)), "/completions/1/prompt_index"),
                (_batch((0, 0), (0, 1), (1, 0)), "/completions"),
            ),
        ),
    },
    "budget.outcome-applied": {
        "thinking_budget.record": Case(
            accepted=({}, {**_OUTCOME, "applied": True}),
            refused=(
                ({**_OUTCOME, "applied": False}, "/applied"),
                ({**_OUTCOME, "applied": False, "triggered": True, "trigger": "time"}, "/applied"),
            ),
        ),
    },
    "timing.queue-delay": {
        "StreamingTokenTiming": Case(
            accepted=(_delays(1.0, 2.0, 3.002), _delays(1.0, 2.0, 2.998), _delays(0.125, 0.25, 0.375)),
            refused=(
                (_delays(1.0, 2.0, 3.0021), "/queue_delay_ms"),
                (_delays(1.0, 2.0, 2.9979), "/queue_delay_ms"),
            ),
        ),
    },
    "logprobs.entries": {
        "TextCompletionChoice": Case(
            accepted=(
                {"prompt_logprobs": [None, {"5": _candidate(1, -0.5), "7": _candidate(2, -0.5)}]},
                # The observed token stands beside the best ones, however far down it ranks.
                {"prompt_logprobs": [None, {"5": _candidate(1, -0.5), "7": _candidate(900, -9.0)}]},
            ),
            refused=(
                ({"prompt_logprobs": [{"5": _candidate(1, -0.5)}]}, "/prompt_logprobs/0"),
                ({"prompt_logprobs": [None, None]}, "/prompt_logprobs/1"),
                ({"prompt_logprobs": [None, {}]}, "/prompt_logprobs/1"),
                (
                    {"prompt_logprobs": [None, {"5": _candidate(1, -0.5), "7": _candidate(1, -0.5)}]},
                    "/prompt_logprobs/1",
                ),
                (
                    {"prompt_logprobs": [None, {"5": _candidate(2, -0.5), "7": _candidate(1, -0.75)}]},
                    "/prompt_logprobs/1",
                ),
            ),
        ),
    },
}

PLAIN_NAMES: Final = ("text", "adapter-1.5_b", "a.b", ".hidden", "a b")
"""What an adapter may be called."""

PATHS: Final = (".", "..", "a..b", "/text", "a/b", "a\\b", "a\u0000b", "a\nb", "a\u007fb", "a\u0085b")
"""What no adapter may be called."""


def identity_texts(max_bytes: int) -> tuple[str, ...]:
    """Texts that an identity may be, up to its last byte."""
    return ("a b", "é" * (max_bytes // 2), "x" * max_bytes)


def untrimmed_or_long(max_bytes: int) -> tuple[str, ...]:
    """Texts that the pattern lets pass and the rule does not."""
    return (" text", "text ", "\u00a0text", "a\u0080b", "a\u009fb", "é" * (max_bytes // 2) + "x")


BEYOND_DOUBLE: Final = 10**309
"""An integer that JSON can write and no double can hold."""
