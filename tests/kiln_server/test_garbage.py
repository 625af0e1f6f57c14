"""What a request held is free when it has ended, however that was: nothing waits for the garbage collector.

A refused body may be large, and the collector may take its time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from kiln_server.app import create_app
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.edge.exchange import Exchange
from kiln_server.errors import ApiError
from tests.kiln_server.live import Live, serving, wait_until
from tests.kiln_server.routes.scripted import CHAT, HELLO
from tests.kiln_server.services import ready_service

TIMES = 5

ANSWERS: dict[str, Any] = {"answers": [["a", "b"]]}
FAILS = {**ANSWERS, "fail_after": 1}
SLOW = {**ANSWERS, "delay_ms": 200}


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def held() -> int:
    # Not `isinstance`, which asks objects of other libraries for their class, and some of those complain.
    return sum(type(each) in (ApiError, ClientDisconnect, Exchange) for each in gc.get_objects())


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize(
    ("script", "settings", "members"),
    [
        (ANSWERS, {}, {}),
        (ANSWERS, {}, {"stream": True}),
        (ANSWERS, {}, {"n": 2}),
        (ANSWERS, {}, {"messages": 1}),
        (ANSWERS, {}, {"messages": []}),
        (FAILS, {}, {}),
        (FAILS, {}, {"n": 3}),
        (FAILS, {}, {"stream": True}),
        (SLOW, {"request_timeout_s": 0.05}, {}),
        (SLOW, {"request_timeout_s": 0.05}, {"stream": True}),
        (SLOW, {"stall_timeout_s": 0.05}, {}),
        (SLOW, {"stall_timeout_s": 0.05}, {"n": 2}),
        (SLOW, {"stall_timeout_s": 0.05}, {"stream": True}),
    ],
)
def test_nothing_is_held(script: dict[str, Any], settings: dict[str, Any], members: dict[str, Any]) -> None:
    with serving(create_app(ready_service(MockBackend(parse(script)), **settings))) as live:
        ask(live, members)
        gc.collect()
        before = held()
        for _ in range(TIMES):
            ask(live, members)
        # The connection itself keeps its last request until the next one.
        wait_until(lambda: held() <= before)


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("members", [b"", b', "stream": true'])
def test_nothing_is_held_for_a_client_that_left(members: bytes) -> None:
    body = b'{"messages": [{"role": "user", "content": "x"}]%b}' % members
    head = b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    with serving(create_app(service := ready_service(MockBackend(parse(SLOW))))) as live:

        def leave() -> None:
            with live.connect() as connection:
                connection.sendall(head % (CHAT.encode(), len(body)) + body)
                time.sleep(0.05)

        leave()
        wait_until(lambda: len(service.recent.newest_first()) == 1)
        gc.collect()
        before = held()
        for _ in range(TIMES):
            leave()
        wait_until(lambda: len(service.recent.newest_first()) == 1 + TIMES)
        wait_until(lambda: held() <= before)


def ask(live: Live, members: dict[str, Any]) -> None:
    live.ask("POST", CHAT, json={"messages": HELLO, **members})
