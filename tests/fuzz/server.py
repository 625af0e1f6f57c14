"""Send many generated and mutated requests to a live server and report what is wrong with its answers.

python -m tests.fuzz.server --requests 20000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import structlog
from hypothesis import HealthCheck, Phase, given, seed, settings

from kiln_server.app import create_app
from kiln_server.backend import Adapter
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from tests.fuzz.answers import complaints
from tests.fuzz.requests import ENDPOINTS, KNOWN_ADAPTER, PER_EXAMPLE, Sent, requests
from tests.kiln_server.live import Live, serving
from tests.kiln_server.services import ready_service

SLOW_S: Final = 20.0
"""An answer of a few tokens that takes longer counts as a hang."""
STEP: Final = 400
"""Requests to each endpoint between two lines of progress."""
SCRIPT: Final[dict[str, Any]] = {
    "context_length": 192,
    "prompt_tail": "<think>\n",
    "special": {"</think>": 300},
    "answers": [
        ["a", "b", {"id": 300}, "yes", "<eos>"],
        [{"id": 300}, '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', "<eos>"],
        [{"hex": "f09f"}, {"hex": "9880"}, "</think>", {"hex": "ff"}, "stop", "END", "<eos>"],
        ["<eos>"],
    ],
}


class Finding(NamedTuple):
    """One thing that is wrong with the answer to one request."""

    sent: Sent
    what: str

    def __str__(self) -> str:
        return f"{self.sent.kind}, {self.what[:2000]}\n{_shown(self.sent)}"


class Timed(NamedTuple):
    """How long an answer took, in seconds."""

    seconds: float
    sent: Sent | None


class Report(NamedTuple):
    """How many requests of each kind were answered how, the slowest answer, and what was wrong."""

    answered: Counter[tuple[str, str]]
    slowest: Timed
    found: list[Finding]

    @property
    def requests(self) -> int:
        return self.answered.total()

    def plus(self, other: Report) -> Report:
        slowest = max(self.slowest, other.slowest, key=lambda timed: timed.seconds)
        return Report(self.answered + other.answered, slowest, [*self.found, *other.found])

    def complaint(self) -> str:
        """The findings, the shortest request of each kind, for a person to read."""
        shortest: dict[str, Finding] = {}
        for one in self.found:
            key = f"{one.sent.definition} {one.what[:60]}"
            if key not in shortest or len(one.sent.body) < len(shortest[key].sent.body):
                shortest[key] = one
        return "\n\n".join(map(str, shortest.values()))


NOTHING: Final = Report(Counter(), Timed(0.0, None), [])


@contextmanager
def target() -> Iterator[Live]:
    """A live server with a scripted model and one saved adapter; nothing may be left running in it at the end."""
    backend = MockBackend(parse(SCRIPT), adapters=[Adapter(KNOWN_ADAPTER, "sha256:" + "0" * 64)])
    service = ready_service(backend, default_max_tokens=16)
    with serving(create_app(service)) as live:
        yield live
        assert (service.admission.running, service.admission.waiting, service.backend.stats().running) == (0, 0, 0)


def run(live: Live, definition: str, *, count: int, seed_: int) -> Report:
    """Send at least `count` requests of one definition."""
    reports = [NOTHING]

    @seed(seed_)
    @settings(
        max_examples=-(-count // PER_EXAMPLE),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(requests(definition))
    def send(drawn: list[Sent]) -> None:
        for sent in drawn:
            reports[0] = reports[0].plus(_send(live, sent))

    send()
    return reports[0]


def _send(live: Live, sent: Sent) -> Report:
    began = time.monotonic()
    answered, wrong = complaints(live, sent)
    took = time.monotonic() - began
    if took > SLOW_S:
        wrong.append(f"the answer took {took:.1f} s")
    return Report(Counter([(sent.kind, answered)]), Timed(took, sent), [Finding(sent, what) for what in wrong])


def main(arguments: list[str] | None = None) -> int:
    """Run over all endpoints; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(ENDPOINTS), help="requests of one definition instead of all")
    options = parser.parse_args(arguments)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    names = [options.only] if options.only else list(ENDPOINTS)
    with target() as live:
        report = _run_all(live, names, count=options.requests, seed_=options.seed)
    _print_summary(report)
    return 1 if report.found else 0


def _run_all(live: Live, names: list[str], *, count: int, seed_: int) -> Report:
    total = NOTHING
    began = time.monotonic()
    for turn in range(-(-count // (STEP * len(names)))):
        for name in names:
            share = min(STEP, -(-count // len(names)))
            total = total.plus(run(live, name, count=share, seed_=seed_ + turn * 1_000_003))
        state = f"{len(total.found)} findings, slowest {total.slowest.seconds:.2f} s, {time.monotonic() - began:.0f} s"
        print(f"{total.requests}/{count} requests: {state}", flush=True)
    return total


def _print_summary(report: Report) -> None:
    for (kind, answered), number in sorted(report.answered.items()):
        print(f"{number:7}  {kind:16} {answered}")
    if report.slowest.sent is not None:
        print(f"\nslowest, {report.slowest.seconds:.2f} s: {_shown(report.slowest.sent)}")
    print(f"\n{report.complaint() or 'nothing is wrong'}")


def _shown(sent: Sent) -> str:
    return f"POST {sent.path} {sent.headers}\n{sent.body[:2000]!r}"


if __name__ == "__main__":
    sys.exit(main())
