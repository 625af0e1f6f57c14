"""What HTTP costs: answers streamed by a server process, beside the same answers of the engine alone."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.bench.engine_client import MODEL
from tests.bench.engine_measure import Bench
from tests.bench.engine_models import folder_of
from tests.bench.engine_peers.kiln import PROMPT_ROWS
from tests.bench.engine_process import ROOT, Contender, environment
from tests.bench.engine_work import Work

START_S: Final = 60.0


@dataclass(frozen=True)
class Served:
    """One round: seconds of a step by both, and what the client itself used meanwhile."""

    alone_s: float
    served_s: float
    client_cpu_s: float
    """For each token."""


@dataclass
class Serving:
    """All rounds with one model."""

    streams: int
    rounds: list[Served]

    @property
    def ratio(self) -> float:
        """Speed behind HTTP, to that of the engine alone: the median over rounds."""
        return median(each.alone_s / each.served_s for each in self.rounds)


def measure(bench: Bench, work: Work, kiln: Contender, rounds: int) -> Serving:
    """`work.steps` tokens for each stream, in a round once by the engine alone and once through a server."""
    serving = Serving(work.streams, [])
    with bench.process(kiln) as alone, _server(bench, work, kiln) as port:
        bench.load(work, kiln, alone)
        for number in range(-1, rounds):  # the first one warms up
            bench.progress.begin(f"{work.shape.name}, {work.streams} streams over HTTP, round {number + 1}")
            prompts = work.prompts(number)
            alone.begin(prompts, work.steps)
            seconds = alone.advance(work.steps).seconds
            alone.end()
            told = _client(port, work, number)
            if number >= 0:
                serving.rounds.append(Served(seconds / work.steps, told["step_s"], told["cpu_s"]))
    return serving


def _client(port: int, work: Work, number: int) -> dict[str, Any]:
    """Run the client in a process of its own; what it says."""
    asked = [port, work.streams, work.context, work.steps, number]
    command = [sys.executable, "-m", "tests.bench.engine_client", *map(str, asked)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the client failed: {done.stderr.strip()}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@contextmanager
def _server(bench: Bench, work: Work, kiln: Contender) -> Iterator[int]:
    """The server as it is installed, with the engine; gives its port once it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    settings = {
        "port": port,
        "model": folder_of(work.shape, bench.models),
        "served-model-id": MODEL,
        "dtype": kiln.dtype,
        "threads": bench.threads,
        "max-num-seqs": work.streams,
        "max-model-len": work.positions,
        "prefill-chunk": PROMPT_ROWS,
    }
    with (bench.models / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "kiln_server", *(f"--{flag}={value}" for flag, value in settings.items())],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        _wait(process, port, bench.models / "server.log")
        yield port
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _is_ready(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server is not there; {log} says why")
        time.sleep(0.1)


def _is_ready(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
            return b" 200 " in connection.recv(64)
    except OSError:
        return False
