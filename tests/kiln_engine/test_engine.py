"""The engine's steps over scripted logits: real scheduling, sampling and scoring."""

from __future__ import annotations

import logging
import math
from itertools import pairwise

import pytest

from kiln_engine.batch import Batch
from kiln_server.backend import BackendError, Generation, Sampling, Scoring
from kiln_server.testing import CountingGate, FailingGate
from tests.kiln_engine.scripted import INF, Inbox, ScriptedModel, engine_of, job_of, run, step, submit

RISING = [0.0, 1.0, 2.0, 3.0]
"""Logits whose greedy choice is 3."""


def drawn(**changes: object) -> Generation:
    return job_of(sampling=Sampling(temperature=0.8), max_tokens=16, ignore_eos=True, **changes)


class TestAnswers:
    def test_events_are_in_order_and_finish_once(self) -> None:
        (inbox,) = run(engine_of(ScriptedModel([RISING])), job_of())
        assert inbox.ids == [3] * 8
        assert [event.finish for event in inbox.events] == [None] * 7 + ["length"]
        assert all(a.step + 1 == b.step and a.ready_ns < b.ready_ns for a, b in pairwise(inbox.events))
        assert all(event.ready_ns <= event.delivered_ns for event in inbox.events)

    def test_each_position_has_its_own_logits(self) -> None:
        rows = [[float(token == position % 5) for token in range(5)] for position in range(40)]
        engine = engine_of(ScriptedModel(rows), prefill_chunk=7)
        (inbox,) = run(engine, job_of([0] * 20, max_tokens=10))
        assert inbox.ids == [(19 + index) % 5 for index in range(10)]

    def test_an_eos_ends_an_answer(self) -> None:
        rows = [RISING, RISING, RISING, [0.0, 9.0, 0.0, 0.0]]
        (inbox,) = run(engine_of(ScriptedModel(rows), eos_ids=[1]), job_of())
        assert (inbox.ids, inbox.events[-1].finish) == ([3, 1], "eos")

    def test_an_eos_may_be_ignored(self) -> None:
        (inbox,) = run(engine_of(ScriptedModel([RISING]), eos_ids=[3]), job_of(ignore_eos=True))
        assert (len(inbox.ids), inbox.events[-1].finish) == (8, "length")

    def test_nothing_to_do_is_no_step(self) -> None:
        assert engine_of(ScriptedModel([RISING])).step() is None


FLAT = [[math.log(token + 1.0) for token in range(32)]]
"""Any of 32 tokens may be drawn."""


class TestSeeds:
    def test_neighbours_change_nothing(self) -> None:
        mine = drawn(seed=7)
        (alone,) = run(engine_of(ScriptedModel(FLAT)), mine)
        for others_before, others_after in [(0, 4), (4, 0), (3, 4)]:
            before = [drawn(request_id=f"b{n}", group=f"b{n}", seed=100 + n) for n in range(others_before)]
            after = [drawn(request_id=f"a{n}", group=f"a{n}", seed=200 + n) for n in range(others_after)]
            inboxes = run(engine_of(ScriptedModel(FLAT)), *before, mine, *after)
            assert inboxes[others_before].ids == alone.ids

    def test_copies_are_equal_and_choices_are_not(self) -> None:
        jobs = [drawn(seed=7), drawn(seed=7, request_id="copy"), drawn(seed=7, request_id="second", choice=1)]
        first, copy, second = run(engine_of(ScriptedModel(FLAT)), *jobs)
        assert first.ids == copy.ids != second.ids

    def test_preemption_changes_nothing(self) -> None:
        jobs = [drawn(prompt_ids=[n] * 15, request_id=str(n), group=str(n), seed=n) for n in range(3)]
        alone = [run(engine_of(ScriptedModel(FLAT)), job)[0].ids for job in jobs]
        tight = engine_of(ScriptedModel(FLAT), num_blocks=4)
        assert [inbox.ids for inbox in run(tight, *jobs)] == alone
        assert tight.scheduler.cache.blocks.num_leased == 0


