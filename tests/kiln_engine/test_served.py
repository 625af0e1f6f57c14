"""The engine behind the real server on a real socket, over scripted logits: what HTTP clients see of its work."""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from kiln_contract import provenance
from kiln_engine.assembly import Assembled
from kiln_engine.backend import EngineBackend
from kiln_engine.trace import PHASES
from kiln_server.app import create_app
from kiln_server.backend import Capabilities, Identity, TextAssets
from kiln_server.backends.bytes_tokenizer import EOS_ID, EOS_TEXT, BytesTokenizer
from kiln_server.backends.turns import add_marks, chat_template
from tests.kiln_engine.scripted import ScriptedModel, engine_of
from tests.kiln_server.crowd import Answered, Visit, crowd
from tests.kiln_server.live import Live, serving, wait_until
from tests.kiln_server.services import new_service

CHAT = "/v1/chat/completions"
HELLO = [{"role": "user", "content": "x"}]
CLOSE_ID = 300
CONTEXT = 512


HASHES = (
    "base_model_sha256",
    "tokenizer_vocab_sha256",
    "tokenizer_config_sha256",
    "chat_template_sha256",
    "inference_config_sha256",
)


class Scene:
    """A server over an engine over a script, and what it holds."""

    def __init__(self, live: Live, backend: EngineBackend, model: ScriptedModel) -> None:
        self.live = live
        self.backend = backend
        self.model = model

    def chat(self, **members: Any) -> dict[str, Any]:
        response = self.live.ask("POST", CHAT, json={"messages": HELLO, **members})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def rollout(self, **members: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """An answer, and the actions of its verified record."""
        answer = self.chat(rollout_provenance=True, **members)
        record = answer["choices"][0]["rollout_provenance"]
        text = answer["choices"][0]["message"].get("content")
        assert provenance.verify(record, messages=HELLO, text=text) == []
        actions: list[dict[str, Any]] = record["action_tokens"]
        return answer, actions

    def play(self, rows: Sequence[dict[int, float]]) -> None:
        """Row i is about the i-th generated token of an answer to `HELLO`, the last one about all that follow."""
        num_prompt = self.chat(max_tokens=0)["usage"]["prompt_tokens"]
        told = [logits_of(row, self.model.vocab_size) for row in rows]
        self.model.play([told[0]] * (num_prompt - 1) + told)

    def wait_until_free(self) -> None:
        wait_until(lambda: self.backend.stats().running == 0 and self.backend.stats().blocks_used == 0)


def logits_of(logits: dict[int, float], vocab_size: int) -> list[float]:
    row = [-60.0] * vocab_size
    for token_id, logit in logits.items():
        row[token_id] = logit
    return row


@contextmanager
def scene(*, prompt_tail: str = "", step_s: float = 0.0) -> Iterator[Scene]:
    """A model that says `a` for ever, until it is given something to play."""
    tokenizer = BytesTokenizer({"</think>": CLOSE_ID})
    add_marks(tokenizer)
    text = TextAssets(tokenizer=tokenizer, chat_template=chat_template(prompt_tail), eos_token=EOS_TEXT)
    hashes = dict.fromkeys(HASHES, "sha256:" + "0" * 64)
    identity = Identity(served_model_id="s", implementation="scripted", generation_backend="engine", **hashes)
    can = Capabilities(context_length=CONTEXT, vocab_size=tokenizer.vocab_size, batching=True, phases=PHASES)
    model = ScriptedModel([logits_of({97: 1.0}, tokenizer.vocab_size)], lambda _: time.sleep(step_s))
    engine = engine_of(model, num_blocks=256, eos_ids=[EOS_ID], clock=time.monotonic_ns)
    backend = EngineBackend("scripted logits", lambda _: Assembled(engine, can, identity, text))
    service = new_service(backend)
    with serving(create_app(service)) as live:
        live.run(lambda: backend.start(lambda _: None))
        service.lifecycle.loaded()
        try:
            yield Scene(live, backend, model)
        finally:
            live.run(backend.close)


@pytest.fixture(scope="module")
def thinking() -> Iterator[Scene]:
    with scene(prompt_tail="<think>\n") as running:
        yield running


PLAIN = {
    "temperature": 0.6,
    "top_p": 1,
    "top_k": 0,
    "min_p": 0,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "repetition_penalty": 1,
}


class TestProvenance:
    LOGITS: ClassVar = {97: 2.0, 98: 1.0, 99: 0.5}

    @pytest.mark.parametrize(
        ("members", "kept"), [({}, (97, 98, 99)), ({"top_k": 2}, (97, 98)), ({"temperature": 2.0}, (97, 98, 99))]
    )
    def test_log_probabilities_are_of_the_distribution_that_was_drawn_from(
        self, thinking: Scene, members: dict[str, Any], kept: tuple[int, ...]
    ) -> None:
        thinking.play([self.LOGITS])
        values = PLAIN | members
        _, actions = thinking.rollout(seed=1, max_tokens=8, **values)
        weights = {token: math.exp(self.LOGITS[token] / values["temperature"]) for token in kept}
        for action in actions:
            expected = math.log(weights[action["token_id"]] / sum(weights.values()))
            assert action["behavior_logprob"] == pytest.approx(expected, abs=1e-4)
        assert len({action["token_id"] for action in actions}) > 1

    def test_penalties_are_part_of_the_distribution(self, thinking: Scene) -> None:
        thinking.play([self.LOGITS])
        _, actions = thinking.rollout(seed=3, max_tokens=8, **PLAIN | {"presence_penalty": 1.5})
        seen: set[int] = set()
        for action in actions:
            logits = {token: logit - 1.5 * (token in seen) for token, logit in self.LOGITS.items()}
            weights = {token: math.exp(logit / 0.6) for token, logit in logits.items()}
            expected = math.log(weights[action["token_id"]] / sum(weights.values()))
            assert action["behavior_logprob"] == pytest.approx(expected, abs=1e-4)
            seen.add(action["token_id"])

    def test_greedy_choices_were_certain(self, thinking: Scene) -> None:
        thinking.play([self.LOGITS])
        _, actions = thinking.rollout(temperature=0, max_tokens=4)
        assert [action["behavior_logprob"] for action in actions] == [0.0] * 4

    @pytest.mark.parametrize(("num_thinking", "triggered"), [(6, False), (9, False), (10, False), (11, True)])
    def test_a_budget_stops_counting_when_the_model_closes_by_itself(
        self, thinking: Scene, num_thinking: int, triggered: bool
    ) -> None:
        thinking.play([{116: 9.0}] * num_thinking + [{CLOSE_ID: 9.0}] + [{97: 9.0}] * 20 + [{EOS_ID: 9.0}])
        answer, actions = thinking.rollout(temperature=0, thinking_budget_tokens=10, max_tokens=64)
        ids = [action["token_id"] for action in actions]
        assert answer["choices"][0]["thinking_budget"]["triggered"] is triggered
        assert ids.count(CLOSE_ID) == (2 if triggered else 1)
        forced = [index for index, action in enumerate(actions) if action["source"] == "forced"]
        assert forced == ([10] if triggered else [])
        if not triggered:
            assert answer["choices"][0]["message"]["content"] == "a" * 20
            assert ids[-1] == EOS_ID

    def test_a_forced_close_is_the_special_token(self, thinking: Scene) -> None:
        thinking.play([{116: 9.0}])
        _, actions = thinking.rollout(thinking_budget_tokens=4, max_tokens=16)
        assert [(a["token_id"], a["behavior_logprob"]) for a in actions if a["source"] == "forced"] == [
            (CLOSE_ID, None)
        ]
        assert actions[4]["source"] == "forced"
        assert all(math.isfinite(a["behavior_logprob"]) for a in actions if a["source"] == "sampled")


class TestLatency:
    def test_steps_are_part_of_the_record(self, thinking: Scene) -> None:
        answer = thinking.chat(max_tokens=5, include_performance=True, temperature=0)
        phases = answer["metadata"]["performance"]["latency"]["phases"]
        measured = {"prefill_ms", "decode_ms", "sampling_ms", "readback_ms", "actor_queue_ms", "actor_admission_ms"}
        assert all(phases[name] is not None for name in measured)
        assert phases["graph_replay_ms"] is phases["synchronization_ms"] is None

    def test_a_stream_knows_what_each_token_waited_for(self) -> None:
        with scene(step_s=0.02) as running:
            members = {"stream": True, "include_performance": True, "max_tokens": 5, "temperature": 0}
            response = running.live.ask("POST", CHAT, json={"messages": HELLO, **members})
        events = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
        timings = [event for event in events if event["object"] == "kiln.token_timing"]
        assert [timing["blocking_phase"] for timing in timings] == [None] + ["actor_decode"] * 4
        assert all(timing["blocking_phase_ms"] >= 15 for timing in timings[1:])
        assert {timing["source"] for timing in timings} == {"batching_engine"}


class TestLeaving:
    def test_clients_that_leave_hurt_nobody_else(self) -> None:
        members = {"max_tokens": 64, "ignore_eos": True, "temperature": 0}
        dice = random.Random(5)  # noqa: S311 - a test's dice
        with scene(step_s=0.001) as running:
            alone = running.chat(**members)["choices"][0]["message"]["content"]
            for _ in range(10):
                leaving = [Visit("long", stream, dice.uniform(0.005, 0.06)) for stream in (True, False)]
                staying = [Visit("long", stream) for stream in (True, True, False)]
                *_, a, b, c = asyncio.run(crowd(running.live.port, leaving + staying, **members))
                assert [a, b, c] == [Answered(200, alone)] * 3
            running.wait_until_free()

    def test_work_stops_within_two_steps(self) -> None:
        with scene(step_s=0.01) as running:
            call = Visit("long", stream=True, leaves_after_s=0.1)
            asyncio.run(crowd(running.live.port, [call], max_tokens=400, ignore_eos=True))
            running.wait_until_free()
            assert running.model.num_rows < 100
