"""Clients that send slowly, endlessly, too early or nonsense, against limits of fractions of a second."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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
            head = await self.head()
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            return int(head.split(b" ")[1]), await self._reader.readexactly(length)

    async def head(self) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            return await self._reader.readuntil(b"\r\n\r\n")

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

    async def leave(self, *, by_reset: bool) -> None:
        if by_reset:
            linger = struct.pack("ii", 1, 0)
            self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()

    async def close(self) -> None:
        if self._dripping is not None:
            self._dripping.cancel()
            await asyncio.wait([self._dripping])
        self._writer.close()


@asynccontextmanager
async def serving(
    app: App,
    *,
    header_s: float = LIMIT_S,
    body_s: float = LIMIT_S,
    keep_alive_s: int = 60,
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> AsyncIterator[Callable[[], Awaitable[Client]]]:
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, access_log=False, timeout_keep_alive=keep_alive_s
    )
    config.load()
    make = bounded(header_s, body_s)
    state = ServerState()
    state.default_headers = list(headers)
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
            for _ in range(3 * MAX_HEAD_BYTES // 4096):
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
            assert 0.9 < asyncio.get_running_loop().time() - began < 3  # uvicorn's own is 5 s

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


def post(body: bytes, *fields: bytes) -> bytes:
    lines = [*fields, b"content-length: %d" % len(body)]
    return HEAD + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


class Held:
    """An application that answers each request with its body when it is told to, and notes who left."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked: list[bytes | None] = []
        self.left = asyncio.Event()

    async def __call__(self, _: Any, receive: Any, send: Any) -> None:
        body = await body_of(receive)
        self.asked.append(body)
        leaving = asyncio.create_task(receive())
        going = asyncio.create_task(self.go.wait())
        await asyncio.wait([leaving, going], return_when=asyncio.FIRST_COMPLETED)
        going.cancel()
        if leaving.done() and leaving.result()["type"] == "http.disconnect":
            self.left.set()
            return
        await reply(send, body or b"")
        await leaving

    async def asked_once(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not self.asked:
                await asyncio.sleep(0.01)


class TestPipeline:
    async def test_requests_in_one_packet_are_answered_in_order(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            one = HEAD + b"content-length: 1\r\n\r\n"
            await client.send(one + b"1" + one + b"2" + one + b"3")
            answers = [await client.answer() for _ in range(3)]
            assert [body[:1] for _, body in answers] == [b"1", b"2", b"3"]

    @pytest.mark.parametrize("size", [1, 10_000, 200_000])
    async def test_what_was_sent_ahead_is_answered_in_order_however_much_it_is(self, size: int) -> None:
        app = Held()
        async with serving(app, body_s=PATIENCE_S) as connect:
            client = await connect()
            bodies = [b"%d" % i * size for i in range(10)]
            sending = asyncio.create_task(client.send(b"".join(map(post, bodies))))
            await app.asked_once()
            await asyncio.sleep(LIMIT_S)
            app.go.set()
            assert [await client.answer() for _ in bodies] == [(200, body) for body in bodies]
            await sending

    async def test_what_is_sent_ahead_is_not_read_without_end(self) -> None:
        app = Held()
        async with serving(app) as connect:
            client = await connect()
            await client.send(post(b"x"))
            await app.asked_once()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(2):
                    await client.send(post(b"x" * 1000) * 100_000)
            assert app.asked == [b"x"]
            await client.leave(by_reset=True)
            app.go.set()

    async def test_a_body_has_no_limit_before_its_turn_and_then_the_usual_one(self) -> None:
        app = Held()
        async with serving(app) as connect:
            client = await connect()
            await client.send(post(b"first") + post(b"second")[:-1])
            await asyncio.sleep(LONG_S)
            app.go.set()
            assert await client.answer() == (200, b"first")
            status, body = await client.answer()
            assert (status, code(body)) == (408, "request_timeout")
            assert await client.closed() == b""

    async def test_a_body_that_comes_late_but_before_its_turn_is_whole(self) -> None:
        app = Held()
        async with serving(app) as connect:
            client = await connect()
            await client.send(post(b"first") + post(b"second")[:-3])
            await app.asked_once()
            await client.send(b"o")
            await asyncio.sleep(LONG_S)
            await client.send(b"nd")
            app.go.set()
            assert [await client.answer() for _ in range(2)] == [(200, b"first"), (200, b"second")]

    async def test_the_limit_of_a_body_begins_with_its_turn(self) -> None:
        app = Held()
        async with serving(app, body_s=LONG_S) as connect:
            client = await connect()
            await client.send(post(b"first") + post(b"second")[:-1])
            await asyncio.sleep(0.9 * LONG_S)
            app.go.set()
            assert await client.answer() == (200, b"first")
            await asyncio.sleep(0.5 * LONG_S)
            await client.send(b"d")
            assert await client.answer() == (200, b"second")

    async def test_a_head_begun_under_an_answer_has_the_limit_of_heads(self) -> None:
        app = Held()
        async with serving(app, keep_alive_s=60) as connect:
            client = await connect()
            await client.send(post(b"first") + HEAD)
            await app.asked_once()
            app.go.set()
            assert await client.answer() == (200, b"first")
            status, body = await client.answer()
            assert (status, code(body)) == (408, "request_timeout")

    @pytest.mark.parametrize(
        "nonsense",
        [
            b"\0",
            post(b"second") + b"FOO",
            HEAD + b"x: " + b"y" * MAX_HEAD_BYTES + b"\r\n\r\n",
            HEAD + b"x: " + b"y" * 3 * MAX_HEAD_BYTES,
            HEAD + b"transfer-encoding: chunked\r\n\r\nno size\r\n",
            b"CONNECT x:80 HTTP/1.1\r\n\r\n",
        ],
    )
    @pytest.mark.parametrize("in_one_packet", [True, False])
    async def test_nonsense_behind_a_request_is_refused_in_its_turn(self, nonsense: bytes, in_one_packet: bool) -> None:
        app = Held()
        async with serving(app) as connect:
            client = await connect()
            if in_one_packet:
                await client.send(post(b"first") + nonsense)
                await app.asked_once()
            else:
                await client.send(post(b"first"))
                await app.asked_once()
                await client.send(nonsense)
            await asyncio.sleep(LIMIT_S)
            await client.send(b"\r\n\r\n" + post(b"late"))
            await asyncio.sleep(0.05)
            app.go.set()
            assert await client.answer() == (200, b"first")
            if b"second" in nonsense:
                assert await client.answer() == (200, b"second")
            status, body = await client.answer()
            assert (status, code(body)) == (400, "invalid_request")
            assert await client.closed() == b""
            assert len(app.asked) == 1 + (b"second" in nonsense)


AHEAD = {
    "nothing": b"",
    "a request": post(b""),
    "requests": post(b"") * 20,
    "a part of a head": HEAD,
    "a part of a body": post(b"x" * 1000)[:-500],
    "much": post(b"x" * 50_000),
    "a blank line": b"\r\n",
    "nonsense": b"\0\1\2",
}


class TestDeparture:
    @pytest.mark.parametrize("by_reset", [True, False])
    @pytest.mark.parametrize("in_one_packet", [True, False])
    @pytest.mark.parametrize("ahead", AHEAD.values(), ids=AHEAD)
    async def test_the_request_in_turn_learns_of_it_whatever_was_sent_ahead(
        self, ahead: bytes, in_one_packet: bool, by_reset: bool
    ) -> None:
        app = Held()
        async with serving(app, body_s=PATIENCE_S) as connect:
            client = await connect()
            await client.send(post(b"first") + (ahead if in_one_packet else b""))
            await app.asked_once()
            if not in_one_packet:
                await client.send(ahead)
                await asyncio.sleep(0.1)
            await client.leave(by_reset=by_reset)
            async with asyncio.timeout(SOON_S):
                await app.left.wait()
            assert app.asked == [b"first"]

    @pytest.mark.parametrize("by_reset", [True, False])
    async def test_a_stream_under_way_is_told_and_never_fails(self, by_reset: bool) -> None:
        ended: list[BaseException | None] = []

        async def stream(_: Any, receive: Any, send: Any) -> None:
            await body_of(receive)
            leaving = asyncio.create_task(receive())
            try:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                while not leaving.done():
                    await send({"type": "http.response.body", "body": b"x", "more_body": True})
                    await asyncio.sleep(0)
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                ended.append(None)
            except BaseException as error:
                ended.append(error)

        async with serving(stream) as connect:
            client = await connect()
            await client.send(post(b"first") + post(b"second"))
            await asyncio.sleep(0.1)
            await client.leave(by_reset=by_reset)
            async with asyncio.timeout(SOON_S):
                while not ended:
                    await asyncio.sleep(0.01)
            assert ended == [None]


ASKS_UPGRADE = [
    (b"connection: Upgrade, HTTP2-Settings", b"upgrade: h2c", b"http2-settings: AAMAAABkAAQBAAAAAAIAAAAA"),
    (b"Upgrade: websocket", b"Connection: keep-alive, upgrade", b"sec-websocket-version: 13"),
]


class TestUpgrade:
    @pytest.mark.parametrize("fields", ASKS_UPGRADE)
    @pytest.mark.parametrize("chunked", [True, False])
    @pytest.mark.parametrize("step", [1, 7, 100, 10_000])
    async def test_it_is_ignored(self, fields: tuple[bytes, ...], chunked: bool, step: int) -> None:
        if chunked:
            head = HEAD + b"".join(line + b"\r\n" for line in fields)
            one = head + b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        else:
            one = post(b"abcde", *fields)
        async with serving(echo, body_s=PATIENCE_S) as connect:
            client = await connect()
            data = one + post(b"plain") + one + one
            for start in range(0, len(data), step):
                await client.send(data[start : start + step])
                await asyncio.sleep(0)
            answers = [await client.answer() for _ in range(4)]
            assert [(status, body[:6]) for status, body in answers] == [
                (200, b"abcde "),
                (200, b"plain "),
                (200, b"abcde "),
                (200, b"abcde "),
            ]
            assert b"upgrade" not in answers[0][1]
            assert b",connection," in answers[0][1]

    @pytest.mark.parametrize("fields", ASKS_UPGRADE)
    async def test_the_body_may_come_after_the_head(self, fields: tuple[bytes, ...]) -> None:
        async with serving(echo) as connect:
            client = await connect()
            for _ in range(2):
                head, _, body = post(b"abcde", *fields).partition(b"\r\n\r\n")
                await client.send(head + b"\r\n\r\n")
                await asyncio.sleep(0.05)
                await client.send(body)
                status, answered = await client.answer()
                assert (status, answered[:6]) == (200, b"abcde ")

    async def test_a_request_without_a_body_is_whole(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            for _ in range(2):
                await client.send(b"GET / HTTP/1.1\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n")
                assert (await client.answer())[0] == 200

    async def test_closing_is_not_forgotten(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(post(b"abcde", b"connection: close, upgrade", b"upgrade: h2c"))
            assert (await client.answer())[1].startswith(b"abcde ")
            assert await client.closed() == b""

    async def test_waiting_for_the_word_to_go_on_is_not_forgotten(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            head, _, body = post(b"abcde", *ASKS_UPGRADE[0], b"expect: 100-continue").partition(b"\r\n\r\n")
            await client.send(head + b"\r\n\r\n")
            assert await client.head() == b"HTTP/1.1 100 Continue\r\n\r\n"
            await client.send(body)
            assert (await client.answer())[1].startswith(b"abcde ")


class TestOldHttp:
    @pytest.mark.parametrize("fields", [[], [(b"connection", b"close")], [(b"Set-Cookie", b"a")] * 2])
    async def test_a_body_without_a_length_ends_with_the_connection(self, fields: list[tuple[bytes, bytes]]) -> None:
        async def stream(_: Any, __: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": fields})
            for part in (b"one", b"", b"two"):
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body"})

        async with serving(stream) as connect:
            client = await connect()
            await client.send(b"GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n" + post(b"next"))
            head, _, body = (await client.closed()).partition(b"\r\n\r\n")
            assert body == b"onetwo"
            assert b"connection: close" in head
            assert b"transfer-encoding" not in head.lower()

    async def test_a_body_with_a_length_has_it(self) -> None:
        async with serving(early) as connect:
            client = await connect()
            await client.send(b"GET / HTTP/1.0\r\n\r\n")
            assert await client.answer() == (200, b"early")
            assert await client.closed() == b""

    async def test_it_knows_no_word_to_go_on(self) -> None:
        async with serving(echo) as connect:
            client = await connect()
            await client.send(b"POST / HTTP/1.0\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
            await asyncio.sleep(0.05)
            await client.send(b"hi")
            assert await client.answer() == (200, b"hi expect,content-length")


BROKEN_HEADS = {
    "unknown method": b"FOO / HTTP/1.1\r\n\r\n",
    "method in small letters": b"get / HTTP/1.1\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00",
    "http/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "connect": b"CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n",
    "connect to a path": b"CONNECT / HTTP/1.1\r\ncontent-length: 1\r\n\r\n",
    "connect with an upgrade": b"CONNECT x:80 HTTP/1.1\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    "version 0.9": b"GET / HTTP/0.9\r\n\r\n",
    "version 2.0": b"GET / HTTP/2.0\r\n\r\n",
    "version 2.0 with an upgrade": b"GET / HTTP/2.0\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    "version 1.2": b"GET / HTTP/1.2\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "no target": b"GET HTTP/1.1\r\n\r\n",
    "bad port": b"GET http://x:99999/ HTTP/1.1\r\n\r\n",
    "bad target": b"GET /\xc3\xa9 HTTP/1.1\r\n\r\n",
    "bare lf": b"GET / HTTP/1.1\nhost: x\n\n",
    "bare lf after a field": HEAD + b"a: b\n\r\n",
    "bare cr": HEAD + b"a: b\rc: d\r\n\r\n",
    "nul": HEAD + b"a: b\0\r\n\r\n",
    "folded": HEAD + b"a: b\r\n c\r\n\r\n",
    "space before a colon": HEAD + b"content-length : 2\r\n\r\n",
    "length no number": HEAD + b"content-length: two\r\n\r\n",
    "length with a sign": HEAD + b"content-length: +2\r\n\r\n",
    "length negative": HEAD + b"content-length: -2\r\n\r\n",
    "length empty": HEAD + b"content-length:\r\n\r\n",
    "length a list": HEAD + b"content-length: 2, 2\r\n\r\n",
    "length too large": HEAD + b"content-length: 99999999999999999999\r\n\r\n",
    "two lengths": HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\n",
    "one length twice": HEAD + b"content-length: 2\r\ncontent-length: 2\r\n\r\n",
    "length and coding": HEAD + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n",
    "coding and length": HEAD + b"transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n",
    "other coding and length": HEAD + b"transfer-encoding: identity\r\ncontent-length: 2\r\n\r\n",
    "coding twice": HEAD + b"transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n",
    "coding not last": HEAD + b"transfer-encoding: chunked, gzip\r\n\r\n",
}
BROKEN_BODIES = {
    "coding unknown": b"transfer-encoding: xchunked\r\n\r\n",
    "no size": b"transfer-encoding: chunked\r\n\r\nno\r\n",
    "size with a space": b"transfer-encoding: chunked\r\n\r\n2 \r\nhi\r\n",
    "size with a prefix": b"transfer-encoding: chunked\r\n\r\n0x2\r\nhi\r\n",
    "size too large": b"transfer-encoding: chunked\r\n\r\n11111111111111111\r\nhi\r\n",
    "bare lf": b"transfer-encoding: chunked\r\n\r\n2\nhi\n0\n\n",
    "bare lf in an extension": b"transfer-encoding: chunked\r\n\r\n2;a\nhi\r\n0\r\n\r\n",
    "longer than its size": b"transfer-encoding: chunked\r\n\r\n2\r\nhiX\r\n0\r\n\r\n",
}
SMUGGLED = b"0\r\n\r\n" + post(b"smuggled")


class TestNoHttp:
    @pytest.mark.parametrize("upgrade", [b"", b"upgrade: h2c\r\nconnection: upgrade\r\n"])
    @pytest.mark.parametrize("head", BROKEN_HEADS.values(), ids=BROKEN_HEADS)
    async def test_it_is_refused_once_and_in_json(self, head: bytes, upgrade: bytes) -> None:
        asked = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            asked.append(scope)
            await echo(scope, receive, send)

        async with serving(app) as connect:
            client = await connect()
            await client.send(head.replace(HEAD, HEAD + upgrade) + SMUGGLED)
            self.check(await client.closed())
            assert asked == []

    @pytest.mark.parametrize("broken", BROKEN_BODIES.values(), ids=BROKEN_BODIES)
    async def test_a_body_without_a_sound_end_is_refused_in_the_applications_place(self, broken: bytes) -> None:
        bodies = []

        async def app(_: Any, receive: Any, send: Any) -> None:
            bodies.append(await body_of(receive))
            await reply(send, b"not to be seen")

        async with serving(app) as connect:
            client = await connect()
            await client.send(HEAD + broken + SMUGGLED)
            self.check(await client.closed())
            await asyncio.sleep(0.05)
            assert bodies == [None]

    async def test_a_body_that_breaks_under_a_running_answer_ends_the_connection(self) -> None:
        async def both(_: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            await body_of(receive)

        async with serving(both) as connect:
            client = await connect()
            await client.send(HEAD + b"transfer-encoding: chunked\r\n\r\n")
            await client.head()
            await client.send(b"no size\r\n")
            assert b"400" not in await client.closed()

    async def test_the_application_stops_before_the_refusal_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(protocol, "REST_TIMEOUT_S", PATIENCE_S)
        bodies = []

        async def app(_: Any, receive: Any, send: Any) -> None:
            bodies.append(await body_of(receive))
            await reply(send, b"x" * 2**25)

        async with serving(app) as connect:
            client = await connect()
            await client.send(post(b""))
            await client.head()
            await client.send(HEAD + b"transfer-encoding: chunked\r\n\r\nno size\r\n")
            async with asyncio.timeout(SOON_S):
                while len(bodies) < 2:
                    await asyncio.sleep(0.01)
            assert bodies == [b"", None]
            self.check((await client.closed()).lstrip(b"x"))

    async def test_much_nonsense_is_refused_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(protocol, "REST_TIMEOUT_S", PATIENCE_S)

        async def app(_: Any, __: Any, send: Any) -> None:
            await reply(send, b"x" * 2**25)

        async with serving(app) as connect:
            client = await connect()
            await client.send(post(b""))
            await client.head()  # what follows it is not read yet, so that what is written after it is kept
            await client.send(b"\0" * 100_000)
            await asyncio.sleep(0.1)
            self.check((await client.closed()).lstrip(b"x"))

    async def test_a_body_that_breaks_after_its_answer_is_not_answered_again(self) -> None:
        async with serving(early) as connect:
            client = await connect()
            await client.send(HEAD + b"transfer-encoding: chunked\r\n\r\n")
            assert await client.answer() == (200, b"early")
            await client.send(b"no size\r\n")
            assert await client.closed() == b""

    @staticmethod
    def check(said: bytes) -> None:
        head, _, body = said.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert b"\r\ncontent-type: application/json\r\n" in head
        assert head.endswith(b"\r\nconnection: close")
        assert b"content-length: %d\r\n" % len(body) in head
        assert code(body) == "invalid_request"

    async def test_the_servers_own_headers_are_sent(self) -> None:
        async with serving(echo, headers=[(b"date", b"today")]) as connect:
            client = await connect()
            await client.send(b"\0")
            assert b"\r\ndate: today\r\n" in await client.closed()


def head_of(size: int) -> bytes:
    """A request without a body, with a head of this many bytes in many fields."""
    lines, end = [HEAD], b"\r\n"
    while (left := size - sum(map(len, lines)) - len(end)) > 1000:
        lines.append(b"a: %b\r\n" % (b"b" * 495))
    return b"".join(lines) + b"z: %b\r\n" % (b"y" * (left - 5)) + end


class TestHeadSize:
    @pytest.mark.parametrize("step", [7000, 40_000, 10**6])
    @pytest.mark.parametrize("before", [b"", post(b""), post(b"x" * 50_000)], ids=["first", "next", "behind a body"])
    @pytest.mark.parametrize("in_one_packet", [True, False])
    @pytest.mark.parametrize("excess", [0, 1])
    async def test_the_limit_is_exact_however_it_arrives(
        self, before: bytes, in_one_packet: bool, step: int, excess: int
    ) -> None:
        head = head_of(MAX_HEAD_BYTES + excess)
        assert len(head) == MAX_HEAD_BYTES + excess
        async with serving(echo, header_s=PATIENCE_S) as connect:
            client = await connect()
            if before and not in_one_packet:
                await client.send(before)
                assert (await client.answer())[0] == 200
            data = before + head if in_one_packet else head
            for start in range(0, len(data), step):
                await client.send(data[start : start + step])
                await asyncio.sleep(0.001)
            if before and in_one_packet:
                assert (await client.answer())[0] == 200
            assert (await client.answer())[0] == (400 if excess else 200)

    @pytest.mark.parametrize("excess", [0, 1])
    async def test_fields_without_a_space_count_as_if_they_had_one(self, excess: int) -> None:
        async with serving(echo) as connect:
            client = await connect()
            fields = b"a:b\r\n" * ((MAX_HEAD_BYTES - len(HEAD) - 2) // 6)
            rest = MAX_HEAD_BYTES + excess - len(HEAD) - 2 - len(fields) // 5 * 6
            head = HEAD.replace(b"/ ", b"/" + b"x" * rest + b" ") + fields + b"\r\n"
            await client.send(head)
            assert (await client.answer())[0] == (400 if excess else 200)


class TestTarget:
    @pytest.mark.parametrize(
        ("target", "path", "query"),
        [
            (b"/a%20b?c=%20", "/a b", b"c=%20"),
            (b"http://x/a?b", "/a", b"b"),
            (b"http://x", "/", b""),
            (b"*", "*", b""),
        ],
    )
    async def test_every_form_of_it_is_read(self, target: bytes, path: str, query: bytes) -> None:
        async def app(scope: Any, _: Any, send: Any) -> None:
            await reply(send, repr((scope["path"], scope["query_string"])).encode())

        async with serving(app) as connect:
            client = await connect()
            await client.send(b"OPTIONS " + target + b" HTTP/1.1\r\n\r\n")
            assert await client.answer() == (200, repr((path, query)).encode())


class TestFailure:
    async def test_an_application_that_fails_is_answered_for_in_json(self) -> None:
        async def fail(_: Any, __: Any, ___: Any) -> None:
            raise ValueError("secret")

        async with serving(fail) as connect:
            client = await connect()
            await client.send(post(b""))
            head, _, body = (await client.closed()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 500 ")
            assert b"\r\ncontent-type: application/json\r\n" in head
            assert code(body) == "internal_error"
            assert b"secret" not in body

    async def test_a_head_that_this_server_fails_to_read_is_answered_in_json(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(_: bytes) -> None:
            raise ValueError("secret")

        monkeypatch.setattr(protocol, "parse_url", fail)
        async with serving(echo) as connect:
            client = await connect()
            await client.send(post(b""))
            status, body = await client.answer()
            assert (status, code(body)) == (500, "internal_error")
            assert b"secret" not in body
        assert "secret" in caplog.text
