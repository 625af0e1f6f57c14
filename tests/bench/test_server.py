"""The benchmark of the servers keeps running: no test here looks at a time."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest

from tests.bench.progress import Progress
from tests.bench.server import BURSTS, CHAT, STREAMS, Plan, measure
from tests.bench.server_report import ServerReport
from tests.bench.servers import KILN, NAMES

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


def test_a_miss_is_shown_in_every_form(report: ServerReport) -> None:
    slow = replace(report.loads[CHAT.title][KILN], server_cpu_s=1e6)
    missed = ServerReport(report.facts, {CHAT.title: {**report.loads[CHAT.title], KILN: slow}})
    assert "MISSED" in missed.text()
    assert "MISSED" in missed.markdown("page.md")
