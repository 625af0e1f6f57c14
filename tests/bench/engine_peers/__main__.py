"""A measured engine as a process: `python -m tests.bench.engine_peers NAME`.

Reads commands and writes replies, a JSON object a line each. Imports no more than the engine that it is named after, so
that any interpreter which has that engine can run it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TextIO

from tests.bench.engine_peers import MODULES
from tests.bench.engine_peers.peer import Load, Peer


class Worker:
    """Carries commands out, and times them."""

    def __init__(self, make: Callable[[Load], Peer]) -> None:
        self._make = make
        self._peer: Peer

    def reply(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do what a command says; says how long it took and, for steps, what the engine tells of them."""
        started, cpu = time.perf_counter(), time.process_time()
        phases = getattr(self, f"_{command.pop('do')}")(**command)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        return {"seconds": seconds, "cpu_seconds": cpu, "phases": dict(phases or {})}

    def _load(self, **values: Any) -> None:
        self._peer = self._make(Load(**values))

    def _begin(self, prompts: list[list[int]], most: int) -> None:
        self._peer.begin(prompts, most)

    def _advance(self, steps: int) -> Any:
        return self._peer.advance(steps)

    def _end(self) -> None:
        self._peer.end()


def _lines(own: TextIO) -> Iterator[dict[str, Any]]:
    for line in own:
        yield json.loads(line)


def main(name: str) -> None:
    """Serve commands until there are no more."""
    # Engines print as they like: what they print goes to the log, and the replies have the pipe to themselves.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(import_module(MODULES[name].module).create)
    for command in _lines(sys.stdin):
        try:
            reply = worker.reply(command)
        except Exception as error:
            # Whatever an engine raises is told; the bench decides what to make of it.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
