"""Engines as processes: which of them can be measured, and a conversation with each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from tests.bench.engine_peers import MODULES
from tests.bench.engine_peers.peer import Load

ROOT: Final = Path(__file__).parents[2]

_VERSIONS: Final = """
import sys
from importlib.metadata import version
print(*map(version, sys.argv[1:]), sep="\\n")
"""


class PeerError(Exception):
    """A peer could not do what it was asked for; the message says what became of it."""


@dataclass(frozen=True)
class Contender:
    """A peer in one number format, and the interpreter that has it."""

    peer: str
    dtype: str
    python: str = sys.executable

    @property
    def name(self) -> str:
        return f"{self.peer}, {self.dtype}"


def versions(peer: str, python: str) -> Mapping[str, str]:
    """What the peer needs, by distribution, as the interpreter has it. Raises PeerError when something is missing."""
    needs = MODULES[peer].needs
    done = subprocess.run([python, "-c", _VERSIONS, *needs], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise PeerError(f"not installed for {python} ({reason})")
    return dict(zip(needs, done.stdout.split(), strict=True))


class Reply(NamedTuple):
    """What a command took, by the clock and of the processors; seconds of each phase, from an engine that tells."""

    seconds: float
    cpu_seconds: float
    phases: Mapping[str, float]


class Process:
    """A contender at work. What it logs goes to `log`. Ends with the `with` block."""

    def __init__(self, contender: Contender, log: Path) -> None:
        self.name = contender.name
        self._log = log
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [contender.python, "-m", "tests.bench.engine_peers", contender.peer],
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def load(self, load: Load) -> None:
        """Have a model loaded."""
        self._ask("load", **load._asdict())

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> Reply:
        """Returns when every prompt has its first token."""
        return _reply(self._ask("begin", prompts=prompts, most=most))

    def advance(self, steps: int) -> Reply:
        """Returns when every prompt has so many more tokens."""
        return _reply(self._ask("advance", steps=steps))

    def end(self) -> None:
        self._ask("end")

    def _ask(self, do: str, **values: Any) -> dict[str, Any]:
        """Raises PeerError with what the peer says, or with the end of its log when it is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps({"do": do, **values}), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise PeerError(self._last_words()) from None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(self._last_words())
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise PeerError(f"{do}: {reply['error']}")
        return reply

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return f"ended with status {self._process.wait()}: {' '.join(lines[-1:])} (all of it: {self._log})"


def _reply(told: dict[str, Any]) -> Reply:
    return Reply(told["seconds"], told["cpu_seconds"], told["phases"])


def environment() -> dict[str, str]:
    """For every process here: the tests and the sources can be imported, and nothing is fetched."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
