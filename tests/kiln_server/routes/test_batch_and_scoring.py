"""Batches and prompt log-probabilities on a real socket."""

from __future__ import annotations

from typing import Any

import pytest

import kiln_contract as kc
from tests.kiln_server.live import Live
from tests.kiln_server.routes.scripted import BATCH, HELLO, SCORE, playing, refused

LOWEST = -3.4028234663852886e38
EIGHT = [[4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]]


def batch(live: Live, **members: Any) -> dict[str, Any]:
    request = {"prompts": [HELLO], **members}
    answer = live.ask("POST", BATCH, json=request)
    assert answer.status_code == 200, answer.text
    response: dict[str, Any] = answer.json()
    assert kc.validate_exchange(request, response) == []
    return response


def score(live: Live, **members: Any) -> list[Any]:
    request = {"prompt": [3, 0, 2, 6], "prompt_logprobs": 2, **members}
    answer = live.ask("POST", SCORE, json=request)
    assert answer.status_code == 200, answer.text
    response = answer.json()
    assert kc.validate_exchange(request, response) == []
    assert response["system_fingerprint"] is None
    entries: list[Any] = response["choices"][0]["prompt_logprobs"]
    return entries


def test_items_come_in_prompt_order_and_sum_up() -> None:
    with playing([["a"], ["b", "b"], ["c"], ["d"]]) as live:
        response = batch(live, prompts=[HELLO, HELLO], n=2)
    places = [(item["prompt_index"], item["completion_index"], item["text"]) for item in response["completions"]]
    assert places == [(0, 0, "a"), (0, 1, "bb"), (1, 0, "c"), (1, 1, "d")]
    assert response["usage"]["completion_tokens"] == 2 + 3 + 2 + 2


def test_a_failing_item_is_marked_and_keeps_its_text() -> None:
    with playing([["a"], ["b", "c", "d"]], fail_after=2) as live:
        response = batch(live, prompts=[HELLO, HELLO])
    assert [(item["finish_reason"], item["text"]) for item in response["completions"]] == [
        ("stop", "a"),
        ("error", "bc"),
    ]


def test_ranks_are_not_renumbered() -> None:
    with playing(logits=EIGHT) as live:
        entries = score(live)
        assert entries[0] is None
        ranks = [{key: entry["rank"] for key, entry in each.items()} for each in entries[1:]]
        assert ranks == [{"0": 1, "1": 2}, {"0": 1, "1": 2, "2": 3}, {"0": 1, "1": 2, "6": 7}]
        assert [list(each) for each in score(live, prompt_logprobs=0)[1:]] == [["0"], ["2"], ["6"]]


@pytest.mark.parametrize("top_k", [9, 256])
def test_more_candidates_than_the_vocabulary_are_refused(top_k: int) -> None:
    with playing(logits=EIGHT) as live:
        request = {"prompt": [1, 2], "prompt_logprobs": top_k}
        assert refused(live, SCORE, request)[:2] == (400, "completion_invalid_request")


def test_masked_candidates_and_broken_rows() -> None:
    masked = ["-inf"] * 320
    first = list(masked)
    for id_, logit in ((42, 1.0), (7, 0.5), (9, 0.0)):
        first[id_] = logit  # type: ignore[call-overload]
    second = [0.0] * 320
    second[314] = "-inf"  # type: ignore[call-overload]
    with playing(logits=[first, second]) as live:
        entries = score(live, prompt=[1, 42, 314], prompt_logprobs=5)
        assert set(entries[1]) == {"42", "7", "9"}
        assert entries[2]["314"]["logprob"] == pytest.approx(LOWEST)
        assert entries[2]["314"]["rank"] >= 1
    broken = [0.0] * 320
    broken[5] = "nan"  # type: ignore[call-overload]
    with playing(logits=[first, broken]) as live:
        request = {"prompt": [1, 42, 314], "prompt_logprobs": 5}
        assert refused(live, SCORE, request)[:2] == (500, "generation_error")
        assert score(live, prompt=[1, 42], prompt_logprobs=5)


def test_text_prompts_are_encoded_and_split_characters_resolved() -> None:
    with playing(logits=[[0.0] * 300]) as live:
        entries = score(live, prompt="é!", prompt_logprobs=0)
        assert [next(iter(entry.values()))["decoded_token"] for entry in entries[1:]] == ["é", "!"]
