"""Measure the engine against its peers: `python -m tests.bench.engine`.

Every contender is a process of its own with the same random weights; they take turns, and every sample stands between
two reads of memory. A peer that is not installed, or cannot do a piece of work, is named with the reason. A missed
target is reported and is no failure. The first run makes the models, which takes minutes and 4 GB.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.bench import engine_accuracy, engine_chart, engine_serving, machine
from tests.bench.engine_measure import Bench
from tests.bench.engine_models import QWEN3, SMALL
from tests.bench.engine_peers import KILN, KILN_TORCH, LLAMA_CPP, MODULES, OPENVINO, TRANSFORMERS, VLLM
from tests.bench.engine_process import Contender, PeerError, versions
from tests.bench.engine_report import EngineReport
from tests.bench.engine_work import WORKS, Work
from tests.bench.probe import Probe
from tests.bench.progress import Progress

PEER_FORMATS: Final = (
    (TRANSFORMERS, "bfloat16"),
    (TRANSFORMERS, "float32"),
    (LLAMA_CPP, "bfloat16"),
    (LLAMA_CPP, "float16"),
    (OPENVINO, "bfloat16"),
    (VLLM, "bfloat16"),
    (VLLM, "float32"),
)
"""Number formats of each peer: the fastest one counts."""

SERVED: Final = (
    Work(SMALL, "decode", 8, 128, rounds=5, steps=128),
    Work(QWEN3, "decode", 8, 128, rounds=3, steps=40),
)
START: Final = Work(SMALL, "decode", 1, 16, rounds=5, steps=1)


def field(dtype: str, interpreters: dict[str, str], report: EngineReport) -> list[Contender]:
    """Every contender that is installed, ours first; the others are named in the report."""
    formats = [(KILN, dtype), (KILN_TORCH, "bfloat16"), (KILN_TORCH, "float32"), *PEER_FORMATS]
    contenders = []
    for peer, each in formats:
        contender = Contender(peer, each, interpreters.get(peer, sys.executable))
        try:
            report.facts |= versions(peer, contender.python)
        except PeerError as error:
            report.absent[peer] = str(error)
        else:
            report.absent.pop(peer, None)
            contenders.append(contender)
    return contenders


def starts(bench: Bench, contenders: Sequence[Contender], rounds: int) -> dict[str, list[float]]:
    """Seconds from a fresh process to the first token of the small model. Files are in the page cache by then.

    A contender that cannot load it is left out.
    """
    taken: dict[str, list[float]] = {}
    able = list(contenders)
    for number in range(-1, rounds):  # the first one warms the page cache
        for contender in able[: 1 if number > 1 else None]:  # ours, and the others for comparison
            bench.progress.begin(f"{contender.name}: start {number + 1}")
            try:
                seconds = _start(bench, contender, number)
            except PeerError as error:
                print(f"{contender.name}: {error}", file=sys.stderr)
                able = [each for each in able if each is not contender]
                continue
            if number >= 0:
                taken.setdefault(contender.name, []).append(seconds)
    return taken


def _start(bench: Bench, contender: Contender, number: int) -> float:
    started = time.perf_counter()
    with bench.process(contender) as process:
        bench.load(START, contender, process)
        process.begin(START.prompts(number), 1)
        return time.perf_counter() - started


def measure(
    bench: Bench,
    works: Sequence[Work],
    contenders: Sequence[Contender],
    report: EngineReport,
    keep: Callable[[], object] = lambda: None,
) -> None:
    """All contenders at all works, into the report; `keep` is called after each."""
    for work in works:
        report.results[work.title] = bench.measure(work, contenders)
        keep()
    bench.progress.end()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line. Returns 0 whether or not targets are met."""
    options = _parser().parse_args(arguments)
    report = EngineReport.read(options.add_to) if options.add_to else EngineReport()
    options.models.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.models, options.threads, Probe(options.threads), Progress(), options.patience)
    report.facts |= machine.facts(["torch"]) | {"threads": str(options.threads)}

    def keep() -> None:
        if options.add_to:
            report.write(options.add_to)

    contenders = [
        each
        for each in field(options.dtype, dict(options.peer), report)
        if not any(text in each.name for text in options.without)
    ]
    wanted = [work for work in WORKS if options.only in work.title]
    works = [replace(work, rounds=min(work.rounds, 2)) for work in wanted] if options.quick else wanted
    measure(bench, works, contenders, report, keep)
    _others(bench, contenders, report, options)
    keep()
    bench.progress.end()
    print(report.text())
    if options.write:
        chart = options.write.with_suffix(".svg")
        chart.write_text(engine_chart.svg(report.results.values()))
        report.publish(options.write, chart.name)
    return 0


def _others(bench: Bench, contenders: Sequence[Contender], report: EngineReport, options: argparse.Namespace) -> None:
    """What is no matter of steps: HTTP, starts, and errors of logits."""
    kiln = next(each for each in contenders if each.peer == KILN)
    for work in SERVED:
        if options.only in f"{work.shape.name}, HTTP":
            rounds = 1 if options.quick else work.rounds
            report.serving[work.shape.name] = engine_serving.measure(bench, work, kiln, rounds)
    if options.only in f"{SMALL.name}, load to first token":
        measured = [each for each in contenders if each.peer != KILN_TORCH]
        report.starts = starts(bench, measured, 1 if options.quick else START.rounds)
    if any(each.peer == TRANSFORMERS for each in contenders):
        for shape in (SMALL, QWEN3):
            if options.only in f"{shape.name}, error of logits":
                bench.progress.begin(f"{shape.name}: error of logits")
                report.errors[shape.name] = engine_accuracy.measured(options.models / shape.name)


def _peer(text: str) -> tuple[str, str]:
    """A peer and the path of its interpreter. Raises ArgumentTypeError."""
    name, _, python = text.partition("=")
    if name not in MODULES or not python:
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=PYTHON with a NAME out of {', '.join(MODULES)}")
    return name, os.path.abspath(python)  # not resolved: a virtual environment's interpreter is a link


def _parser() -> argparse.ArgumentParser:
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine", description=__doc__)
    parser.add_argument("--models", type=Path, default=cache / "kiln-bench", metavar="FOLDER", help="kept models")
    parser.add_argument(
        "--peer",
        type=_peer,
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        help=f"its interpreter: {', '.join(MODULES)}",
    )
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16", help="of our engine")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their title")
    parser.add_argument("--without", action="append", default=[], metavar="TEXT", help="contenders with this in a name")
    parser.add_argument("--quick", action="store_true", help="two rounds of each row")
    parser.add_argument("--patience", type=float, default=150.0, help="seconds that a row's prompts may take a peer")
    parser.add_argument("--add-to", type=Path, metavar="FILE.json", help="keep what was measured, with earlier rows")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="put it into a page, between its marks")
    return parser


if __name__ == "__main__":
    sys.exit(main())
