"""A client that is cheaper than what it measures: connections that each ask again as soon as they are answered."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, Final

from tests.bench.servers import KEY, Server

PATIENCE_S: Final = 30.0
"""For the last answers of a round."""

_AGAIN_S: Final = 0.05
_TOKEN: Final = b'"content"'
_END_OF_CHUNKS: Final = b"0\r\n\r\n"


@dataclass
class Load:
    """What one server did under one load; of several rounds, their sum."""

    connections: int
    tokens: int = 0
    """Tokens of streams that arrived, whether or not their answers ended."""
    wall_s: float = 0.0
    server_cpu_s: float = 0.0
    client_cpu_s: float = 0.0
    seconds: list[float] = field(default_factory=list)
    """How long each answer took."""

    @property
    def answers(self) -> int:
        return len(self.seconds)


class _Connection(asyncio.Protocol):
    """One connection. Knows the end of an answer by its length, or by the last chunk of a stream."""

    def __init__(self, request: bytes, *, stream: bool) -> None:
        self._request = request
        self._stream = stream
        self._received = bytearray()
        self._length = 0
        self._began_s = 0.0
        self._transport: asyncio.Transport
        self.seconds: list[float] = []
        self.tokens = 0
        self.stopping = False
        self.stopped = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # uvloop's is one, but does not say so
        self._ask()

    def data_received(self, data: bytes) -> None:
        if self._stream:
            self.tokens += data.count(_TOKEN)
        if not self._length:
            self._received += data
            head, found, _ = bytes(self._received).partition(b"\r\n\r\n")
            if not found:
                return
            if b" 200 " not in head.partition(b"\r\n")[0]:
                self._fail(RuntimeError(f"a server refused the benchmark's request: {head.decode()}"))
                return
            self._length = 1 if self._stream else _length(head)
        elif not self._stream:
            self._received += data
        if data.endswith(_END_OF_CHUNKS) if self._stream else len(self._received) >= self._length:
            self._answered()

    def connection_lost(self, _: Exception | None) -> None:
        self._fail(ConnectionError("a server closed a connection in the middle of the run"))

    def _fail(self, error: Exception) -> None:
        if not self.stopped.done():
            self.stopped.set_exception(error)
            self._transport.abort()

    def _ask(self) -> None:
        self._received.clear()
        self._length = 0
        self._began_s = time.perf_counter()
        self._transport.write(self._request)

    def _answered(self) -> None:
        self.seconds.append(time.perf_counter() - self._began_s)
        if not self.stopping:
            self._ask()
            return
        self.stopped.set_result(None)
        self._transport.close()


def _length(head: bytes) -> int:
    """Bytes of the whole answer, head included."""
    _, _, rest = head.partition(b"content-length: ")
    return len(head) + 4 + int(rest.partition(b"\r\n")[0])


async def load(server: Server, into: Load, *, stream: bool, seconds: float) -> None:
    """Put a server under load for some seconds, and until something was answered; add what was measured.

    The first answers warm it up, uncounted.
    """
    loop = asyncio.get_running_loop()
    asked = request_bytes(stream=stream)
    connections = [
        (await loop.create_connection(lambda: _Connection(asked, stream=stream), "127.0.0.1", server.port))[1]
        for _ in range(into.connections)
    ]
    await asyncio.sleep(min(0.3, seconds / 4))
    for connection in connections:
        connection.seconds.clear()
        connection.tokens = 0
    before = (time.perf_counter(), server.cpu_s(), time.process_time())
    await asyncio.sleep(seconds)
    async with asyncio.timeout(PATIENCE_S):
        while not any(connection.seconds or connection.stopped.done() for connection in connections):
            await asyncio.sleep(_AGAIN_S)
    counted = [list(connection.seconds) for connection in connections]
    into.tokens += sum(connection.tokens for connection in connections)
    after = (time.perf_counter(), server.cpu_s(), time.process_time())
    for connection in connections:
        connection.stopping = True
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(connection.stopped for connection in connections))
    into.wall_s += after[0] - before[0]
    into.server_cpu_s += after[1] - before[1]
    into.client_cpu_s += after[2] - before[2]
    into.seconds += [each for list_ in counted for each in list_]


def request_bytes(*, stream: bool) -> bytes:
    members: dict[str, Any] = {
        "model": "mock",
        "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "What is the capital of France? Answer with one word."},
        ],
        "max_tokens": 2048,
        "temperature": 0.7,
        "stream": stream,
    }
    body = json.dumps(members).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: kiln-bench\r\naccept: */*\r\n"
        f"authorization: Bearer {KEY}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
