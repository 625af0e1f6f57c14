from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import pytest

from kiln_server.backend import Adapter, AdapterRef, Backend, BackendError, Generation, Sampling, TokenEvent
from kiln_server.backends import turns
from kiln_server.backends.mock import MockBackend, create
from kiln_server.testing import BackendContract, CountingGate, collect

from .jobs import GREEDY, job, mock, read_until_failure, scoring

pytestmark = pytest.mark.anyio


async def answer(backend: Backend, **changes: Any) -> str:
    """The text of one answer, EOS left out."""
    return text(backend, await collect(backend, job(**changes)))


def text(backend: Backend, events: Sequence[TokenEvent]) -> str:
    return b"".join(backend.text.tokenizer.token_bytes(event.token_id) for event in events).decode()


def ids(events: Sequence[TokenEvent]) -> list[int]:
    return [event.token_id for event in events]


def user_prompt(backend: Backend, said: str) -> tuple[int, ...]:
    special = backend.text.tokenizer.special_ids
    return (special[turns.START], *f"user\n{said}".encode(), special[turns.END])


# Contract


class TestEcho(BackendContract):
    def create(self) -> Backend:
        return MockBackend()


class TestScripted(BackendContract):
    def create(self) -> Backend:
        return mock(answers=[["Hello", " ", "you", "!"]])


class TestSampled(BackendContract):
    def create(self) -> Backend:
        return mock(logits=[[math.sin(7 * index) for index in range(300)], [0.0] * 300])


class TestNarrow(BackendContract):
    """Fewer logits than the tokenizer has ids."""

    def create(self) -> Backend:
        return mock(logits=[[0.0, 1.0, float("-inf"), 2.0]])


class TestSlow(BackendContract):
    def create(self) -> Backend:
        return mock(answers=[["Hello"]], delay_ms=1)


# Scripts


async def test_one_entry_is_one_token_and_the_end_is_an_eos_that_counts() -> None:
    backend = mock(answers=[["ok ", {"hex": "f09f"}, {"hex": "98"}, {"hex": "80"}, "!"]])
    events = await collect(backend, job())
    assert ids(events) == [257, 258, 0x98, 0x80, ord("!"), 256]
    assert text(backend, events) == "ok 😀!"
    assert [event.finish for event in events] == [None] * 5 + ["eos"]


async def test_an_eos_inside_a_list_ends_the_answer_unless_ignored() -> None:
    backend = mock(answers=[["a", "<eos>", "b"]])
    assert ids(await collect(backend, job())) == [97, 256]
    ignored = await collect(backend, job(ignore_eos=True, max_tokens=5))
    assert ids(ignored) == [97, 256, 98, 256, 256]
    assert ignored[-1].finish == "length"


async def test_max_tokens_cuts() -> None:
    backend = mock(answers=[["a", "b", "c"]])
    events = await collect(backend, job(max_tokens=2))
    assert ids(events) == [97, 98]
    assert events[-1].finish == "length"
    assert (await collect(backend, job(max_tokens=4)))[-1].finish == "eos"


async def test_a_forced_token_consumes_its_entry() -> None:
    backend = mock(answers=[["a", "b", "c", "d"]])
    events = await collect(backend, job(gate=CountingGate(88, frozenset({1, 2}))))
    assert text(backend, events) == "aXXd"


async def test_even_the_end_of_the_list_is_consumed() -> None:
    backend = mock(answers=[["a"]])
    events = await collect(backend, job(gate=CountingGate(88, frozenset({1, 2}))))
    assert ids(events) == [97, 88, 88, 256]


@pytest.mark.parametrize("fail_after", [0, 1, 3])
async def test_fail_after_gives_that_many_tokens_first(fail_after: int) -> None:
    backend = mock(answers=[["a", "b", "c", "d"]], fail_after=fail_after)
    for _ in range(2):
        seen, message = await read_until_failure(backend.generate(job()))
        assert seen == [97, 98, 99][:fail_after]
        assert message == f"the script fails every answer after {fail_after} tokens"
    assert backend.stats().running == 0


