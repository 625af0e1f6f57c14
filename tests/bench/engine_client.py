"""A light client of streams: `python -m tests.bench.engine_client PORT STREAMS PROMPT_TOKENS TOKENS SEED`.

Asks for all answers at once on bare sockets and prints what it saw as JSON: the time of a step while all of them were
under way, and its own CPU time for each token.
"""

from __future__ import annotations

import asyncio
import json
import random
import string
import sys
import time
from functools import partial
from typing import Final

import uvloop

MODEL: Final = "bench"
"""What the server is to call its model."""
PATIENCE_S: Final = 120.0

_TOKEN: Final = b'"content":"'
_END: Final = b"0\r\n\r\n"


class Stream(asyncio.Protocol):
    """One answer: how many tokens came, and when the first and the last did."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._transport: asyncio.Transport
        self.tokens = 0
        self.begun: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self.ended: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # uvloop's is one, but does not say so
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.tokens += data.count(_TOKEN)
        if self.tokens and not self.begun.done():
            self.begun.set_result(time.perf_counter())
        if data.endswith(_END) and not self.ended.done():
            self.ended.set_result(time.perf_counter())
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(ConnectionError("the server closed a stream before its end"))


async def measure(port: int, num_streams: int, prompt_tokens: int, tokens: int, seed: int) -> dict[str, float]:
    """Seconds of a step from the moment when all streams had begun until the first one ended.

    Raises RuntimeError when there is no such stretch.
    """
    loop = asyncio.get_running_loop()
    draw = random.Random(seed)  # noqa: S311 - no secret
    requests = [_request(draw, prompt_tokens, tokens) for _ in range(num_streams)]
    streams = [(await loop.create_connection(partial(Stream, asked), "127.0.0.1", port))[1] for asked in requests]
    async with asyncio.timeout(PATIENCE_S):
        begun = max(await asyncio.gather(*(stream.begun for stream in streams)))
        before, cpu = [stream.tokens for stream in streams], time.process_time()
        await asyncio.wait([stream.ended for stream in streams], return_when=asyncio.FIRST_COMPLETED)
        cpu = time.process_time() - cpu
        first = next(stream for stream in streams if stream.ended.done())
        steps = first.tokens - before[streams.index(first)]
        came = sum(stream.tokens for stream in streams) - sum(before)
        seconds = first.ended.result() - begun
        await asyncio.gather(*(stream.ended for stream in streams))
    if steps < 1:
        raise RuntimeError("a stream had ended before the last one began: ask for more tokens")
    return {"step_s": seconds / steps, "steps": steps, "cpu_s": cpu / came}


def _request(draw: random.Random, prompt_tokens: int, tokens: int) -> bytes:
    text = "".join(draw.choices(string.ascii_letters, k=prompt_tokens))
    members = {
        "model": MODEL,
        "messages": [{"role": "user", "content": text}],
        "max_tokens": tokens,
        "temperature": 0,
        "ignore_eos": True,
        "stream": True,
    }
    body = json.dumps(members).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


if __name__ == "__main__":
    print(json.dumps(uvloop.run(measure(*map(int, sys.argv[1:])))))
