"""Which rows run, who is admitted, who is preempted."""

from __future__ import annotations

from random import Random

import pytest

from kiln_engine.pacing import FixedPacing, Pacing
from kiln_engine.sequence import Sequence
from kiln_engine.step_plan import BlockCopy
from tests.kiln_engine.fake_engine import FakeEngine


def answer(name: str, prompt: range | tuple[int, ...], max_tokens: int = 4, **options: str) -> Sequence:
    return Sequence(name, tuple(prompt), max_tokens=max_tokens, **options)  # type: ignore[arg-type]


def siblings(count: int, prompt: range, max_tokens: int = 4) -> list[Sequence]:
    return [answer(f"sibling {index}", prompt, max_tokens, group="g") for index in range(count)]


def test_nothing_to_do_is_no_step() -> None:
    fake = FakeEngine(4)
    assert fake.step() is None
    only = answer("a", range(3))
    fake.add(only)
    fake.cancel(only)
    assert fake.step() is None


def test_a_prompt_runs_in_chunks_then_token_by_token() -> None:
    fake = FakeEngine(10, pacing=FixedPacing(7))
    only = answer("a", range(16), 3)
    fake.add(only)
    plans = fake.run()
    rows = [plan.rows[0][1:5] for plan in plans]
    assert rows == [
        (0, 7, False, True),
        (7, 14, False, True),
        (14, 16, True, True),
        (16, 17, True, False),
        (17, 18, True, False),
    ]
    assert [plan.admitted for plan in plans] == [(only,), (), (), (), ()]
    assert only.num_generated == 3


def test_answers_go_first_and_prompts_share_what_is_left() -> None:
    fake = FakeEngine(40, max_step_tokens=20, max_num_seqs=8, pacing=FixedPacing(100))
    first, second, third = answer("a", range(5), 9), answer("b", range(100, 112)), answer("c", range(200, 230))
    fake.add(first, second, third)
    plan = fake.step()
    assert plan is not None
    assert [rows[:3] for rows in plan.rows] == [(first, 0, 5), (second, 0, 12), (third, 0, 3)]
    plan = fake.step()
    assert plan is not None
    assert [rows[:3] for rows in plan.rows] == [(first, 5, 6), (second, 12, 13), (third, 3, 21)]
    assert (plan.num_decode_rows, plan.num_prompt_rows) == (2, 18)


def test_the_step_and_its_places_must_fit_each_other() -> None:
    with pytest.raises(ValueError, match="max_step_tokens is 8, max_num_seqs 9"):
        FakeEngine(10, max_step_tokens=8, max_num_seqs=9)
    with pytest.raises(ValueError, match="max_num_seqs 0"):
        FakeEngine(10, max_num_seqs=0)


def test_what_cannot_fit_alone_is_refused() -> None:
    fake = FakeEngine(5, 4)
    fake.add(answer("fits", range(10), 6))
    with pytest.raises(ValueError, match="request 'large' may grow to 17 tokens"):
        fake.add(answer("large", range(10), 7))
    fake.run()


def test_a_sequence_is_added_once() -> None:
    fake = FakeEngine(5)
    only = answer("a", range(3))
    fake.add(only)
    with pytest.raises(ValueError, match="added before"):
        fake.add(only)


def test_a_plan_is_settled_before_the_next() -> None:
    fake = FakeEngine(5)
    fake.add(answer("a", range(3)))
    fake.scheduler.plan()
    with pytest.raises(RuntimeError, match="before the last plan was committed"):
        fake.scheduler.plan()


def test_cancelling_in_the_queue_leaves_it_at_once_and_computes_nothing() -> None:
    fake = FakeEngine(40, max_num_seqs=1)
    running, waiting, last = answer("a", range(20), 100), answer("b", range(50, 90)), answer("c", range(100, 120), 5)
    fake.add(running, waiting, last)
    for _ in range(10):
        fake.step()
    assert fake.scheduler.num_waiting == 2
    fake.cancel(waiting)
    assert fake.scheduler.num_waiting == 1
    while running in fake.open:
        fake.step()
    plan = fake.step()
    assert plan is not None
    assert plan.admitted == (last,)
    fake.run()
    assert fake.num_prompt_rows == {"a": 20, "c": 20}


