"""Requests that are refused: the status, the code, and every violation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kiln_server.conftest import CONTEXT_LENGTH, Serve
from tests.kiln_server.live import Live
from tests.kiln_server.routes.scripted import BATCH, CHAT, HELLO, SCORE, chat, playing, refused

PROMPTS = [HELLO]
LONG = "?" * 2 * CONTEXT_LENGTH
"""Too long by any tokenizer here."""


@pytest.fixture(scope="module")
def live(serve: Serve) -> Iterator[Live]:
    with serve() as running:
        yield running


def ask(**members: Any) -> dict[str, Any]:
    return {"messages": HELLO, **members}


def rollout(**members: Any) -> dict[str, Any]:
    return ask(rollout_provenance=True, **members)


def score(**members: Any) -> dict[str, Any]:
    return {"prompt": [1, 2], "prompt_logprobs": 1, **members}


CASES: list[tuple[str, Any, int, str]] = [
    (CHAT, rollout(ignore_eos=True, stream=True), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(stream=True), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(n=2), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(tools=[{}]), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(tool_choice="auto"), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(tool_choice="auto", max_tokens=0), 501, "rollout_provenance_unavailable"),
    (CHAT, rollout(max_tokens=0), 400, "chat_invalid_request"),
    (CHAT, rollout(max_completion_tokens=0), 400, "chat_invalid_request"),
    (CHAT, rollout(temperature=-1), 400, "chat_invalid_request"),
    (CHAT, ask(n=0), 400, "chat_invalid_request"),
    (CHAT, ask(n=65), 400, "chat_invalid_request"),
    (CHAT, ask(n=2, stream=True), 400, "chat_invalid_request"),
    (CHAT, ask(n="2"), 422, "contract_violation"),
    (CHAT, ask(n=0, top_k=-1), 422, "contract_violation"),
    (CHAT, ask(adapters=[]), 400, "invalid_compose_request"),
    (CHAT, ask(adapters=[{"name": "a", "scale": 1}] * 17), 400, "invalid_compose_request"),
    (CHAT, ask(adapters=[{"name": "a", "scale": 1}], adapter=None), 400, "invalid_compose_request"),
    (CHAT, ask(adapter="../a"), 400, "invalid_adapter_name"),
    (CHAT, ask(adapters=[{"name": "a/b", "scale": 1}]), 400, "invalid_adapter_name"),
    (CHAT, ask(adapter="missing"), 404, "adapter_not_found"),
    (CHAT, ask(adapters=[{"name": "missing", "scale": 0.5}]), 404, "adapter_not_found"),
    (CHAT, ask(messages=[]), 400, "invalid_messages"),
    (CHAT, ask(chat_template_kwargs={"messages": []}), 400, "chat_invalid_request"),
    (CHAT, ask(messages=[{"role": "user", "content": LONG}]), 400, "context_length_exceeded"),
    (BATCH, {"prompts": []}, 400, "batch_invalid_request"),
    (BATCH, {"prompts": [[]]}, 400, "invalid_messages"),
    (BATCH, {"prompts": PROMPTS * 65}, 400, "batch_too_large"),
    (BATCH, {"prompts": PROMPTS * 33, "n": 2}, 400, "batch_too_large"),
    (BATCH, {"prompts": PROMPTS, "n": 65}, 400, "batch_invalid_request"),
    (BATCH, {"prompts": PROMPTS, "adapter": ""}, 400, "invalid_adapter_name"),
    (
        BATCH,
        {"prompts": PROMPTS, "adapter": "a", "adapters": [{"name": "a", "scale": 1}]},
        400,
        "invalid_compose_request",
    ),
    (SCORE, score(stream=True), 400, "completion_invalid_request"),
    (SCORE, score(n=2), 400, "completion_invalid_request"),
    (SCORE, score(max_tokens=2), 400, "completion_invalid_request"),
    (SCORE, score(prompt_logprobs=257), 400, "completion_invalid_request"),
    (SCORE, score(prompt=[]), 400, "completion_invalid_request"),
    (SCORE, score(prompt=[0] * 4097), 400, "completion_invalid_request"),
    (SCORE, score(prompt=[-1]), 422, "contract_violation"),
    (SCORE, score(model="other"), 400, "completion_invalid_request"),
    (SCORE, score(prompt=""), 400, "completion_invalid_request"),
    (SCORE, score(prompt=[1] * (CONTEXT_LENGTH + 1)), 400, "context_length_exceeded"),
    (SCORE, score(prompt=[99999]), 400, "completion_invalid_request"),
]


@pytest.mark.parametrize(("path", "request_", "status", "code"), CASES)
def test_refused(live: Live, path: str, request_: Any, status: int, code: str) -> None:
    assert refused(live, path, request_)[:2] == (status, code)


def test_a_backend_that_cannot_prove_its_tokens_says_so() -> None:
    with playing([["a"]]) as live:
        assert refused(live, CHAT, rollout())[:2] == (501, "rollout_provenance_unavailable")


SEEDS = ["18446744073709551616", "18446744073709552000", "19933688932870350000", "-1", "1e30"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_past_64_bits_is_refused_never_wrapped(live: Live, seed: str) -> None:
    body = json.dumps(ask()).encode()[:-1] + f', "seed": {seed}}}'.encode()
    status, code, found = refused(live, CHAT, body)
    assert (status, code, [pointer for pointer, _ in found]) == (422, "contract_violation", ["/seed"])


NUMBERS = ("temperature", "top_p", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400"])
@pytest.mark.parametrize("field", NUMBERS)
def test_numbers_that_are_none_never_reach_the_sampler(live: Live, field: str, literal: str) -> None:
    body = json.dumps(ask()).encode()[:-1] + f', "{field}": {literal}}}'.encode()
    assert refused(live, CHAT, body)[:2] == (400, "invalid_json")
    assert chat(live, temperature=0)["choices"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages":[{"role":"user","content":"hi"}],"max_tokens":1,"max_tokens":50}',
        b'{"messages":[{"role":"user","content":"a","content":"b"}],"stream":false,"stream":true}',
        b'{"messages":[{"role":"user","content":"cut \\ud83d"}]}',
        b'{"messages":[],"tools":["\\ud83d"]}',
        b'{"messages":[],"user":"\\ud83d"}',
        b'{"messages":[],"user":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"{} {}",
        b"[" * 200 + b"]" * 200,
        b"",
    ],
)
def test_unreadable(live: Live, body: bytes) -> None:
    status, code, found = refused(live, CHAT, body)
    assert (status, code) == (400, "invalid_json")
    assert all(rule.startswith("json.") for _, rule in found)


def test_a_pair_of_escapes_is_the_character(live: Live) -> None:
    escaped = b'{"messages":[{"role":"user","content":"cut \\ud83d\\ude00"}]}'
    answer = live.ask("POST", CHAT, body=escaped).json()
    same = chat(live, messages=[{"role": "user", "content": "cut 😀"}])
    assert answer["usage"]["prompt_tokens"] == same["usage"]["prompt_tokens"]


def test_every_violation_is_listed_without_its_value(live: Live) -> None:
    answer = live.ask("POST", CHAT, json={"messages": [{"role": 5, "content": "hunter2"}], "top_k": "hunter2"})
    error = answer.json()["error"]
    assert [(v["pointer"], v["got"]) for v in error["violations"]] == [
        ("/messages/0/role", "integer"),
        ("/top_k", "string"),
    ]
    assert "hunter2" not in answer.text


def test_values_are_shown_where_the_operator_allows_it() -> None:
    with playing([["a"]], settings={"error_values": True}) as live:
        answer = live.ask("POST", CHAT, json=ask(top_k="hunter2"))
        assert "hunter2" in answer.json()["error"]["violations"][0]["got"]


def test_a_long_prompt_in_the_middle_of_a_batch_is_named(live: Live) -> None:
    long = [{"role": "user", "content": LONG}]
    answer = live.ask("POST", BATCH, json={"prompts": [HELLO, long, HELLO], "n": 2, "max_tokens": 4})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "context_length_exceeded")
    assert "prompts[1]" in error["message"]
    assert all(number in error["message"] for number in (str(CONTEXT_LENGTH), "4"))
