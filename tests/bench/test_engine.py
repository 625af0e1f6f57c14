"""The benchmark of the engine keeps running: no test here looks at a time."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kiln_engine.errors import EngineError
from tests.bench import engine, engine_chart, engine_goals, engine_serving
from tests.bench.engine_goals import Goal
from tests.bench.engine_measure import Bench
from tests.bench.engine_models import TINY
from tests.bench.engine_peers import KILN, KILN_TORCH, LLAMA_CPP, OPENVINO
from tests.bench.engine_process import Contender, PeerError, versions
from tests.bench.engine_report import BEGIN, END, EngineReport
from tests.bench.engine_result import Result, Sample
from tests.bench.engine_work import Work
from tests.bench.probe import Probe
from tests.bench.progress import Progress

DECODE = Work(TINY, "decode", 2, 16, rounds=2, steps=2, inexact=True)
PREFILL = Work(TINY, "prefill", 1, 48, rounds=2)
OURS, INEXACT = Contender(KILN, "bfloat16"), Contender(KILN_TORCH, "float32")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    try:
        probe = Probe(1)
    except EngineError as error:
        pytest.skip(str(error))
    return Bench(tmp_path_factory.mktemp("models"), 1, probe, Progress(io.StringIO()))


@pytest.fixture(scope="module")
def report(bench: Bench) -> EngineReport:
    made = EngineReport()
    engine.measure(bench, [DECODE, PREFILL], [OURS, INEXACT], made)
    return made


def samples(*pairs: tuple[float, float]) -> list[Sample]:
    """Samples of (seconds, probe), a round each."""
    return [Sample(number, seconds, probe, probe) for number, (seconds, probe) in enumerate(pairs)]


def result(**by_name: Sequence[Sample]) -> Result:
    names = {"ours": f"{KILN}, bfloat16", "half": f"{LLAMA_CPP}, float16", "brain": f"{LLAMA_CPP}, bfloat16"}
    return Result("work", 8, 100, {names[name]: list(found) for name, found in by_name.items()})


class TestRun:
    def test_every_contender_has_a_sample_of_every_round(self, report: EngineReport) -> None:
        assert {name: len(found) for name, found in report.results[DECODE.title].samples.items()} == {
            OURS.name: 2,
            INEXACT.name: 2,
        }
        assert list(report.results[PREFILL.title].samples) == [OURS.name]

    def test_our_engine_says_where_its_steps_go(self, report: EngineReport) -> None:
        for sample in report.results[DECODE.title].samples[OURS.name]:
            assert 0 < sum(sample.phases.values()) <= sample.seconds

    def test_both_engines_are_compared(self, report: EngineReport, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(engine_goals, "GOALS", (Goal(DECODE.title, KILN_TORCH, 1e9),))
        for found in report.results[DECODE.title].samples.values():
            found[:] = [replace(sample, before=1.0, after=1.0) for sample in found]
        assert "MISSED" in report.text()

    @pytest.mark.full
    def test_http_is_measured_beside_the_engine_alone(self, bench: Bench) -> None:
        served = engine_serving.measure(bench, replace(DECODE, steps=400), OURS, rounds=1)
        assert served.ratio > 0
        assert served.rounds[0].client_cpu_s > 0

    @pytest.mark.full
    def test_what_a_start_takes_is_measured(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(engine, "START", replace(DECODE, streams=1))
        assert [len(taken) for taken in engine.starts(bench, [OURS], 1).values()] == [1]


class TestAbsence:
    def test_a_missing_peer_is_named_with_the_reason(self, tmp_path: Path) -> None:
        report = EngineReport()
        contenders = engine.field("bfloat16", {LLAMA_CPP: str(_without_packages(tmp_path))}, report)
        assert LLAMA_CPP not in {contender.peer for contender in contenders}
        assert "llama-cpp-python" in report.text()

    def test_an_interpreter_without_the_peer_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(PeerError, match="not installed"):
            versions(LLAMA_CPP, str(_without_packages(tmp_path)))

    def test_a_peer_that_fails_is_left_out_with_what_it_said(self, bench: Bench) -> None:
        work = replace(DECODE, rounds=1)
        broken = Contender(OPENVINO, "bfloat16", sys.executable)
        (bench.models / f"{TINY.name}-openvino").mkdir()
        (bench.models / f"{TINY.name}-openvino" / "openvino_tokenizer.xml").touch()
        found = bench.measure(work, [OURS, broken])
        assert list(found.samples) == [OURS.name]
        assert "openvino" in found.left_out[broken.name]


class TestComparison:
    def test_a_ratio_is_the_median_over_rounds(self) -> None:
        found = result(ours=samples((1, 9), (1, 9), (1, 9)), half=samples((2, 9), (3, 9), (90, 9)))
        assert (ratio := found.ratio(f"{LLAMA_CPP}, float16", f"{KILN}, bfloat16"))
        assert (ratio.times, ratio.rounds, ratio.dropped) == (3, 3, 0)

    def test_rounds_with_another_memory_speed_do_not_count(self) -> None:
        found = result(ours=samples((1, 34), (1, 57)), half=samples((8, 57), (2, 57)))
        assert (ratio := found.ratio(f"{LLAMA_CPP}, float16", f"{KILN}, bfloat16"))
        assert (ratio.times, ratio.rounds, ratio.dropped) == (2, 1, 1)

    def test_without_the_same_memory_there_is_no_ratio(self) -> None:
        found = result(ours=samples((1, 34)), half=samples((8, 57)))
        assert found.ratio(f"{LLAMA_CPP}, float16", f"{KILN}, bfloat16") is None

    def test_prompts_are_compared_whatever_the_memory_was(self) -> None:
        found = replace(result(ours=samples((1, 34)), half=samples((8, 57))), step_bytes=None)
        assert (ratio := found.ratio(f"{LLAMA_CPP}, float16", f"{KILN}, bfloat16"))
        assert ratio.times == 8

    def test_a_peer_counts_with_its_fastest_format(self) -> None:
        found = result(ours=samples((1, 9)), half=samples((2, 9)), brain=samples((3, 9)))
        assert found.peers() == [f"{LLAMA_CPP}, float16"]

    def test_bytes_over_time_are_compared_with_the_probe(self) -> None:
        found = result(ours=samples((10, 20), (5, 40)))
        assert found.to_probe(f"{KILN}, bfloat16") == pytest.approx(0.5)


class TestPage:
    def test_what_is_measured_goes_between_the_marks(self, report: EngineReport, tmp_path: Path) -> None:
        page = tmp_path / "engine.md"
        page.write_text(f"before\n{BEGIN}old{END}\nafter\n")
        report.publish(page, "engine.svg")
        text = page.read_text()
        assert text.startswith("before")
        assert text.endswith("after\n")
        assert "old" not in text
        assert DECODE.title in text

    def test_a_later_run_adds_to_an_earlier_one(self, report: EngineReport, tmp_path: Path) -> None:
        kept = tmp_path / "kept.json"
        report.write(kept)
        again = EngineReport.read(kept)
        assert again == report

    def test_the_chart_shows_each_peer(self) -> None:
        found = result(ours=samples((1, 9)), half=samples((2, 9)))
        assert "2.00x" in engine_chart.svg([found])


def _without_packages(folder: Path) -> Path:
    """An interpreter that has nothing installed."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    python.chmod(0o755)
    return python
