"""The documents that are measured: valid, deterministic, built on the contract's own examples."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import kiln_contract as kc
from tests.bench.agent_request import UNICODE, agent_request
from tests.bench.measured_response import measured_response

ACTION_SHARE: Final = 0.75
"""Share of a provenance record's tokens that were generated."""

_VOCABULARY: Final = 151_936


@dataclass(frozen=True)
class Payload:
    """One document. `broken` has exactly one wrong value, or is empty where failing is not measured."""

    key: str
    title: str
    definition: str
    body: bytes
    broken: bytes = b""

    @property
    def type(self) -> Any:
        """The Struct it decodes to."""
        return kc.DEFINITIONS[self.definition]

    @property
    def is_request(self) -> bool:
        return self.definition == "ChatCompletionRequest"


@cache
def payloads() -> tuple[Payload, ...]:
    """All documents, the smallest first."""
    return (_small(), _agent(), _agent_beyond_ascii(), _response(), _provenance(), _long_provenance())


def example(definition: str) -> Any:
    """The first example of a definition, as a copy that may be changed."""
    return copy.deepcopy(kc.schema()["x-kiln-examples"][definition][0])


def text(value: Any) -> bytes:
    """Compact JSON, as HTTP clients send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _small() -> Payload:
    request = {"model": "example-model", **example("ChatCompletionRequest"), "temperature": 0.7}
    request["messages"][0]["content"] += " Answer with one digit."
    return Payload("a", f"chat request, {_size(request)}", "ChatCompletionRequest", text(request))


def _agent() -> Payload:
    request = agent_request(example("ChatCompletionRequest"))
    title = f"agent request, {_size(request)}"
    return Payload("b", title, "ChatCompletionRequest", text(request), text({**request, "n": 65}))


def _agent_beyond_ascii() -> Payload:
    request = agent_request(example("ChatCompletionRequest"), UNICODE)
    return Payload("b-utf8", "agent request, not all ASCII", "ChatCompletionRequest", text(request))


def _response() -> Payload:
    response = measured_response(example("ChatCompletionResponse"))
    title = f"response with performance, {_size(response)}"
    body = text(response)
    response["choices"][0]["finish_reason"] = "done"
    return Payload("c", title, "ChatCompletionResponse", body, text(response))


def _provenance() -> Payload:
    record = _record(2_000)
    body = text(record)
    record["action_tokens"][-1]["behavior_logprob"] = None
    return Payload("d2k", "provenance, 2,000 tokens", "RolloutProvenanceV1", body, text(record))


def _long_provenance() -> Payload:
    return Payload("d100k", "provenance, 100,000 tokens", "RolloutProvenanceV1", text(_record(100_000)))


def _record(tokens: int) -> Any:
    record = example("RolloutProvenanceV1")
    prompt = round(tokens * (1 - ACTION_SHARE))
    ids = [index * 7_919 % _VOCABULARY for index in range(tokens)]
    record.update(
        input_token_ids=ids,
        prompt_token_count=prompt,
        action_tokens=[_action(index, ids[index]) for index in range(prompt, tokens)],
    )
    return record


def _action(index: int, token: int) -> dict[str, Any]:
    logprob = -round(index * 37 % 1_009 / 211, 6)
    return {"sequence_index": index, "token_id": token, "source": "sampled", "behavior_logprob": logprob}


def _size(value: Any) -> str:
    size = len(text(value))
    return f"{size} B" if size < 1_000 else f"{size / 1_000:.1f} KB"
