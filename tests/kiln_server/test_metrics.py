"""The exposition, and that no client can make a time series."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from typing import get_args

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kiln_contract import ThinkingBudgetSource
from kiln_server.admission import Admission
from kiln_server.app import create_app
from kiln_server.backend import Stats
from kiln_server.metrics import PHASES, STALL_REASONS, BudgetOutcome, Metrics
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import ready_service

NAMES = [
    "kiln_requests_total",
    "kiln_active_requests",
    "kiln_request_duration_seconds",
    "kiln_request_ttft_seconds",
    "kiln_token_itl_seconds",
    "kiln_tokens_generated_total",
    "kiln_prompt_tokens_total",
    "kiln_request_latency_phase_seconds",
    "kiln_token_stalls_total",
    "kiln_thinking_budget_source_total",
    "kiln_thinking_budget_outcomes_total",
    "kiln_blocks_used",
    "kiln_blocks_total",
    "kiln_prefix_cache_lookups_total",
    "kiln_prefix_cache_hit_tokens_total",
    "kiln_batching_engine_queue_depth",
]


def admission() -> Admission:
    return Admission(max_running_requests=1, max_waiting_requests=1, max_waiting_tokens=1, queue_timeout_s=1)


def samples(metrics: Metrics, stats: Stats | None = None) -> dict[str, float]:
    """Series by name and labels, as Prometheus would read them."""
    return parsed(metrics.render(stats or Stats(), admission()).decode())


def parsed(text: str) -> dict[str, float]:
    return {
        f"{sample.name}{sorted(sample.labels.items()) or ''}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_promised_name_is_there_from_the_start() -> None:
    text = Metrics().render(Stats(), admission()).decode()
    typed = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    assert set(NAMES) <= typed
    assert "_created" not in text
    assert all(name.startswith(("kiln_", "process_")) for name in typed)


def test_what_is_counted_is_shown() -> None:
    metrics = Metrics()
    metrics.request_started()
    metrics.request_started()
    metrics.request_finished("ok", 0.3)
    metrics.answered("/v1/models", 200)
    metrics.ttft(0.02)
    metrics.itl([4_000_000])
    metrics.tokens(5)
    metrics.prompt_tokens(7)
    metrics.phases({"prefill": 500})
    metrics.stall("gpu_lock_wait")
    metrics.budget_source("tokens", "request")
    metrics.budget_outcome("natural_close")
    seen = samples(metrics)
    for name, value in {
        "kiln_active_requests": 1,
        "kiln_requests_total[('status', 'ok')]": 1,
        "kiln_http_requests_total[('route', '/v1/models'), ('status', '200')]": 1,
        "kiln_request_duration_seconds_sum": 0.3,
        "kiln_request_ttft_seconds_count": 1,
        "kiln_token_itl_seconds_bucket[('le', '0.005')]": 1,
        "kiln_tokens_generated_total": 5,
        "kiln_prompt_tokens_total": 7,
        "kiln_request_latency_phase_seconds_sum[('phase', 'prefill')]": 0.5,
        "kiln_token_stalls_total[('reason', 'gpu_lock_wait')]": 1,
        "kiln_thinking_budget_source_total[('dimension', 'tokens'), ('source', 'request')]": 1,
        "kiln_thinking_budget_outcomes_total[('outcome', 'natural_close')]": 1,
    }.items():
        assert seen[name] == value, name


def test_the_backends_gauges_are_read_when_asked_for() -> None:
    stats = Stats(running=1, queue_depth=2, blocks_used=3, blocks_total=4, prefix_lookups_hit=5, prefix_lookups_miss=6)
    seen = samples(Metrics(), stats)
    assert seen["kiln_batching_engine_running"] == 1
    assert seen["kiln_batching_engine_queue_depth"] == 2
    assert (seen["kiln_blocks_used"], seen["kiln_blocks_total"]) == (3, 4)
    assert seen["kiln_prefix_cache_lookups_total[('result', 'hit')]"] == 5
    assert seen["kiln_prefix_cache_lookups_total[('result', 'miss')]"] == 6


def test_every_value_of_a_label_counts_and_a_stranger_makes_no_series() -> None:
    metrics = Metrics()
    before = set(samples(metrics))
    metrics.phases(dict.fromkeys((*PHASES, "made up"), 1000))
    for reason in (*STALL_REASONS, 'quo"te\n'):
        metrics.stall(reason)
    for source in get_args(ThinkingBudgetSource):
        metrics.budget_source("time", source)
    for outcome in get_args(BudgetOutcome):
        metrics.budget_outcome(outcome)
    after = samples(metrics)
    assert set(after) == before
    assert after["kiln_token_stalls_total[('reason', 'other')]"] == 2
    assert after["kiln_request_latency_phase_seconds_count[('phase', 'other')]"] == 2


def test_two_servers_do_not_share_counters() -> None:
    one, other = Metrics(), Metrics()
    one.tokens(3)
    assert samples(other)["kiln_tokens_generated_total"] == 0


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving(create_app(ready_service())) as server:
        yield server


def word(generator: random.Random) -> str:
    return "".join(generator.choices(string.ascii_letters + string.digits, k=12))


def test_clients_cannot_make_series(live: Live) -> None:
    generator = random.Random(54)  # noqa: S311 - not for secrets
    hostile = ['a"b', "a\nb", 'x{y="z"} 1', "é", "\\"]
    chat = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 1}

    def name() -> str:
        return generator.choice(hostile) if generator.random() < 0.1 else word(generator)

    def by_model() -> None:
        live.ask("POST", "/v1/chat/completions", json={**chat, "model": name()})

    def by_adapter() -> None:
        live.ask("POST", "/v1/chat/completions", json={**chat, "adapter": name()})

    def by_path() -> None:
        live.ask("GET", f"/{word(generator)}/%22%0A")
        live.ask("GET", f"/v1/models/{word(generator)}")

    def by_header() -> None:
        live.ask("GET", "/v1/models", headers={"x-request-id": word(generator), "user-agent": word(generator)})

    def series() -> set[str]:
        return set(parsed(live.ask("GET", "/metrics").text))

    by_header()
    series()
    start = series()
    for step in (by_model, by_adapter, by_path, by_header):
        for _ in range(100):
            step()
        grown = series() - start
        assert len(grown) <= 10, f"{step.__name__}: {grown}"
    assert "kiln_http_requests_total[('route', 'unmatched'), ('status', '404')]" in series()
    assert "kiln_http_requests_total[('route', '/v1/models/{model}'), ('status', '404')]" in series()


def test_the_media_type_is_prometheus_own(live: Live) -> None:
    assert live.ask("GET", "/metrics").headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
