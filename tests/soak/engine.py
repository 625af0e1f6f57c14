"""Keep the engine under mixed load with clients that leave: `python -m tests.soak.engine`.

A real server process over a real model. Every client that stays must get the very text that it gets alone, the cache
must be empty at the end, and memory must stay flat. Exit code 0 when all of that held. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import psutil

from tests.kiln_server.crowd import Visit, visit
from tests.kiln_server.running import Running
from tests.soak.record import Soak

CLIENTS: Final = 64
SAMPLE_S: Final = 5.0
NUM_QUESTIONS: Final = 24
FILLING_S: Final = 20.0
"""Load before the first sample, in which the cache's pages are touched for the first time."""
SETTLE_S: Final = 10.0
"""How long it may take until the last client's blocks are free."""

_BLOCKS_USED: Final = re.compile(r"^kiln_blocks_used (\S+)", re.MULTILINE)


class Question(NamedTuple):
    """A seeded request, and the text that it is answered with."""

    text: str
    members: dict[str, Any]
    answer: str = ""


class Served(NamedTuple):
    """A server process that is ready."""

    process: psutil.Process
    port: int


async def soak(served: Served, minutes: float) -> Soak:
    """Load a server for so long; the first wrong answers are kept, and do not end it."""
    state = Soak()
    questions = [await _answered(served.port, question) for question in _questions()]
    started = time.monotonic() + FILLING_S
    until = started + minutes * 60
    async with asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            dice = random.Random(number)  # noqa: S311 - dice for load
            tasks.create_task(_client(served.port, state, questions, until, dice))
        await asyncio.sleep(FILLING_S)
        while (now := time.monotonic()) < until:
            state.samples.append((now - started, served.process.memory_info().rss))
            state.show()
            await asyncio.sleep(min(SAMPLE_S, until - now))
    await _settle(served.port, state)
    return state


def _questions() -> Iterator[Question]:
    dice = random.Random(7)  # noqa: S311 - dice for load
    for number in range(NUM_QUESTIONS):
        text = f"question {number}: " + "blah " * dice.randrange(40)
        yield Question(
            text, {"seed": number, "max_tokens": dice.randrange(1, 60), "temperature": dice.choice((0.0, 0.9))}
        )


async def _answered(port: int, question: Question) -> Question:
    alone = await visit(port, Visit(question.text, stream=False), **question.members)
    if alone is None or alone.status != 200:
        raise RuntimeError(f"the server did not answer the first questions: {alone}")
    return question._replace(answer=alone.text)


async def _client(port: int, state: Soak, questions: Sequence[Question], until: float, dice: random.Random) -> None:
    """One place for clients, who come one after another; a third of them leave early."""
    while time.monotonic() < until:
        question = dice.choice(questions)
        leaves_after_s = dice.choice((0.0, dice.uniform(0, 1.5))) if dice.random() < 1 / 3 else None
        answer = await visit(port, Visit(question.text, dice.random() < 0.5, leaves_after_s), **question.members)
        if leaves_after_s is not None:
            state.left += 1
            continue
        state.stayed += 1
        if answer is None or answer.text != question.answer:
            state.wrong.append(f"{question.text[:20]!r} is {question.answer!r} alone, but was answered {answer}")


async def _settle(port: int, state: Soak) -> None:
    until = time.monotonic() + SETTLE_S
    while (used := await asyncio.to_thread(_blocks_used, port)) > 0:
        if time.monotonic() > until:
            state.wrong.append(f"{used:g} blocks are still in use with no client left")
            return
        await asyncio.sleep(0.1)


def _blocks_used(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
        found = _BLOCKS_USED.search(response.read().decode())
    if found is None:
        raise RuntimeError("/metrics does not tell how many blocks are in use")
    return float(found[1])


@contextmanager
def serving(*flags: str) -> Iterator[Served]:
    """A server over a model, ready for requests."""
    with Running("kiln_server", "--port", "0", "--log-format", "json", *flags) as running:
        port = urlsplit(running.address()).port
        running.event("ready")
        assert port is not None
        yield Served(psutil.Process(running.pid), port)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; the exit code is the verdict."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.engine", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to run (default: 10)")
    parser.add_argument("--model", default="kiln-tiny", help="what --model takes (default: kiln-tiny)")
    chosen = parser.parse_args(arguments)
    with serving("--model", chosen.model, "--device", "cpu", "--kv-cache-memory", "24MiB") as served:
        return asyncio.run(soak(served, chosen.minutes)).verdict()


if __name__ == "__main__":
    sys.exit(main())
