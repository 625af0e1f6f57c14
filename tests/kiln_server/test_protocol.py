"""Clients that send slowly, endlessly or too late, against limits of fractions of a second."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from string import ascii_lowercase
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from kiln_server import protocol
from kiln_server.protocol import MAX_HEAD_BYTES, bounded

pytestmark = pytest.mark.anyio

LIMIT_S = 0.25
LONG_S = 4 * LIMIT_S
SOON_S = 5.0
"""More than any limit, on a slow machine too, and less than a client in these tests goes on for."""
PATIENCE_S = 20.0

App = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

HEAD = b"POST / HTTP/1.1\r\nhost: x\r\n"


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": request.param}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "GRACE_S", 0.05)
    monkeypatch.setattr(protocol, "REST_TIMEOUT_S", LIMIT_S)


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._dripping: asyncio.Task[None] | None = None

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def drip(self, data: bytes) -> None:
        """Begin to send byte by byte, until the server has had enough."""
        self._dripping = asyncio.create_task(self._drip(data))

    async def _drip(self, data: bytes) -> None:
        for byte in data:
            if self._reader.at_eof():
                return
            await self.send(bytes([byte]))
            await asyncio.sleep(LIMIT_S / 8)

    async def answer(self) -> tuple[int, bytes]:
        async with asyncio.timeout(PATIENCE_S):
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            return int(head.split(b" ")[1]), await self._reader.readexactly(length)

    async def closed(self) -> bytes:
        """Wait until the server closes; what it sent before."""
        async with asyncio.timeout(PATIENCE_S):
            try:
                return await self._reader.read()
            except ConnectionError:
                return b""

    async def refused(self, status: bytes = b"HTTP/1.1 408") -> bool:
        """Whether the server soon closes under a client that goes on sending.

        What it says may be lost: bytes that arrive after it has closed reset the connection.
        """
        began = asyncio.get_running_loop().time()
        said = await self.closed()
        return (not said or said.startswith(status)) and asyncio.get_running_loop().time() - began < SOON_S

    async def close(self) -> None:
        if self._dripping is not None:
            self._dripping.cancel()
            await asyncio.wait([self._dripping])
        self._writer.close()


@asynccontextmanager
async def serving(
    app: App, *, body_s: float = LIMIT_S, keep_alive_s: int = 60
) -> AsyncIterator[Callable[[], Awaitable[Client]]]:
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, access_log=False, timeout_keep_alive=keep_alive_s
    )
    config.load()
    make = bounded(LIMIT_S, body_s)
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: make(config, state, {}), "127.0.0.1", 0)
    clients = []

    async def connect() -> Client:
        port = server.sockets[0].getsockname()[1]
        clients.append(Client(*await asyncio.open_connection("127.0.0.1", port)))
        return clients[-1]

    try:
        yield connect
    finally:
        server.close()
        for client in clients:
            await client.close()
        async with asyncio.timeout(PATIENCE_S):
            while state.connections or state.tasks:
                await asyncio.sleep(0.01)


async def body_of(receive: Callable[[], Awaitable[Any]]) -> bytes | None:
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message["body"]
        if not message["more_body"]:
            return body


async def reply(send: Callable[[Any], Awaitable[None]], body: bytes) -> None:
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = await body_of(receive)
    if body is not None:
        await reply(send, body + b" " + b",".join(name for name, _ in scope["headers"]))


async def early(_: Any, __: Any, send: Any) -> None:
    await reply(send, b"early")


def code(body: bytes) -> str:
    return str(json.loads(body)["error"]["code"])


class TestHead:
    async def test_a_connection_without_a_request_is_closed_without_a_word(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            assert await client.closed() == b""

    async def test_a_head_in_drips_has_the_limit_in_all(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            client.drip(HEAD * 10)
            assert await client.refused()

    async def test_the_next_request_has_the_limit_too(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 0\r\n\r\n")
            assert (await client.answer())[0] == 200
            await client.send(HEAD)
            status, body = await client.answer()
            assert (status, code(body)) == (408, "request_timeout")
            assert await client.closed() == b""

    async def test_the_limit_of_a_body_before_does_not_delay_it(self) -> None:
        async with serving(echo, body_s=PATIENCE_S) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 2\r\n\r\n1")
            await asyncio.sleep(2 * LIMIT_S)  # the timer is the body's now
            await client.send(b"2")
            assert (await client.answer())[0] == 200
            began = asyncio.get_running_loop().time()
            await client.send(HEAD)
            assert (await client.answer())[0] == 408
            assert asyncio.get_running_loop().time() - began < SOON_S

    async def test_blank_lines_do_not_keep_a_connection(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 0\r\n\r\n")
            assert (await client.answer())[0] == 200
            client.drip(b"\r\n" * 200)
            assert await client.refused(b"")

    async def test_a_pause_between_requests_is_no_fault(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            for _ in range(2):
                await client.send(HEAD + b"content-length: 0\r\n\r\n")
                assert (await client.answer())[0] == 200
                await asyncio.sleep(2 * LIMIT_S)

    async def test_an_endless_header_is_refused(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"x: ")
            for _ in range(2 * MAX_HEAD_BYTES // 4096):
                try:
                    await client.send(b"y" * 4096)
                except ConnectionError:
                    break
                await asyncio.sleep(0)
            assert await client.refused(b"HTTP/1.1 400")


class TestBody:
    async def test_a_body_that_stops_is_answered_408(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 10\r\n\r\nabc")
            status, body = await client.answer()
            assert (status, code(body)) == (408, "request_timeout")
            assert await client.closed() == b""

    async def test_a_body_that_goes_on_has_all_the_time(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 26\r\n\r\n")
            client.drip(ascii_lowercase.encode())
            assert (await client.answer())[1].startswith(ascii_lowercase.encode() + b" ")

    async def test_the_application_may_take_its_time(self) -> None:
        async def late(scope: Any, receive: Any, send: Any) -> None:
            await asyncio.sleep(LONG_S)
            await echo(scope, receive, send)

        async with serving(late) as connect:
            client = await connect()
            size = 8 * 1024 * 1024
            await client.send(HEAD + b"content-length: %d\r\n\r\n" % size)
            await client.send(b"x" * size)
            status, body = await client.answer()
            assert (status, len(body) > size) == (200, True)

    async def test_an_answer_may_take_its_time(self) -> None:
        async def slow(_: Any, receive: Any, send: Any) -> None:
            body = await body_of(receive)
            await asyncio.sleep(LONG_S)
            await reply(send, body or b"")

        async with serving(slow) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 2\r\n\r\nhi" + HEAD)
            assert await client.answer() == (200, b"hi")

    async def test_a_body_that_stops_under_a_running_answer_ends_the_connection(self) -> None:
        async def both(_: Any, receive: Any, send: Any) -> None:
            headers = [(b"content-length", b"9")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await body_of(receive)

        async with serving(both) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 10\r\n\r\nabc")
            assert b"408" not in await client.closed()

    async def test_trailers_are_no_headers(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n")
            await client.send(b"authorization: me\r\n\r\n")
            assert await client.answer() == (200, b"hi host,transfer-encoding")

    async def test_endless_trailers_do_not_keep_a_connection(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n")
            client.drip(b"a: b\r\n" * 100)
            assert await client.refused()


class TestRest:
    async def test_a_client_that_sends_on_after_the_answer_is_closed(self) -> None:
        async with serving(early) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 1000\r\n\r\n")
            assert await client.answer() == (200, b"early")
            client.drip(b"x" * 400)
            assert await client.refused()

    async def test_a_body_that_ends_late_leaves_the_connection_usable(self) -> None:
        async with serving(early) as connect:
            client = await connect()
            for _ in range(2):
                await client.send(HEAD + b"content-length: 3\r\n\r\n")
                assert await client.answer() == (200, b"early")
                await client.send(b"abc")

    async def test_after_a_late_body_an_idle_connection_is_closed_without_a_word(self) -> None:
        async with serving(early) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 3\r\n\r\n")
            assert await client.answer() == (200, b"early")
            await client.send(b"abc")
            assert await client.closed() == b""


class TestIdle:
    async def test_a_connection_that_asks_nothing_more_is_closed_without_a_word(self) -> None:
        async with serving(echo, keep_alive_s=1) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 1\r\n\r\n1")
            await client.answer()
            began = asyncio.get_running_loop().time()
            assert await client.closed() == b""
            assert 0.9 < asyncio.get_running_loop().time() - began < SOON_S

    async def test_every_answer_begins_the_time_anew(self) -> None:
        async with serving(echo, keep_alive_s=1) as connect:
            client = await connect()
            for _ in range(3):
                await client.send(HEAD + b"content-length: 1\r\n\r\n1")
                assert (await client.answer())[0] == 200
                await asyncio.sleep(0.6)

    async def test_an_answer_under_way_is_not_idle(self) -> None:
        async def late(scope: Any, receive: Any, send: Any) -> None:
            await asyncio.sleep(1.5)
            await echo(scope, receive, send)

        async with serving(late, keep_alive_s=1) as connect:
            client = await connect()
            for _ in range(2):
                await client.send(HEAD + b"content-length: 1\r\n\r\n1")
                assert (await client.answer())[0] == 200

    async def test_the_head_of_the_next_request_has_its_own_limit(self) -> None:
        async with serving(echo, keep_alive_s=60) as connect:
            client = await connect()
            await client.send(HEAD + b"content-length: 1\r\n\r\n1")
            await client.answer()
            await client.send(b"POST / HTTP/1.1\r\n")
            assert await client.refused()


class TestPipeline:
    async def test_requests_in_one_packet_are_answered_in_order(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            one = HEAD + b"content-length: 1\r\n\r\n"
            await client.send(one + b"1" + one + b"2" + one + b"3")
            answers = [await client.answer() for _ in range(3)]
            assert [body[:1] for _, body in answers] == [b"1", b"2", b"3"]
