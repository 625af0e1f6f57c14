"""Clients on bare sockets that stay, or leave without a goodbye: many of them at once, on one event loop."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
from typing import Any, NamedTuple

CHAT = "/v1/chat/completions"
_RESET = struct.pack("ii", 1, 0)


class Visit(NamedTuple):
    """One client: what it says, which the model repeats, and when it resets its connection; None for never.

    `leaves_after_s` counts from the connection. At 0 it leaves with half of its request unsent.
    """

    text: str
    stream: bool
    leaves_after_s: float | None = None


class Answered(NamedTuple):
    """What came back: the status, and the text of the answer."""

    status: int
    text: str


async def visit(port: int, call: Visit, **members: Any) -> Answered | None:
    """Ask as one client; None when it left."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = request(call.text, stream=call.stream, **members)
    try:
        if call.leaves_after_s is None:
            writer.write(asked)
            return answered(await reader.read())
        await _leave(reader, writer, asked, call.leaves_after_s)
        return None
    finally:
        writer.transport.abort()


async def _leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: bytes, after_s: float) -> None:
    writer.write(asked if after_s else asked[: len(asked) // 2])
    try:
        async with asyncio.timeout(after_s):
            await reader.read()
    except TimeoutError:
        # Unread and without lingering: the server sees a reset, not an orderly end.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


async def crowd(port: int, visits: list[Visit], **members: Any) -> list[Answered | None]:
    """Ask as all clients at once; their answers in order."""
    async with asyncio.TaskGroup() as tasks:
        answers = [tasks.create_task(visit(port, each, **members)) for each in visits]
    return [answer.result() for answer in answers]


def some_visits(count: int, leaving: int, within_s: float, *, seed: int) -> list[Visit]:
    """Clients in random order, every other one streaming; those that leave do so at random times within a span."""
    draw = random.Random(seed)  # noqa: S311 - a test's dice
    times = [
        draw.choice((0.0, draw.uniform(0, within_s))) if n % 5 == 0 else draw.uniform(0, within_s)
        for n in range(leaving)
    ]
    fates: list[float | None] = [*times, *[None] * (count - leaving)]
    draw.shuffle(fates)
    return [
        Visit(f"client {n} says {'é' * draw.randrange(8)}{draw.random()}", n % 2 == 0, fate)
        for n, fate in enumerate(fates)
    ]


def request(text: str, *, stream: bool, key: str | None = None, **members: Any) -> bytes:
    """A chat request as bytes, on a connection of its own."""
    body = json.dumps({"messages": [{"role": "user", "content": text}], "stream": stream, **members}).encode()
    lines = [f"POST {CHAT} HTTP/1.1", "host: x", "connection: close", "content-type: application/json"]
    lines.append(f"content-length: {len(body)}")
    if key is not None:
        lines.append(f"authorization: Bearer {key}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def answered(raw: bytes) -> Answered:
    """Read the whole bytes of an answer. Raises AssertionError for one that was cut off."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    if status != 200:
        return Answered(status, body.decode())
    if b"text/event-stream" not in head:
        return Answered(status, json.loads(body)["choices"][0]["message"]["content"])
    events = _unchunked(body).decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""], "the stream was cut off"
    chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-2] if not event.startswith(":")]
    assert not any("error" in chunk for chunk in chunks), chunks[-1]
    return Answered(status, "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks))


def _unchunked(body: bytes) -> bytes:
    pieces = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        pieces.append(rest[: int(size, 16)])
        body = rest[int(size, 16) + 2 :]
    return b"".join(pieces)
