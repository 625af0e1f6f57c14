"""The benchmark keeps running and measures what it says: no test here looks at a time."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

import kiln_contract as kc
from tests.bench import contenders
from tests.bench.chart import svg
from tests.bench.contract import Plan, measure
from tests.bench.goals import SPEED, Verdict
from tests.bench.payloads import Payload, payloads
from tests.bench.progress import Progress
from tests.bench.report import Report
from tests.bench.startup import ALONE, EVERYTHING, startup
from tests.bench.timing import Contender, Effort, Series, interleave

ONE_ROUND = Effort(seconds=0, rounds=1)
ONCE = Plan(ONE_ROUND, ONE_ROUND, starts=0, memories=0)
PYDANTIC = (contenders.GENERATED, contenders.COLLAPSED, contenders.TYPES_ALONE)
SMALL = [payload for payload in payloads() if payload.key != "d100k"]


@pytest.fixture(scope="module")
def report() -> Report:
    return measure(SMALL, ONCE, Progress(io.StringIO()))


@pytest.mark.parametrize("payload", payloads(), ids=lambda payload: payload.key)
def test_documents_conform(payload: Payload) -> None:
    assert kc.validate_json(payload.definition, payload.body) == []


@pytest.mark.parametrize("payload", [p for p in payloads() if p.broken], ids=lambda payload: payload.key)
def test_broken_documents_have_one_violation(payload: Payload) -> None:
    assert len(kc.validate_json(payload.definition, payload.broken)) == 1


def test_documents_have_the_promised_shape() -> None:
    bodies = {payload.key: payload.body for payload in payloads()}
    agent = json.loads(bodies["b"])
    assert (len(agent["messages"]), len(agent["tools"])) == (50, 20)
    assert {key for key, body in bodies.items() if not body.isascii()} == {"b-utf8", "c"}
    assert 42_000 < len(bodies["b"]) < 46_000
    for key, tokens in (("d2k", 2_000), ("d100k", 100_000)):
        record = json.loads(bodies[key])
        assert (len(record["input_token_ids"]), len(record["action_tokens"])) == (tokens, tokens * 3 // 4)


def test_every_target_has_its_contenders(report: Report) -> None:
    judged = [(verdict.subject, verdict.against) for verdict in report.verdicts()]
    assert len(judged) == len(set(judged)) == sum(key != "d100k" for key, *_ in SPEED) + 3


def test_peers_read_the_documents(report: Report) -> None:
    names = {name for measured in report.decoding.values() for name in measured}
    assert names >= {contenders.RUST, contenders.OPENAI, *PYDANTIC}


def test_a_fresh_process_is_measured_among_packages_and_alone() -> None:
    measured = startup(runs=1)
    assert set(measured) == {EVERYTHING, ALONE}
    for programs in measured.values():
        assert [len(series.seconds) for series in programs.values()] == [1] * 3


def test_every_form_of_the_report_shows_a_miss(report: Report) -> None:
    slow = Series(1, [1.0])
    title = report.keys["a"]
    missed = Report(report.facts, {title: {**report.decoding[title], contenders.DECODE: slow}}, keys={"a": title})
    assert "MISSED" in missed.text()
    assert "MISSED" in missed.markdown("page.md", "page.svg")
    assert not any(verdict["met"] for verdict in json.loads(missed.json())["verdicts"])


def test_chart_is_xml_with_a_bar_for_each_peer(report: Report) -> None:
    bars = ET.fromstring(svg(report.decoding)).findall("{*}rect")  # noqa: S314 - our own text
    assert len(bars) > 5 * len(SMALL)


def test_a_limit_and_a_floor_are_judged_from_their_own_side() -> None:
    assert Verdict("s", "a", measured=2.0, target=1.0, unit="x", at_least=True).met
    assert not Verdict("s", "a", measured=2.0, target=1.0, unit="ms", at_least=False).met


def test_contenders_take_turns() -> None:
    seen: list[str] = []
    both = [Contender(name, f"seen.append({name!r})", {"seen": seen}) for name in ("one", "two")]
    measured = interleave(both, Effort(seconds=0, rounds=4))
    changes = sum(before != after for before, after in pairwise(seen))
    # Warming up is one change and leads to the next; then each round goes the other way round than the one before.
    assert changes == 2 + 4
    assert all(len(series.seconds) == 4 for series in measured.values())
