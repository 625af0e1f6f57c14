"""What one run measured of the servers, and its forms: terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Final

from tests.bench.closed_loop import Load
from tests.bench.goals import Verdict
from tests.bench.servers import FASTAPI, KILN, STARLETTE
from tests.bench.table import Rows, aligned, markdown, verdict_rows

MAX_TOKEN_US: Final = 25.0
MAX_SPREAD: Final = 1.3
"""How much more a token may cost with any number of streams than with the number that it costs least with."""

_PREAMBLE: Final = """\
# How fast the server is

Ratios carry over to other machines, times do not. Your own numbers:

```sh
python -m tests.bench.server --write {path}
```

## Targets

`>=` is how many times more CPU time the peer takes for the same; the other targets are Kiln's own.
"""

_METHOD: Final = """\
## Method

* Every server is a process of its own: one worker on uvicorn, uvloop and httptools. They take turns under the same
  load, from a client on bare sockets in another process, whose connections ask again as soon as they are answered.
* CPU time is the server process's own, all threads, as the kernel's scheduler counted it; it is the number to compare,
  since a busy machine stretches the others. Requests a second and p99 are what the client saw.
* All servers do the same mock work: they read the body, render the same chat template, encode it, take the same tokens
  from the same mock backend, turn them into text and answer the same JSON. The mock's own time is in every number.
* Kiln runs as it is installed: every check of the contract, API keys from a file, metrics, a log line for each
  request, the record of recent requests. The peers have none of these.
* `FastAPI + pydantic` reads requests with a model of 48 members and writes pydantic models. `Starlette + json` reads
  and writes dicts and checks nothing.
* In the streams the mock gives out one token at a time, as an engine does; in the last table 64 at a time.
"""


@dataclass
class ServerReport:
    """Loads by title and server, and the machine they come from."""

    facts: dict[str, str]
    loads: dict[str, dict[str, Load]] = field(default_factory=dict)

    def verdicts(self) -> list[Verdict]:
        """Every target that this run can judge."""
        return [*self._chat(), *self._streams()]

    def _chat(self) -> Iterator[Verdict]:
        for title, loads in self.loads.items():
            if not _is_stream(title):
                for peer, target in ((FASTAPI, 2.0), (STARLETTE, 0.8)):
                    measured = _us_per_answer(loads[peer]) / _us_per_answer(loads[KILN])
                    yield Verdict(f"{title}: CPU", peer, measured, target, "x", at_least=True)

    def _streams(self) -> Iterator[Verdict]:
        costs = {
            title: _us_per_token(loads[KILN]) for title, loads in self.loads.items() if title.startswith("streams")
        }
        for title, cost in costs.items():
            yield Verdict(f"{title}: CPU per token", "", cost, MAX_TOKEN_US, "µs", at_least=False)
        if len(costs) > 1:
            spread = max(costs.values()) / min(costs.values())
            yield Verdict("CPU per token: most / least", "number of streams", spread, MAX_SPREAD, "x", at_least=False)

    def text(self) -> str:
        """Tables for a terminal, the targets last."""
        facts = "\n".join(f"{name}: {fact}" for name, fact in self.facts.items())
        return "\n\n".join([facts, *map(aligned, self._details()), aligned(verdict_rows(self.verdicts()))])

    def markdown(self, path: str) -> str:
        """A page with the targets first, then every table and the machine. `path` is named in it."""
        facts = markdown([("fact", "value"), *self.facts.items()])
        details = "\n\n".join(map(markdown, self._details()))
        parts = [_PREAMBLE.format(path=path), markdown(verdict_rows(self.verdicts())), f"\n{_METHOD}\n## Loads\n"]
        return "\n".join([*parts, details, "\n## Machine\n", facts, ""])

    def _details(self) -> Iterator[Rows]:
        for title, loads in self.loads.items():
            if _is_stream(title):
                head = (title, "CPU µs / token", "tokens/s", "Kiln uses", "client CPU µs / token")
                yield [head, *(_stream_row(name, load, loads[KILN]) for name, load in loads.items())]
            else:
                head = (title, "CPU µs / request", "requests/s", "p50 ms", "p99 ms", "Kiln uses", "client CPU µs")
                yield [head, *(_chat_row(name, load, loads[KILN]) for name, load in loads.items())]


def _is_stream(title: str) -> bool:
    return "stream" in title


def _us_per_answer(load: Load) -> float:
    return load.server_cpu_s / load.answers * 1e6


def _us_per_token(load: Load) -> float:
    return load.server_cpu_s / load.tokens * 1e6


def _chat_row(name: str, load: Load, kiln: Load) -> tuple[str, ...]:
    percentiles = quantiles(load.seconds, n=100)
    return (
        name,
        f"{_us_per_answer(load):.0f}",
        f"{load.answers / load.wall_s:,.0f}",
        f"{percentiles[49] * 1e3:.2f}",
        f"{percentiles[98] * 1e3:.2f}",
        f"{_us_per_answer(kiln) / _us_per_answer(load):.2f}x",
        f"{load.client_cpu_s / load.answers * 1e6:.0f}",
    )


def _stream_row(name: str, load: Load, kiln: Load) -> tuple[str, ...]:
    return (
        name,
        f"{_us_per_token(load):.1f}",
        f"{load.tokens / load.wall_s:,.0f}",
        f"{_us_per_token(kiln) / _us_per_token(load):.2f}x",
        f"{load.client_cpu_s / load.tokens * 1e6:.1f}",
    )