class TestSiblings:
    @pytest.mark.parametrize("num_prompt", [1, 15, 16, 17])
    def test_a_prompt_is_computed_once_for_64_answers(self, num_prompt: int) -> None:
        model = ScriptedModel(FLAT)
        engine = engine_of(model, num_blocks=512)
        jobs = [drawn(prompt_ids=[1] * num_prompt, request_id=str(n), choice=n) for n in range(64)]
        inboxes = run(engine, *jobs)
        assert sum(record.num_prompt_rows for record in engine.records) == num_prompt
        assert model.num_rows == num_prompt + 64 * 15
        assert len({tuple(inbox.ids) for inbox in inboxes}) == 64

    def test_each_counts_its_own_tokens(self) -> None:
        logits = [[0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.5, 0.0]]
        penalised = Sampling(temperature=0.0, presence_penalty=1.0, penalise_greedy=True)
        jobs = [job_of([5], request_id=str(n), choice=n, max_tokens=2, sampling=penalised) for n in range(2)]
        other = job_of([5] * 3, request_id="long", group="long", max_tokens=2)
        *siblings, longer = run(engine_of(ScriptedModel(logits)), *jobs, other)
        assert [inbox.ids for inbox in siblings] == [[5, 6], [5, 6]]
        assert longer.ids == [5, 5]


class TestGates:
    def test_decide_over_every_token(self) -> None:
        gate = CountingGate(forced_id=0, forced_steps=frozenset({1, 2}))
        (inbox,) = run(engine_of(ScriptedModel([RISING])), job_of(gate=gate, logprobs=True))
        assert inbox.ids == [3, 0, 0, 3, 3, 3, 3, 3]
        assert [event.forced for event in inbox.events] == [False, True, True] + [False] * 5
        assert [event.logprob for event in inbox.events][:3] == [0.0, None, None]
        assert gate.times_ns == [event.ready_ns for event in inbox.events]

    def test_that_fail_end_their_answer_alone(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.CRITICAL)
        engine = engine_of(ScriptedModel([RISING]))
        bad, good = run(engine, job_of(gate=FailingGate(), request_id="bad"), job_of())
        assert isinstance(bad.error, BackendError)
        assert "on purpose" in str(bad.error)
        assert len(bad.events) == 1
        assert len(good.ids) == 8


class TestFailures:
    def test_of_one_row_concern_its_answer_alone(self) -> None:
        rows = [RISING, RISING, RISING, [0.0, math.nan, 0.0, 0.0]]
        engine = engine_of(ScriptedModel(rows))
        short, long = run(engine, job_of([1] * 3), job_of([1] * 9, request_id="long", group="long", max_tokens=1))
        assert isinstance(short.error, BackendError)
        assert isinstance(long.error, BackendError)
        whole = ScriptedModel([RISING, RISING, [0.0, INF, 0.0, 0.0], RISING])
        bad, good = run(engine_of(whole), job_of([1] * 3), job_of([1] * 9, request_id="long", group="long"))
        assert isinstance(bad.error, BackendError)
        assert len(good.ids) == 8

    def test_of_a_step_end_what_was_in_it_and_the_engine_goes_on(self) -> None:
        def fail_on_poison(batch: Batch) -> None:
            if 2 in batch.token_ids.tolist():
                raise RuntimeError("the device is on fire")

        engine = engine_of(ScriptedModel([RISING], fail_on_poison), max_num_seqs=2)
        first, poisoned, later = (
            job_of([1], request_id="first"),
            job_of([2], request_id="poisoned", group="p"),
            job_of([1], request_id="later", group="l"),
        )
        inboxes = run(engine, first, poisoned, later)
        assert [isinstance(inbox.error, BackendError) for inbox in inboxes] == [True, True, False]
        assert "on fire" in str(inboxes[0].error)
        assert inboxes[2].ids == [3] * 8
        assert engine.scheduler.cache.blocks.num_leased == 0

    def test_a_token_that_the_model_does_not_have_is_refused_before_any_step(self) -> None:
        engine = engine_of(ScriptedModel([RISING]))
        with pytest.raises(BackendError, match="token 4 has no row"):
            submit(engine, job_of([1, 4]))
        assert engine.num_open == engine.scheduler.num_waiting == 0

    def test_all_can_be_failed_at_once(self) -> None:
        engine = engine_of(ScriptedModel([RISING]), max_num_seqs=1)
        inboxes, _ = submit(engine, job_of(), job_of(request_id="waiting", group="w"))
        step(engine)
        for deliver, outcome in engine.fail_all(BackendError("closed")):
            deliver(outcome)
        assert [str(inbox.error) for inbox in inboxes] == ["closed", "closed"]
        assert engine.num_open == engine.scheduler.num_running == engine.scheduler.num_waiting == 0


