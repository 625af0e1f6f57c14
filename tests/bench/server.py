"""Measure the server against its peers: `python -m tests.bench.server`.

Prints what every server did under every load and, last, each target with what was measured. A missed target is
reported and is no failure. Linux only: CPU time of the servers comes from the scheduler's own counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import uvloop

from tests.bench import machine
from tests.bench.closed_loop import Load, load
from tests.bench.progress import Progress
from tests.bench.server_layers import Layers, layers
from tests.bench.server_report import ServerReport
from tests.bench.servers import Server, running

WORDS: Final = ("time", "there", "was", "a", "small", "server", "that", "answered", "every", "request", "it", "got")
PACKAGES: Final = ("starlette", "uvicorn", "uvloop", "httptools", "msgspec", "fastapi", "pydantic", "jinja2")


@dataclass(frozen=True)
class Scenario:
    """One kind of load. With `step_by_step` the mock gives one token at a time, as an engine does, else many."""

    title: str
    stream: bool
    connections: int
    tokens: int
    step_by_step: bool = False

    @property
    def script(self) -> dict[str, Any]:
        """The mock's script: an EOS follows, which counts as a token."""
        pieces = [" " + WORDS[index % len(WORDS)] for index in range(self.tokens - 1)]
        # A pause that is over before it can be slept: tokens come one by one, as fast as they are taken.
        return {"answers": [pieces], "delay_ms": 0.001 if self.step_by_step else 0}


CHAT: Final = Scenario("small chat requests, 16 tokens", stream=False, connections=16, tokens=16)
STREAMS: Final = tuple(
    Scenario(f"streams at once: {count}", stream=True, connections=count, tokens=256, step_by_step=True)
    for count in (1, 16, 64)
)
BURSTS: Final = Scenario("64 streams, 64 tokens at a time", stream=True, connections=64, tokens=256)
SCENARIOS: Final = (CHAT, *STREAMS, BURSTS)


@dataclass(frozen=True)
class Plan:
    """How long each server is under each load: rounds, which the servers take in turns, and their length."""

    rounds: int
    seconds: float


FULL: Final = Plan(rounds=5, seconds=3.0)
QUICK: Final = Plan(rounds=1, seconds=1.0)


def measure(scenarios: Sequence[Scenario], plan: Plan, progress: Progress) -> ServerReport:
    """Put all servers under all loads."""
    report = ServerReport(machine.facts(PACKAGES))
    for script, group in groupby(scenarios, lambda scenario: scenario.script):
        with tempfile.TemporaryDirectory() as folder, running(script, Path(folder)) as servers:
            for scenario in group:
                progress.begin(scenario.title)
                report.loads[scenario.title] = _measure(scenario, servers, plan, progress)
    progress.begin("layers")
    report.layers = count_layers()
    progress.end()
    return report


def count_layers() -> dict[str, dict[str, Layers]]:
    """What a request, and a token of a stream, makes the servers run."""
    stream = STREAMS[0]
    return {
        CHAT.title.replace("requests", "request"): layers(CHAT.script, stream=False),
        "a token of a stream": layers(stream.script, stream=True, tokens=stream.tokens),
    }


def _measure(scenario: Scenario, servers: list[Server], plan: Plan, progress: Progress) -> dict[str, Load]:
    loads = {server.name: Load(scenario.connections) for server in servers}
    for number in range(plan.rounds):
        first = number % len(servers)
        for server in servers[first:] + servers[:first]:
            uvloop.run(load(server, loads[server.name], stream=scenario.stream, seconds=plan.seconds))
        progress.round(number)
    return loads


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line. Returns 0 whether or not targets are met."""
    options = _parser().parse_args(arguments)
    report = measure(SCENARIOS, QUICK if options.quick else FULL, Progress())
    print(report.text())
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(report.markdown(str(options.write)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.server", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough picture in less than a minute")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="write a page")
    return parser


if __name__ == "__main__":
    sys.exit(main())
