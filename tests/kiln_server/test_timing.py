"""The latency record, from scripted clocks."""

from __future__ import annotations

import pytest

import kiln_contract as kc
from kiln_server.backend import TokenEvent
from kiln_server.delivery import Interval
from kiln_server.timing import MAX_GAPS, Timing, covered_ns, percentile, stall_threshold

MS = 1_000_000


def tokens(timing: Timing, *ready_ms: float) -> None:
    """Tokens that are handed off, received and sent 1, 2 and 4 ms after they were made."""
    for at in ready_ms:
        ready = int(at * MS)
        event = TokenEvent(token_id=7, ready_ns=ready, delivered_ns=ready + MS)
        passage = timing.token(event, ready + 2 * MS, ready + 4 * MS)
        kc.check(timing.token_event(event, passage, "direct"))


def test_percentiles_interpolate_linearly() -> None:
    assert percentile([], 0.5) is None
    assert percentile([4.0], 0.99) == 4.0
    assert percentile([4.0, 1.0, 2.0, 3.0], 0.5) == 2.5
    assert percentile([0.0, 10.0], 0.999) == pytest.approx(9.99)


def test_a_stall_is_five_medians_and_at_least_a_quarter_second() -> None:
    assert stall_threshold([]) is None
    assert stall_threshold([1.0]) == 250.0
    assert stall_threshold([100.0]) == 500.0


def test_covered_time_counts_overlaps_once() -> None:
    stretches = [(30, 40), (5, 20), (0, 10), (31, 32)]
    assert covered_ns(stretches, 0, 100) == 30
    assert covered_ns(stretches, 8, 35) == 12 + 5


def test_token_times_add_up() -> None:
    timing = Timing(received_ns=10 * MS)
    event = TokenEvent(token_id=9, ready_ns=12 * MS, delivered_ns=13 * MS)
    passage = timing.token(event, 15 * MS, 18 * MS)
    sent = timing.token_event(event, passage, "batching_engine")
    assert (sent.ready_ms, sent.producer_delivered_ms, sent.handler_received_ms, sent.body_enqueued_ms) == (2, 3, 5, 8)
    assert (sent.response_delivery_ms, sent.handler_queue_ms, sent.queue_delay_ms, sent.client_delivery_ms) == (
        1,
        2,
        3,
        3,
    )
    assert (sent.token_index, sent.blocking_phase, sent.blocking_phase_ms) == (0, None, None)


def test_clocks_that_run_backwards_never_give_negative_times() -> None:
    timing = Timing(received_ns=10 * MS)
    event = TokenEvent(token_id=9, ready_ns=9 * MS, delivered_ns=5 * MS)
    kc.check(timing.token_event(event, timing.token(event, 4 * MS, 3 * MS), "direct"))


def test_a_stall_is_attributed_to_the_phase_that_fills_it() -> None:
    timing = Timing(0, measured=["actor_prefill"])
    tokens(timing, 10, 20, 30)
    timing.add(Interval("actor_prefill", 40 * MS, 500 * MS))
    tokens(timing, 520)
    record = timing.diagnostics(600 * MS)
    kc.check(record)
    assert (record.stall_count, record.stall_reasons.actor_prefill, record.unexplained_stall_count) == (1, 1, 0)
    assert record.phases.prefill_ms == 460
    assert record.phases.decode_ms is None
    assert record.max_itl_ms == 490


def test_a_stall_that_no_phase_fills_is_unexplained() -> None:
    timing = Timing(0, measured=["actor_prefill"])
    tokens(timing, 10, 20, 30)
    timing.add(Interval("actor_prefill", 40 * MS, 120 * MS))
    tokens(timing, 520)
    record = timing.diagnostics(600 * MS)
    assert (record.stall_reasons.actor_prefill, record.unexplained_stall_count) == (0, 1)


def test_slow_delivery_may_win() -> None:
    timing = Timing(0)
    tokens(timing, 1, 2, 3)
    blocked = TokenEvent(token_id=1, ready_ns=10 * MS, delivered_ns=10 * MS)
    timing.token(blocked, 400 * MS, 401 * MS)
    tokens(timing, 450)
    assert timing.diagnostics(460 * MS).stall_reasons.handler_queue == 1


def test_measured_zero_and_not_measured_differ() -> None:
    timing = Timing(0, measured=["sampling"])
    tokens(timing, 1)
    phases = timing.diagnostics(10 * MS).phases
    assert (phases.sampling_ms, phases.readback_ms, phases.tokenization_ms) == (0, None, 0)
    assert (phases.response_delivery_ms, phases.handler_queue_ms, phases.client_delivery_ms) == (1, 1, 2)
    assert phases.unexplained_ms == 10 - 4


def test_gaps_are_bounded_and_say_so() -> None:
    timing = Timing(0)
    tokens(timing, *range(MAX_GAPS + 11))
    record = timing.diagnostics(10_000 * MS)
    assert (record.gap_samples, record.retained_gap_samples) == (MAX_GAPS + 10, MAX_GAPS)
    assert record.gap_samples_truncated


def test_an_answer_without_tokens_has_no_times() -> None:
    record = Timing(0).diagnostics(5 * MS)
    kc.check(record)
    assert (record.ttft_ms, record.itl_ms_p50, record.stall_threshold_ms, record.max_itl_ms) == (None,) * 4
    assert record.phases.unexplained_ms == 5