async def test_an_answer_that_ends_in_time_does_not_fail() -> None:
    backend = mock(answers=[["a", "b"]], fail_after=3)
    assert ids(await collect(backend, job())) == [97, 98, 256]
    assert ids(await collect(mock(answers=[["a", "b"]], fail_after=1), job(max_tokens=1))) == [97]


# Which answer


async def test_answers_are_dealt_in_turn() -> None:
    backend = mock(answers=[["a"], ["b"], ["c"]])
    assert [await answer(backend) for _ in range(7)] == list("abcabca")


async def test_the_order_of_calls_counts_not_that_of_first_tokens() -> None:
    backend = mock(answers=[["a"], ["b"], ["c"], ["d"]])
    started = [backend.generate(job(choice=choice)) for choice in range(4)]
    said = {}
    for choice in (2, 0, 3, 1):
        said[choice] = text(backend, [event async for batch in started[choice] for event in batch])
    assert said == {0: "a", 1: "b", 2: "c", 3: "d"}


async def test_concurrent_choices_keep_their_answers() -> None:
    backend = mock(answers=[[str(index)] * (10 - index) for index in range(8)], delay_ms=1)
    said: dict[int, str] = {}

    async def run(choice: int, batches: AsyncGenerator[Sequence[TokenEvent], None]) -> None:
        said[choice] = text(backend, [event async for batch in batches for event in batch])

    async with anyio.create_task_group() as tasks:
        for choice in range(8):
            tasks.start_soon(run, choice, backend.generate(job(choice=choice)))
    assert said == {index: str(index) * (10 - index) for index in range(8)}


async def test_scoring_does_not_count_and_a_closed_answer_does() -> None:
    backend = mock(answers=[["a"], ["b"], ["c"]])
    assert await answer(backend) == "a"
    await backend.score(scoring((1, 2), 1))
    await backend.generate(job()).aclose()
    assert await answer(backend) == "c"


# Echo


async def test_without_a_script_the_last_user_message_comes_back() -> None:
    backend = MockBackend()
    prompt_ids = (*user_prompt(backend, "first"), *user_prompt(backend, "grüß 😀"), *b"assistant\n")
    assert await answer(backend, prompt_ids=prompt_ids) == "grüß 😀"
    assert await answer(backend, prompt_ids=tuple(b"no turns")) == ""


async def test_a_script_of_settings_alone_echoes_too() -> None:
    backend = mock(context_length=100, delay_ms=0.1)
    assert backend.capabilities.context_length == 100
    assert await answer(backend, prompt_ids=user_prompt(backend, "hi")) == "hi"


# Batches, time and cancellation


async def sizes(backend: Backend, **changes: Any) -> list[int]:
    return [len(batch) async for batch in backend.generate(job(**changes))]


async def test_tokens_that_cost_nothing_come_together_and_others_one_by_one() -> None:
    plain = mock(answers=[["a"] * 100])
    assert await sizes(plain, max_tokens=90) == [64, 26]
    assert await sizes(plain, max_tokens=16) == [16]
    assert await sizes(plain, max_tokens=3, gate=CountingGate()) == [1, 1, 1]
    assert await sizes(mock(logits=[[0.0] * 9]), max_tokens=3) == [1, 1, 1]
    assert await sizes(mock(delay_ms=0.1), max_tokens=1) == [1]


async def test_a_gate_sees_no_token_that_nobody_asked_for() -> None:
    gate = CountingGate()
    async with aclosing(mock(answers=[["a"] * 100]).generate(job(gate=gate))) as batches:
        await anext(batches)
        await anext(batches)
    assert len(gate.taken) == 2


async def test_delay_goes_before_each_token_and_neighbours_do_not_wait_for_each_other() -> None:
    backend = mock(answers=[["a", "b", "c"]], delay_ms=20)
    began = anyio.current_time()
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(collect, backend, job())
    took = anyio.current_time() - began
    assert 0.08 <= took < 0.7  # four tokens each, not forty


