"""Everything one run measured, and its forms: JSON, terminal, Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Final

from tests.bench import contenders as c
from tests.bench.goals import Verdict, failing_verdict, memory_verdict, speed_verdicts, startup_verdict
from tests.bench.startup import BARE, FLOOR, READY
from tests.bench.table import Rows, aligned, markdown, memory_rows, series_rows, verdict_rows
from tests.bench.timing import Series

_PREAMBLE: Final = """\
# How fast the contract library is

Ratios carry over to other machines, microseconds do not. Your own numbers:

```sh
python -m tests.bench.contract --write {path}
```

![How many times longer each peer takes than kc.decode]({chart})

## Targets

Each number is a ratio of medians: how many times longer the peer takes (`>=`), or how much we take (`<=`). The column
`strict` is the same ratio for `kc.decode(..., strict=True)`, which also refuses duplicate keys and deep nesting. The
column `msgspec` is the same figure for msgspec by itself: for decoding into the same Structs with no check beyond
their types, or for importing it. Everything here is built on it, so a target that msgspec alone misses is out of reach.
"""

_METHOD: Final = """\
## Method

* All contenders for a document take turns, round by round, each round starting with another one. A sample is as many
  calls as fill about 2 ms. Times are CPU time of the process, with garbage collection on.
* `orjson.loads`, `json.loads` and `msgspec untyped` only parse. `msgspec typed` builds the same Structs as `kc.decode`
  and checks nothing that a type cannot say.
* `orjson + jsonschema-rs` parses and checks against the same schema files; it returns dicts and knows no rule beyond
  JSON Schema.
* `pydantic, vLLM-like request` is a model of 48 members in the manner of OpenAI-compatible servers: unions of message
  types, open objects, three validators that are Python.
* `pydantic, generated from the schema` is what datamodel-code-generator writes for our schemas by default. By default
  each value of a named scalar type, such as a token id, becomes an object around that scalar, which makes long arrays
  slow. `pydantic, generated, scalars unwrapped` is the same with root models collapsed and literals for enums: a team
  that knows these options gets that. Both are held against the same target. `pydantic, types alone` has our Structs'
  types and bounds and nothing else, the leanest form we found. None of them checks the rules between members.
* All pydantic rows read JSON text with `model_validate_json`.
* A fresh process is measured with byte code in place, as an installed package has it: among all that is installed here,
  and with nothing but the library and msgspec to be found. msgspec imports `typing_extensions` where that is installed.
"""


@dataclass
class Report:
    """Results by document title, the verdicts that follow from them, and the machine they come from."""

    facts: dict[str, str]
    decoding: dict[str, dict[str, Series]] = field(default_factory=dict)
    failing: dict[str, dict[str, Series]] = field(default_factory=dict)
    encoding: dict[str, dict[str, Series]] = field(default_factory=dict)
    startup: dict[str, dict[str, Series]] = field(default_factory=dict)
    """By environment and program."""
    memory: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    """Titles of the documents by key."""

    def verdicts(self) -> list[Verdict]:
        """Every target that this run can judge."""
        return list(self._verdicts())

    def _verdicts(self) -> Iterator[Verdict]:
        for key, title in self.keys.items():
            yield from speed_verdicts(key, title, self.decoding[title])
        for title, measured in self.failing.items():
            yield failing_verdict(title, measured)
        for where, programs in self.startup.items():
            ready, floor = (programs[name].median - programs[BARE].median for name in (READY, FLOOR))
            yield startup_verdict(f"import and 8 decoders; {where}", ready, floor)
        for title, grown in self.memory.items():
            yield memory_verdict(title, median(grown[c.DECODE]))

    def json(self) -> str:
        """All samples and verdicts, for other programs."""
        raw = {name: _raw(getattr(self, name)) for name in ("decoding", "failing", "encoding", "startup")}
        verdicts = [{**asdict(verdict), "met": verdict.met} for verdict in self.verdicts()]
        return json.dumps({"facts": self.facts, "verdicts": verdicts, "memory": self.memory, **raw}, indent=1)

    def text(self) -> str:
        """Tables for a terminal, the targets last."""
        facts = "\n".join(f"{name}: {fact}" for name, fact in self.facts.items())
        return "\n\n".join([facts, *map(aligned, self._details()), aligned(verdict_rows(self.verdicts()))])

    def markdown(self, path: str, chart: str) -> str:
        """A page with the targets first, then every table and the machine. `path` and `chart` are named in it."""
        facts = markdown([("fact", "value"), *self.facts.items()])
        details = "\n\n".join(map(markdown, self._details()))
        return "\n".join(
            [
                _PREAMBLE.format(path=path, chart=chart),
                markdown(verdict_rows(self.verdicts())),
                f"\n{_METHOD}\n## Machine\n",
                facts,
                "\n## All times\n",
                f"{details}\n",
            ]
        )

    def _details(self) -> Iterator[Rows]:
        for title, measured in self.decoding.items():
            yield series_rows(title, measured, c.DECODE)
        for title, measured in self.failing.items():
            yield series_rows(f"{title}, broken", measured, c.JSON)
        for title, measured in self.encoding.items():
            yield series_rows(f"{title}, written", measured, c.DUMPS)
        for where, programs in self.startup.items():
            yield series_rows(f"a fresh process; {where}", programs, BARE)
        for title, grown in self.memory.items():
            yield memory_rows(title, grown)


def _raw(measured: dict[str, Any]) -> dict[str, Any]:
    return {name: asdict(value) if isinstance(value, Series) else _raw(value) for name, value in measured.items()}
