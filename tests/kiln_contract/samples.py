"""Small valid documents that tests change in one place."""

from __future__ import annotations

import copy
from typing import Any

import kiln_contract as kc

HASHES = {letter: "sha256:" + letter * 64 for letter in "abcdef"}


def example(name: str, index: int = 0) -> Any:
    """One of the schema's own examples, as a copy that may be changed."""
    return copy.deepcopy(kc.schema()["x-kiln-examples"][name][index])


def chat_request(**members: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "hi"}], **members}


def text_request(**members: Any) -> dict[str, Any]:
    return {"prompt": [1, 2, 3], "prompt_logprobs": 1, **members}


def batch_response(*indices: tuple[int, int]) -> dict[str, Any]:
    """A batch response with one completion for each (prompt_index, completion_index)."""
    response = example("BatchCompletionResponse")
    item = response["completions"][0]
    response["completions"] = [{**item, "prompt_index": p, "completion_index": c} for p, c in indices]
    response["usage"] = {name: count * len(indices) for name, count in item["usage"].items()}
    return dict(response)


def provenance(tokens: int = 4, prompt: int = 2) -> dict[str, Any]:
    """A record of `tokens` ids, 100 upwards, of which the first `prompt` are the prompt."""
    record = example("RolloutProvenanceV1")
    record["input_token_ids"] = [100 + index for index in range(tokens)]
    record["prompt_token_count"] = prompt
    record["action_tokens"] = [
        {"sequence_index": index, "token_id": 100 + index, "source": "sampled", "behavior_logprob": -0.5}
        for index in range(prompt, tokens)
    ]
    return dict(record)


def entry(logprob: float, rank: int) -> dict[str, Any]:
    return {"logprob": logprob, "rank": rank, "decoded_token": "x"}