def test_a_hundred_cancels_at_any_time_leave_nothing_behind() -> None:
    random = Random(7)  # noqa: S311 - any times will do
    fake = FakeEngine(60, max_num_seqs=4, pacing=FixedPacing(16))
    for index in range(100):
        sequence = answer(str(index), range(index, index + random.randint(1, 60)), 9)
        fake.add(sequence)
        for _ in range(random.randint(0, 4)):
            fake.step()
        fake.cancel(sequence)
        fake.cancel(sequence)
    assert (fake.scheduler.num_running, fake.scheduler.num_waiting, fake.cache.blocks.num_available) == (0, 0, 60)
    assert fake.step() is None


def test_cancelling_what_is_unknown_does_nothing() -> None:
    fake = FakeEngine(5)
    fake.add(answer("a", range(3)))
    fake.scheduler.cancel(answer("b", range(3)))
    fake.scheduler.finish(answer("c", range(3)))
    assert len(fake.run()) == 4


def test_blocks_are_not_shared_between_adapters_or_their_revisions() -> None:
    fake = FakeEngine(60)
    hits = []
    for revision in ("a1", "b1", "", "a1", "a2"):
        sequence = answer("p", range(64), adapter_revision=revision)
        fake.add(sequence)
        fake.run()
        hits.append(sequence.num_hit_tokens)
    assert hits == [0, 0, 0, 48, 0]
    counters = fake.cache.counters
    assert (counters.num_hits, counters.num_misses, counters.num_hit_tokens) == (1, 4, 48)


def test_blocks_are_not_shared_between_salts() -> None:
    fake = FakeEngine(60)
    hits = []
    for salt in ("", "s", "s"):
        sequence = answer("p", range(64), salt=salt)
        fake.add(sequence)
        fake.run()
        hits.append(sequence.num_hit_tokens)
    assert hits == [0, 0, 48]


def test_the_slot_of_an_adapter_reaches_the_plan() -> None:
    fake = FakeEngine(10)
    fake.add(Sequence("a", (1, 2), max_tokens=1, adapter_slot=3))
    plan = fake.scheduler.plan()
    assert plan is not None
    assert plan.rows[0].sequence.adapter_slot == 3


@pytest.mark.parametrize("prefix_cache", [True, False])
@pytest.mark.parametrize("num_state_slots", [0, 64])
@pytest.mark.parametrize("num_prompt", [1, 15, 16, 17, 100])
def test_siblings_compute_their_prompt_once(num_prompt: int, num_state_slots: int, prefix_cache: bool) -> None:
    fake = FakeEngine(
        500, num_state_slots=num_state_slots, checkpoint_interval=64, prefix_cache=prefix_cache, pacing=FixedPacing(40)
    )
    fake.add(*siblings(64, range(num_prompt)))
    plans = fake.run()
    assert sum(plan.num_prompt_rows for plan in plans) == num_prompt
    assert sum(plan.num_decode_rows for plan in plans) == 64 * 3
    assert sum(len(plan.copies) for plan in plans) == (63 if num_prompt % 16 else 0)
    assert len({tuple(sequence.token_ids) for sequence in fake.ended}) > 1


def test_siblings_sample_from_the_leaders_last_row() -> None:
    fake = FakeEngine(20)
    leader, *others = siblings(3, range(17))
    fake.add(leader, *others)
    plan = fake.scheduler.plan()
    assert plan is not None
    (rows,) = plan.rows
    assert rows == (leader, 0, 17, True, True, tuple(others))
    assert plan.admitted == (leader, *others)
    assert plan.sequences == (leader, *others)
    full = leader.block_ids[0]
    assert [sequence.block_ids[0] for sequence in others] == [full, full]
    assert plan.copies == tuple(BlockCopy(leader.block_ids[1], sequence.block_ids[1]) for sequence in others)
    fake.scheduler.commit(plan)
    assert [(sequence.num_computed, fake.scheduler._num_lost(sequence)) for sequence in others] == [(17, 1), (17, 1)]


@pytest.mark.parametrize(("num_blocks", "max_num_seqs"), [(200, 5), (9, 64), (9, 3)])
def test_more_siblings_than_places_or_room_all_end(num_blocks: int, max_num_seqs: int) -> None:
    fake = FakeEngine(num_blocks, 4, max_num_seqs=max_num_seqs)
    group = siblings(23, range(9), 8)
    fake.add(*group)
    fake.run()
    assert all(sequence.num_generated == 8 for sequence in group)
    if num_blocks == 200:
        # The first of those that found no place goes on from two full blocks, and the next four from its last row.
        assert fake.num_prompt_rows.total() == 9 + 4