async def test_cancellation_in_the_middle_of_a_delay() -> None:
    backend = mock(answers=[["a"]], delay_ms=60_000)
    with anyio.move_on_after(0.02) as scope:
        await collect(backend, job())
    assert scope.cancelled_caught
    assert backend.stats().running == 0


async def test_a_consumer_that_leaves_early_frees_its_place() -> None:
    backend = mock(answers=[["a"] * 1000])
    many = [backend.generate(job(max_tokens=900)) for _ in range(50)]
    for batches in many:
        await anext(batches)
    assert backend.stats().running == 50
    for batches in many:
        await batches.aclose()
    assert backend.stats().running == 0


# Sampling


async def test_logits_are_sampled_position_by_position() -> None:
    rows = [[0.0] * 300 for _ in range(3)]
    for row, token_id in zip(rows, b"xyz", strict=True):
        row[token_id] = 9.0
    backend = mock(logits=rows)
    assert await answer(backend, sampling=GREEDY, max_tokens=5) == "xyzzz"


async def test_what_is_sampled_depends_on_seed_and_choice_alone() -> None:
    backend = mock(logits=[[0.0] * 256])
    alone = [ids(await collect(backend, job(seed=5, choice=choice))) for choice in (0, 1)]
    assert alone[0] != alone[1]
    assert alone[0] != ids(await collect(backend, job(seed=6)))
    together: list[list[int]] = []

    async def run(seed: int) -> None:
        events = await collect(backend, job(seed=seed))
        if seed == 5:
            together.append(ids(events))

    async with anyio.create_task_group() as tasks:
        for seed in (5, 1, 5, 2, 5):
            tasks.start_soon(run, seed)
    assert together == [alone[0]] * 3


async def test_penalties_count_what_was_generated_forced_tokens_included() -> None:
    backend = mock(logits=[[0, 0, 0, 0, 0, 2.0, 1.5, 0]])
    sampling = Sampling(temperature=0, presence_penalty=1.0, penalise_greedy=True)
    assert ids(await collect(backend, job(prompt_ids=(5,), sampling=sampling, max_tokens=2))) == [5, 6]
    forced = CountingGate(5, frozenset({0}))
    assert ids(await collect(backend, job(sampling=sampling, max_tokens=2, gate=forced))) == [5, 6]


async def test_ids_without_a_token_are_never_sampled() -> None:
    backend = mock(logits=[[0.0] * 256 + [-9.0] * 4 + [5.0] * 40], special={"</think>": 299})
    drawn = await collect(backend, job(max_tokens=64, ignore_eos=True, logprobs=True))
    assert set(ids(drawn)) <= {*range(259), 299}
    greedy = await collect(backend, job(sampling=GREEDY, max_tokens=1))
    assert ids(greedy) == [299]
    assert backend.capabilities.vocab_size == 300


async def test_log_probabilities_are_those_of_the_final_distribution() -> None:
    backend = mock(logits=[[math.log(3), 0.0, -9.0]])
    sampling = Sampling(temperature=1.0, top_k=2)
    events = await collect(backend, job(sampling=sampling, logprobs=True))
    expected = {0: math.log(0.75), 1: math.log(0.25)}
    assert {event.token_id: event.logprob for event in events} == pytest.approx(expected)


async def test_a_broken_row_fails_its_answer_after_the_tokens_before_it() -> None:
    backend = mock(logits=[[0.0, 1.0], [0.0, "NaN"]])
    seen, message = await read_until_failure(backend.generate(job(sampling=GREEDY)))
    assert seen == [1]
    assert message.startswith("the logit of token 1 is nan")
    assert ids(await collect(backend, job(sampling=GREEDY, max_tokens=1))) == [1]


# Scoring


