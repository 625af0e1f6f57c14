"""Recorded traffic to check: documents and streams, good and broken, as bytes."""

from __future__ import annotations

import json
from typing import Any

from kiln_contract.sse import encode_data
from tests.kiln_contract.samples import example

PRIVATE = "the prompt nobody else may read"


def dump(*documents: Any) -> bytes:
    """JSON Lines; of one document, JSON."""
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def response(**members: Any) -> Any:
    """A conforming chat response, with members set or added."""
    return {**example("ChatCompletionResponse"), **members}


def request(**members: Any) -> Any:
    """A conforming chat request that `response` answers, with members set or added."""
    return {**example("ChatCompletionRequest"), **members}


def wrong_total() -> Any:
    """A response that breaks usage.total and nothing else."""
    return response(usage={"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 14})


def chunk(*choices: Any, **members: Any) -> Any:
    return {**example("ChatCompletionChunk"), "choices": list(choices), **members}


def stream(*events: Any, done: bool = True) -> bytes:
    """An event-stream body of these events and [DONE]."""
    return b"".join(encode_data(json.dumps(event)) for event in events) + (encode_data("[DONE]") if done else b"")


ROLE = chunk({"index": 0, "delta": {"role": "assistant"}})
DELTA = chunk({"index": 0, "delta": {"content": "Blue"}})
FINISH = chunk(
    {"index": 0, "delta": {}, "finish_reason": "stop"},
    metadata={"thinking_budget": response()["metadata"]["thinking_budget"]},
)
USAGE = chunk(usage={"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4})
ERROR = {"error": {"message": "m", "type": "server_error", "code": "c", "hint": "h", "param": None}}
COMPLETED = stream(ROLE, DELTA, FINISH)
FAILED = stream(ROLE, DELTA, ERROR)
UNFINISHED = stream(ROLE, DELTA)