def test_a_group_may_hold_several_prompts() -> None:
    fake = FakeEngine(100, 4, pacing=FixedPacing(12))
    prompts = [range(9), range(20, 29), range(9), range(20, 29)]
    first, second, third, fourth = (answer(str(index), prompt, group="g") for index, prompt in enumerate(prompts))
    fake.add(first, second, third, fourth)
    plan = fake.step()
    assert plan is not None
    assert [(rows.sequence, rows.followers) for rows in plan.rows] == [(first, (third,)), (second, ())]
    fake.run()
    assert fake.num_prompt_rows.total() == 9 + 9


def test_scored_prompts_neither_use_nor_feed_the_cache() -> None:
    fake = FakeEngine(40, 4, pacing=FixedPacing(8))
    scored = [Sequence(str(index), range(20), max_tokens=0, scores=True, group="g") for index in range(2)]
    fake.add(scored[0])
    fake.run()
    assert fake.cache.blocks.num_cached == 0
    fake.add(answer("a", range(20)))
    fake.run()
    fake.add(scored[1])
    plans = fake.run()
    assert [(rows.start, rows.stop, rows.samples) for plan in plans for rows in plan.rows] == [
        (0, 8, False),
        (8, 16, False),
        (16, 20, False),
    ]
    assert (fake.cache.counters.num_hits, fake.cache.counters.num_misses) == (0, 1)


def test_admission_waits_for_room_for_the_whole_context_and_nobody_overtakes() -> None:
    fake = FakeEngine(10, 4)
    first, large, small = answer("a", range(20), 9), answer("b", range(100, 124)), answer("c", range(200, 202))
    fake.add(first, large, small)
    plan = fake.step()
    assert plan is not None
    assert plan.admitted == (first,)
    fake.step()
    assert (large.lease, small.lease) == (None, None)
    fake.run()
    assert fake.ended[0] is first
    assert sum(sequence.num_preemptions for sequence in fake.ended) == 0


def test_the_one_that_loses_the_least_is_preempted_and_never_the_oldest() -> None:
    fake = FakeEngine(9, 4)
    oldest, loses_one, loses_three = (
        answer("a", range(8), 9),
        answer("b", range(20, 25), 9),
        answer("c", range(40, 47), 9),
    )
    fake.add(oldest, loses_one, loses_three)
    for _ in range(5):
        fake.step()
    computed = [sequence.num_computed for sequence in (oldest, loses_one, loses_three)]
    assert (computed, fake.cache.blocks.num_available) == ([12, 9, 11], 0)
    # The oldest goes on into a fourth block, and would itself lose nothing.
    plan = fake.scheduler.plan()
    assert plan is not None
    assert plan.preempted == (loses_one,)
    assert (loses_one.num_computed, loses_one.lease, fake.scheduler.num_waiting) == (0, None, 1)
    assert [rows.sequence for rows in plan.rows] == [oldest, loses_three]


def test_without_a_prefix_cache_all_that_was_computed_is_lost() -> None:
    fake = FakeEngine(9, 4, prefix_cache=False)
    oldest, most, least = answer("a", range(8), 9), answer("b", range(20, 27), 9), answer("c", range(5), 9)
    fake.add(oldest, most, least)
    plans = fake.run()
    assert next(plan.preempted for plan in plans if plan.preempted) == (least,)


def test_a_preempted_sequence_comes_back_ahead_of_later_ones_and_finds_its_blocks() -> None:
    fake = FakeEngine(11, 4, max_num_seqs=3)
    first, second, third = answer("a", range(8), 9), answer("b", range(20, 28), 9), answer("c", range(40, 60), 4)
    later = answer("later", range(80, 82))
    fake.add(first, second, third, later)
    plans = fake.run()
    assert [plan.preempted for plan in plans if plan.preempted] == [(third,)]
    assert third.prefill_stop > third.num_prompt
    back = [rows for plan in plans for rows in plan.rows if rows.sequence is third and rows.is_prefill][-1]
    assert (back.start, back.stop) == (12, 21)
    assert sum(plan.admitted.count(third) for plan in plans) == 1
    assert fake.ended.index(third) < fake.ended.index(later)