class TestCancelling:
    def test_stops_the_work_and_frees_the_blocks(self) -> None:
        engine = engine_of(ScriptedModel([RISING]))
        (mine, other), (work, _) = submit(engine, job_of(), job_of(request_id="other", group="o"))
        step(engine)
        step(engine)
        engine.cancel(work)
        engine.cancel(work)
        while step(engine):
            pass
        assert (len(mine.ids), len(other.ids)) == (2, 8)
        assert engine.scheduler.cache.blocks.num_leased == 0

    def test_in_the_queue_leaves_it_at_once(self) -> None:
        model = ScriptedModel([RISING])
        engine = engine_of(model, max_num_seqs=1)
        inboxes, works = submit(engine, *(job_of(request_id=name, group=name) for name in "abc"))
        step(engine)
        engine.cancel(works[1])
        assert engine.scheduler.num_waiting == 1
        while step(engine):
            pass
        assert [len(inbox.ids) for inbox in inboxes] == [8, 0, 8]
        # c begins in the step after a's last.
        assert inboxes[2].events[0].step == inboxes[0].events[-1].step + 1
        assert model.num_rows == 2 * (3 + 7)


FALLING = [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]


class TestScoring:
    def score(self, rows: list[list[float]], prompt_ids: tuple[int, ...], top_k: int, **options: int) -> Inbox:
        engine = engine_of(ScriptedModel(rows), **options)  # type: ignore[arg-type]
        inbox = Inbox()
        engine.score(Scoring(request_id="s", prompt_ids=prompt_ids, top_k=top_k), inbox)
        while step(engine):
            pass
        assert engine.num_open == 0
        assert engine.scheduler.cache.blocks.num_leased == engine.scheduler.cache.blocks.num_cached == 0
        return inbox

    @pytest.mark.parametrize("prefill_chunk", [1, 2, 64])
    def test_ranks_follow_the_raw_logits(self, prefill_chunk: int) -> None:
        scores = self.score([FALLING], (3, 0, 2, 6), 2, prefill_chunk=prefill_chunk).scores
        assert scores is not None
        ranks = [{found.token_id: found.rank for found in position} for position in scores.positions]
        assert ranks == [{0: 1, 1: 2}, {2: 3, 0: 1, 1: 2}, {6: 7, 0: 1, 1: 2}]

    def test_one_bad_row_fails_that_prompt_and_no_other(self) -> None:
        rows = [FALLING, [math.nan, *FALLING[1:]], FALLING]
        engine = engine_of(ScriptedModel(rows))
        bad, good = Inbox(), Inbox()
        engine.score(Scoring(request_id="bad", prompt_ids=(1, 2, 3), top_k=1), bad)
        engine.score(Scoring(request_id="good", prompt_ids=(1, 2), top_k=1), good)
        while step(engine):
            pass
        assert isinstance(bad.error, BackendError)
        assert good.scores is not None

    def test_beside_answers_changes_nothing(self) -> None:
        # So little room that the answer takes the scored prompt's away, which begins again.
        engine = engine_of(ScriptedModel([FALLING]), num_blocks=6, prefill_chunk=1)
        inbox = Inbox()
        (answer,), _ = submit(engine, job_of([1] * 15, max_tokens=20))
        work = engine.score(Scoring(request_id="s", prompt_ids=(1,) * 64, top_k=1), inbox)
        while step(engine):
            pass
        assert work.sequence.num_preemptions > 0
        assert len(answer.ids) == 20
        assert inbox.scores is not None
        assert len(inbox.scores.positions) == 63


class TestRecords:
    def test_a_trace_follows_an_answer_through_its_steps(self) -> None:
        engine = engine_of(ScriptedModel([RISING]), prefill_chunk=2)
        _, (work,) = submit(engine, job_of([1] * 5, max_tokens=3, received_ns=1))
        while step(engine):
            pass
        spans = work.trace.spans()  # type: ignore[union-attr]
        phases = [span.phase for span in spans]
        assert phases[:3] == ["actor_queue", "actor_admission", "actor_prefill"]
        assert phases.count("actor_prefill") == 3
        assert phases.count("actor_decode") == 2
        assert phases.count("sampling") == phases.count("readback") == 3
        assert all(a.start_ns <= b.start_ns and a.end_ns <= b.start_ns for a, b in pairwise(spans))
        assert [(r.num_prompt_rows, r.num_decode_rows) for r in engine.records] == [
            (2, 0),
            (2, 0),
            (1, 0),
            (0, 1),
            (0, 1),
        ]

    def test_waiting_for_room_again_is_queueing(self) -> None:
        engine = engine_of(ScriptedModel([RISING]), num_blocks=3, max_num_seqs=2)
        _, works = submit(engine, *(job_of([n] * 15, request_id=str(n), group=str(n), max_tokens=8) for n in range(2)))
        while step(engine):
            pass
        phases = [span.phase for span in works[1].trace.spans()]  # type: ignore[union-attr]
        assert phases.count("actor_queue") == 2
