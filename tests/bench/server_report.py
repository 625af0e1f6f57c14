"""What one run measured of the servers, and its forms: terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Final

from tests.bench.closed_loop import Load
from tests.bench.goals import Verdict
from tests.bench.server_layers import Layers, layer_rows
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

_WHERE: Final = """
## Where the time goes

Python functions entered and bytecodes run, by layer: they are the same in every run, while times on a shared machine
are not. Work in C is not counted, such as sockets, JSON, hashes and the loop itself. `python -m
tests.bench.server_layers` prints these tables alone.
"""

_TRIED: Final = """
What the peer leaves out is what the difference is made of: for a request, metrics, timing and log; a template that
knows which text is its own, so that no message can smuggle in a control token; stop strings, thinking and tool calls;
deadlines, admission and clients that leave; strict reading. A whole Kiln at 0.8x of bare Starlette would have to do all
of that in a quarter more bytecodes than the peer needs.

A token of a stream is one `write` to a socket, whoever makes it: the kernel took 36 % of the CPU time of Kiln and of
bare Starlette alike (`perf record`, 16 streams). That alone is more than half of the target of 25 µs.

What made it cheaper, from 449 functions and 11,560 bytecodes a request, and 66 and 1,238 a token:

* The tokens of a stream are written by a task of its own, so that each wakes 8 frames and not 16.
* Times and phases are added up once for each answer, in one pass; a histogram takes sorted gaps border by border.
* The lines of a response's head are laid out once for each set of header names.
* The keep-alive limit moves a deadline instead of setting a timer for each request; a body that came with its head sets
  none either; waiting for the client to leave is a context without a closure.
* Random ids are read from the system 2 KiB at a time; the second of a time stamp is spelled once a second.
* A request's line in the log is written without the steps of a general logger (12.4 to 5.5 µs), and strict reading
  sees repeated names by writing the body again (5.0 to 2.5 µs).
* What is loaded is taken out of the garbage collector's sight. It looks at new objects 14 times less often, too, which
  it may, for nothing that a request held waits for it, however the request ended.

What was left alone, and so not measured: waiting a millisecond for further tokens, to send them together. It would make
these streams cheaper, but a model's tokens are farther apart than that, so it would flatter this benchmark alone.
Remembering the control tokens of a template's stretches, faster hashes for keys, and remembered sampling values would
save about 1 % each, by their share of the time, and cost clarity.

What was tried and does not help: machine code instead of bytecode. The 31 modules that a request runs most, compiled
with mypyc, took 12 % fewer instructions and 1 to 4 % less time; all of them compiled with Cython took 20 % more time.
A request is short of cache, not of instructions. Counted by callgrind with this processor's caches, Kiln runs 1.45
times the instructions of bare Starlette and takes 1.76 times as long, because what it touches for a request is larger
than the 512 KiB of a second-level cache: 10,100 lines of 64 bytes miss it, against 2,400. (Instructions / 3 + 12 for
each miss of the first level + 40 for each of the second + 15 for each wrong branch, in cycles, gives 563, 320 and 604
µs for Kiln, bare Starlette and FastAPI; measured then were 548, 347 and 594.) Leaving things out, one at a time, shows
what they cost of these 563 µs: template and encoding 83, phases and gaps of the timing record 45, the log's line 35,
decoding 36, response 22, API key 16, the disconnect timer 12, the stall timer 10. Putting off metrics and log to do 16
requests' together would save 40 to 45, since their code would stay in the cache, at the price of lines that come late.
"""


@dataclass
class ServerReport:
    """Loads by title and server, and the machine they come from."""

    facts: dict[str, str]
    loads: dict[str, dict[str, Load]] = field(default_factory=dict)
    layers: dict[str, dict[str, Layers]] = field(default_factory=dict)
    """What is run for one request or token, by what it is counted for and server."""

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
        tables = [*self._details(), *self._layer_tables(), verdict_rows(self.verdicts())]
        return "\n\n".join([facts, *map(aligned, tables)])

    def markdown(self, path: str) -> str:
        """A page with the targets first, then every table and the machine. `path` is named in it."""
        facts = markdown([("fact", "value"), *self.facts.items()])
        details = "\n\n".join(map(markdown, self._details()))
        parts = [_PREAMBLE.format(path=path), markdown(verdict_rows(self.verdicts())), f"\n{_METHOD}\n## Loads\n"]
        where = "\n\n".join(map(markdown, self._layer_tables()))
        return "\n".join([*parts, details, _WHERE, where, _TRIED, "## Machine\n", facts, ""])

    def _layer_tables(self) -> Iterator[Rows]:
        return (layer_rows(title, measured) for title, measured in self.layers.items())

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
