"""Rollout provenance over a backend that batches and knows its content hashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from kiln_contract import provenance
from kiln_server.app import create_app
from kiln_server.backend import Adapter
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from tests.kiln_server.live import Live, serving
from tests.kiln_server.routes.scripted import CHAT, HELLO, chat, message, refused
from tests.kiln_server.services import ready_service

HASHES = (
    "base_model_sha256",
    "tokenizer_vocab_sha256",
    "tokenizer_config_sha256",
    "chat_template_sha256",
    "inference_config_sha256",
)
ENDLESS = {"prompt_tail": "<think>\n", "special": {"</think>": 300}, "answers": [["t"] * 40]}


def batching_mock(adapters: Sequence[Adapter] = ()) -> MockBackend:
    """The mock, as a backend that batches for real and can vouch for itself."""
    backend = MockBackend(parse(ENDLESS), adapters=adapters)
    hashes = {name: "sha256:" + f"{index:064x}" for index, name in enumerate(HASHES)}
    backend.capabilities = msgspec.structs.replace(backend.capabilities, batching=True)
    backend.identity = msgspec.structs.replace(backend.identity, **hashes)
    return backend


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving(create_app(ready_service(batching_mock()))) as running:
        yield running


def rollout(live: Live, **members: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    response = chat(live, rollout_provenance=True, max_tokens=16, **members)
    record: dict[str, Any] = response["choices"][0]["rollout_provenance"]
    return response, record


def test_the_record_can_be_verified(live: Live) -> None:
    response, record = rollout(live, seed=2**64 - 1)
    text = message(response)["content"]
    expected = provenance.Expected(base_model_sha256="sha256:" + "0" * 64)
    prompt = record["input_token_ids"][: record["prompt_token_count"]]
    found = provenance.verify(record, messages=HELLO, text=text, prompt_token_ids=prompt, expected=expected)
    assert found == []
    assert record["seed"] == 2**64 - 1
    assert len(record["action_tokens"]) == response["usage"]["completion_tokens"] == 16
    assert {action["source"] for action in record["action_tokens"]} == {"sampled"}
    wrong = provenance.verify(record, messages=[{"role": "user", "content": "other"}], text=text)
    assert [violation.rule for violation in wrong] == ["provenance.messages-hash"]


def test_a_forced_close_is_marked_and_uses_the_special_id(live: Live) -> None:
    response, record = rollout(live, thinking_budget_tokens=4)
    sources = [(action["token_id"], action["source"], action["behavior_logprob"]) for action in record["action_tokens"]]
    assert sources[4] == (300, "forced", None)
    assert [source for _, source, _ in sources].count("forced") == 1
    assert all(logprob is not None for _, source, logprob in sources if source == "sampled")
    assert record["sampling"]["thinking_budget"] == {"max_tokens": 4, "close_token_ids": [300]}
    assert response["choices"][0]["thinking_budget"]["triggered"] is True


def test_the_resolved_sampling_is_recorded(live: Live) -> None:
    _, record = rollout(live, temperature=0.6, stop=["zz", ""])
    sampling = record["sampling"]
    assert (sampling["temperature"], sampling["top_k"], sampling["presence_penalty"]) == (0.6, 20, 1.5)
    assert (sampling["max_tokens"], sampling["stop"]) == (16, ["zz"])


@pytest.mark.parametrize("greedy", [{"temperature": 0}, {"temperature": 9e-6}, {"temperature": 1, "top_k": 1}])
def test_of_a_greedy_choice_only_the_requests_own_penalties_are_recorded(live: Live, greedy: dict[str, float]) -> None:
    """A preset's do not apply to it, and a record says what was sampled with."""
    names = ("presence_penalty", "frequency_penalty", "repetition_penalty")
    for own, recorded in (({}, [0, 0, 1]), ({"frequency_penalty": 0.5}, [0, 0.5, 1])):
        _, record = rollout(live, **greedy, **own)
        assert [record["sampling"][name] for name in names] == recorded


@pytest.mark.parametrize(
    ("unknown", "members", "words"),
    [
        *((name, {}, "no content hash of its") for name in HASHES[1:]),
        (None, {"adapters": [{"name": "y", "scale": 0.5}, {"name": "z", "scale": 0.5}]}, "composition of adapters"),
    ],
)
def test_what_cannot_be_vouched_for_is_refused_before_any_work(
    unknown: str | None, members: dict[str, Any], words: str
) -> None:
    adapters = [Adapter(name, content_sha256="sha256:" + "a" * 64) for name in "yz"]
    backend = batching_mock(adapters)
    if unknown is not None:
        backend.identity = msgspec.structs.replace(backend.identity, **{unknown: None})
    with serving(create_app(ready_service(backend))) as live:
        answer = live.ask("POST", CHAT, json={"messages": HELLO, "rollout_provenance": True, **members})
        metrics = live.ask("GET", "/metrics").text
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (501, "rollout_provenance_unavailable")
    assert words in error["message"]
    assert "kiln_tokens_generated_total 0.0" in metrics


@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ({"n": 2}, 501, "rollout_provenance_unavailable"),
        ({"max_tokens": 0}, 400, "chat_invalid_request"),
        ({"max_tokens": 1, "thinking_budget_tokens": 4}, 400, "chat_invalid_request"),
        ({"top_p": 1.5}, 400, "chat_invalid_request"),
        ({"repetition_penalty": 0}, 400, "chat_invalid_request"),
    ],
)
def test_what_a_record_cannot_hold_is_refused(live: Live, members: dict[str, Any], status: int, code: str) -> None:
    request = {"messages": HELLO, "rollout_provenance": True, **members}
    assert refused(live, CHAT, request)[:2] == (status, code)
