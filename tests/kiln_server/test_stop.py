"""The second signal's end of the process is tested on a real one, in test_process."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest

from kiln_server.stop import SIGNALS, Stop


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_awaited(number: signal.Signals) -> None:
    async def run() -> signal.Signals | None:
        with Stop() as stop:
            assert stop.signal is None
            signal.raise_signal(number)
            async with asyncio.timeout(5):
                await stop.wait()
            return stop.signal

    assert asyncio.run(run()) is number


def test_it_wakes_an_event_loop_that_sleeps() -> None:
    async def run() -> float:
        with Stop() as stop:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
            began = time.monotonic()
            async with asyncio.timeout(10):
                await stop.wait()
            return time.monotonic() - began

    assert asyncio.run(run()) < 5


def test_it_can_be_set_without_a_signal() -> None:
    async def run() -> None:
        with Stop() as stop:
            stop.set()
            async with asyncio.timeout(5):
                await stop.wait()
            assert stop.signal is None

    asyncio.run(run())


def test_a_second_signal_ends_the_process_in_its_handler(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)

    async def run() -> None:
        with Stop():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)

    asyncio.run(run())
    assert codes == [128 + signal.SIGINT]
    assert capfd.readouterr().err == "kiln-server: stopped at once by a second signal\n"


def test_the_handlers_that_were_there_come_back() -> None:
    async def run() -> None:
        before = [signal.getsignal(number) for number in SIGNALS]
        with Stop():
            assert [signal.getsignal(number) for number in SIGNALS] != before
        assert [signal.getsignal(number) for number in SIGNALS] == before

    asyncio.run(run())
