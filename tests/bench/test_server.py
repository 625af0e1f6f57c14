"""The benchmark of the servers keeps running: no test here looks at a time."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest

from tests.bench.progress import Progress
from tests.bench.server import BURSTS, CHAT, STREAMS, Plan, measure
from tests.bench.server_layers import layers
from tests.bench.server_report import ServerReport
from tests.bench.servers import KILN, NAMES, STARLETTE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPU times are read from the scheduler of Linux")

ONCE = Plan(rounds=1, seconds=0.2)
FEW = [replace(scenario, connections=2, tokens=16) for scenario in (CHAT, STREAMS[0], BURSTS)]


@pytest.fixture(scope="module")
def report() -> ServerReport:
    return measure(FEW, ONCE, Progress(io.StringIO()))


def test_every_server_answers_every_load(report: ServerReport) -> None:
    for scenario in FEW:
        loads = report.loads[scenario.title]
        assert set(loads) == set(NAMES)
        for name, load in loads.items():
            assert load.server_cpu_s > 0, name
            assert load.tokens if scenario.stream else load.answers, name


def test_every_target_of_these_loads_is_judged(report: ServerReport) -> None:
    judged = [(verdict.subject, verdict.against) for verdict in report.verdicts()]
    assert len(judged) == len(set(judged)) == 2 + 1


def test_every_layer_of_both_servers_is_counted(report: ServerReport) -> None:
    page = report.markdown("page.md")
    for title, measured in report.layers.items():
        assert f"| {title} |" in page
        kiln, bare = measured[KILN], measured[STARLETTE]
        assert set(kiln) == set(bare)
        assert all(work.bytecodes > 0 for work in kiln.values()), title
        # What the peer does not do.
        assert not bare["metrics, timing and log"].functions


def test_what_is_counted_does_not_change() -> None:
    once, again = (layers(CHAT.script, stream=False)[KILN] for _ in range(2))
    # But for what depends on the clock: a new second, a new portion of random digits.
    assert sum(work.bytecodes for work in once.values()) == pytest.approx(
        sum(work.bytecodes for work in again.values()), rel=0.01
    )


def test_counting_leaves_tracing_as_it_was() -> None:
    before = sys.gettrace()
    try:
        sys.settrace(mine := lambda *_: None)
        layers(CHAT.script, stream=False)
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)


def test_a_miss_is_shown_in_every_form(report: ServerReport) -> None:
    slow = replace(report.loads[CHAT.title][KILN], server_cpu_s=1e6)
    missed = ServerReport(report.facts, {CHAT.title: {**report.loads[CHAT.title], KILN: slow}})
    assert "MISSED" in missed.text()
    assert "MISSED" in missed.markdown("page.md")
