"""Keep a server under mixed load with clients that leave, and watch its memory: `python -m tests.soak.server`.

Prints a line of progress every few seconds and a verdict last. Exit code 0 when memory stayed flat and every client
that stayed got its own text; 1 when not. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench.servers import KEY, KILN, Server, alone
from tests.kiln_server.crowd import Visit, visit
from tests.soak.record import Soak

CLIENTS: Final = 48
SAMPLE_S: Final = 5.0


async def soak(server: Server, minutes: float) -> Soak:
    """Load a server for so long; the first wrong answers are kept, and do not end it."""
    state = Soak()
    started = time.monotonic()
    until = started + minutes * 60
    async with asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            tasks.create_task(_client(server, state, until, random.Random(number)))  # noqa: S311 - dice for load
        while (now := time.monotonic()) < until:
            state.samples.append((now - started, server.memory()))
            state.show()
            await asyncio.sleep(min(SAMPLE_S, until - now))
    return state


async def _client(server: Server, state: Soak, until: float, draw: random.Random) -> None:
    """One place for clients, who come one after another; a third of them leave early."""
    while time.monotonic() < until:
        leaves_after_s = draw.choice((0.0, draw.uniform(0, 0.4))) if draw.random() < 1 / 3 else None
        call = Visit(f"{draw.random()} é{'x' * draw.randrange(200)}", draw.random() < 0.5, leaves_after_s)
        answer = await visit(server.port, call, key=KEY)
        if leaves_after_s is not None:
            state.left += 1
            continue
        state.stayed += 1
        if answer is None or answer.text != call.text:
            state.wrong.append(f"asked for {call.text!r}, got {answer}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; the exit code is the verdict."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.server", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to run (default: 10)")
    minutes = parser.parse_args(arguments).minutes
    # One token a millisecond: long enough for clients to leave in the middle.
    with tempfile.TemporaryDirectory() as folder, alone(KILN, {"delay_ms": 1}, Path(folder)) as server:
        state = asyncio.run(soak(server, minutes))
    return state.verdict()


if __name__ == "__main__":
    sys.exit(main())