def test_preemption_ends_and_does_not_thrash() -> None:
    fake = FakeEngine(33, 4, max_num_seqs=16)
    answers = [answer(str(index), range(100 * index, 100 * index + 8), 40) for index in range(16)]
    fake.add(*answers)
    plans = fake.run()
    assert all(sequence.num_generated == 40 for sequence in answers)
    # Not even three whole answers fit at a time.
    again = sum(plan.num_prompt_rows for plan in plans) - 16 * 8
    assert 0 < again <= 16 * 47 // 2
    assert len(plans) <= 40 * 16 // 2


@pytest.mark.parametrize("with_states", [False, True])
def test_a_failed_step_ends_its_own_sequences_and_publishes_nothing(with_states: bool) -> None:
    fake = FakeEngine(
        40, 4, max_num_seqs=3, num_state_slots=6 if with_states else 0, checkpoint_interval=8, pacing=FixedPacing(9)
    )
    first, second, third = (answer(name, range(20), group="g") for name in ("a", "b", "c"))
    fake.add(first, second)
    while first.num_computed < 16:
        fake.step()
    fake.add(third)
    plan = fake.step(fails=True)
    assert plan is not None
    assert plan.sequences == (first, second, third)
    assert fake.ended == [first, second, third]
    assert fake.cache.blocks.num_cached == 4
    assert fake.cache.blocks.num_leased == 0
    again = answer("d", range(24))
    fake.add(again)
    fake.run()
    assert again.num_hit_tokens == 16


def test_a_long_prompt_beside_streams_keeps_steps_within_the_limit() -> None:
    pacing = Pacing(200)
    fake = FakeEngine(600, pacing=pacing)
    streams = [answer(str(index), range(index * 50, index * 50 + 20), 900) for index in range(4)]
    fake.add(*streams)
    times = []
    long = answer("long", range(1000, 5000), 1)
    for index in range(300):
        if index == 10:
            fake.add(long)
        plan = fake.step()
        assert plan is not None
        context = sum(rows.stop * (rows.stop - rows.start) for rows in plan.rows)
        ms = 12 + 1.5 * plan.num_decode_rows + 0.8 * plan.num_prompt_rows + 2e-4 * context
        fake.scheduler.observe(plan, ms)
        if index > 0:
            assert plan.num_decode_rows == 4
            times.append(ms)
        if long not in fake.open and index > 10:
            break
    assert max(times) <= 200
    assert long in fake.ended
    assert fake.num_prompt_rows["long"] == 4000


def test_a_prompt_beside_a_stream_gets_at_least_sixteen_rows() -> None:
    fake = FakeEngine(600)
    stream, prompt = answer("a", range(5), 100), answer("b", range(100, 180))
    fake.add(stream)
    for _ in range(2):
        plan = fake.step()
        assert plan is not None
        fake.scheduler.observe(plan, 5000)
    fake.add(prompt)
    plan = fake.step()
    assert plan is not None
    assert (plan.num_prompt_rows, plan.num_decode_rows) == (16, 1)


def test_a_recurrent_state_goes_on_from_checkpoints() -> None:
    fake = FakeEngine(100, 4, num_state_slots=8, checkpoint_interval=8)
    first = answer("a", range(23), 20)
    fake.add(first)
    plans = fake.run()
    ends = [plan.rows[0].stop for plan in plans if plan.rows[0].is_prefill]
    assert ends == [8, 16, 20, 23], "chunks end where a state is kept"
    assert [save.num_tokens for plan in plans for save in plan.checkpoints] == [8, 16, 20, 24, 32, 40]
    follow_up = answer("b", (*first.token_ids[:37], 99, 98))
    fake.add(follow_up)
    plan = fake.step()
    assert plan is not None
    assert len(plan.resumes) == 1
    assert follow_up.num_hit_tokens == 32
    fake.run()


def test_checks_see_a_sequence_that_leaks() -> None:
    fake = FakeEngine(10, 4)
    only = answer("a", range(9))
    fake.add(only)
    fake.step()
    lease, only.lease = only.lease, None
    with pytest.raises(AssertionError, match="hold leases"):
        fake.scheduler.check()
    only.lease = lease
    fake.scheduler.check()
    fake.scheduler._running.remove(only)
    with pytest.raises(AssertionError, match="references"):
        fake.scheduler.check()