async def test_the_first_row_is_about_the_second_token() -> None:
    eight = [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]
    backend = mock(logits=[eight, list(reversed(eight))])
    assert backend.capabilities.vocab_size == 8
    scores = await backend.score(scoring((3, 0, 2, 6), 2))
    ranks = [{candidate.token_id: candidate.rank for candidate in position} for position in scores.positions]
    assert ranks == [{0: 1, 1: 2}, {2: 6, 7: 1, 6: 2}, {6: 2, 7: 1}]


async def test_scores_of_impossible_and_broken_rows() -> None:
    only = [None] * 315
    first: list[Any] = list(only)
    first[42], first[7], first[9] = 1.0, 2.0, 3.0
    second = [0.0] * 315
    backend = mock(logits=[first, [*second[:314], None]])
    one, two = (await backend.score(scoring((1, 42, 314), 5))).positions
    assert [candidate.token_id for candidate in one] == [42, 9, 7]
    assert two[0].token_id == 314
    assert two[0].logprob == -math.inf
    assert two[0].rank == 315
    broken = mock(logits=[[0.0, 0.0], [0.0, "NaN"]])
    with pytest.raises(BackendError, match="is nan"):
        await broken.score(scoring((1, 0, 1), 1))
    assert len((await broken.score(scoring((1, 0), 1))).positions) == 1


async def test_without_logits_every_token_is_equally_likely() -> None:
    backend = MockBackend()
    size = backend.capabilities.vocab_size
    (position,) = (await backend.score(scoring((9, 200), 2))).positions
    assert [(candidate.token_id, candidate.rank) for candidate in position] == [(200, 201), (0, 1), (1, 2)]
    assert [candidate.logprob for candidate in position] == pytest.approx([-math.log(size)] * 3)


async def test_a_long_score_lets_others_run() -> None:
    backend = MockBackend()
    done = False
    turns_of_others = 0

    async def score() -> None:
        nonlocal done
        assert len((await backend.score(scoring(tuple([7] * 4096), 15))).positions) == 4095
        done = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(score)
        while not done:
            turns_of_others += 1
            await anyio.sleep(0)
    assert turns_of_others >= 10


# What surrounds it


async def test_identity_and_capabilities() -> None:
    backend = mock(answers=[["Hi"]], special={"</think>": 300}, prompt_tail="<think>\n")
    assert backend.identity.served_model_id == "mock"
    assert backend.identity.base_model_sha256 is None
    assert backend.capabilities.vocab_size == 301
    assert not backend.capabilities.batching
    assert backend.text.chat_template == turns.chat_template("<think>\n")
    assert backend.text.tokenizer.special_ids == {"<eos>": 256, "</think>": 300, turns.START: 258, turns.END: 259}


async def test_adapters_can_be_named_and_nothing_else() -> None:
    backend = MockBackend(adapters=[Adapter("tone", "sha256:00")], chat_template="x")
    assert backend.capabilities.adapters
    assert [adapter.name for adapter in backend.adapters()] == ["tone"]
    assert backend.text.chat_template == "x"
    assert await answer(backend, adapters=(AdapterRef("tone", 0.5),)) == ""
    with pytest.raises(BackendError, match="no adapter 'tune'"):
        await answer(backend, adapters=(AdapterRef("tune"),))


async def test_made_from_options(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [["Hi"]]}))
    backend = create({"script": str(path), "model": "my-model"})
    assert backend.identity.served_model_id == "my-model"
    assert await answer(backend) == "Hi"
    assert create({}).identity.served_model_id == "mock"
    with pytest.raises(BackendError, match=r"no option 'scrip'; did you mean 'script'\?"):
        create({"scrip": "x"})
    with pytest.raises(BackendError, match="it has script, model"):
        create({"zzz": "x"})
    with pytest.raises(BackendError, match=r"none\.json"):
        create({"script": str(tmp_path / "none.json")})


async def test_after_close_nothing_is_answered() -> None:
    backend = MockBackend()
    await backend.close()
    with pytest.raises(BackendError, match="closed"):
        await collect(backend, job())


def test_is_a_backend() -> None:
    backend: Backend = MockBackend()
    assert isinstance(backend, Backend)
    assert isinstance(job(), Generation)
