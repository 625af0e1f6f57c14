"""A chat completion as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from time import monotonic_ns
from typing import Any, Final

import anyio
import msgspec
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Send

from kiln_contract import (
    ChatCompletionChunk,
    ChatCompletionRequest,
    ChunkChoice,
    Delta,
    StreamingTerminalMetadata,
    encode,
    sse,
)
from kiln_server.backend import TokenEvent
from kiln_server.edge.disconnect import departure
from kiln_server.errors import ApiError, unforeseen
from kiln_server.generation import Run
from kiln_server.plan import Plan
from kiln_server.responses import CHAT_PREFIX, new_id, now_s, performance_metadata, switched, usage
from kiln_server.settings import Settings
from kiln_server.text.answer import Delta as TextDelta

DONE = sse.encode_data(b"[DONE]")
KEEP_ALIVE = sse.encode_comment("keep-alive")

_quoted: Final = msgspec.json.Encoder().encode
"""A text as JSON. Decoded bytes are sound text, so nothing about it can be wrong."""

_HEADERS: Final = ((b"cache-control", b"no-cache"), (b"content-type", b"text/event-stream; charset=utf-8"))

LAST_WORDS_S: Final = 5.0
"""How long a client may take to read why its stream failed, before the connection is cut. Seconds."""

Write = Callable[[bytes], Awaitable[None]]


class ChatStream:
    """Writes one answer's events, in the contract's order."""

    def __init__(
        self,
        request: ChatCompletionRequest,
        plan: Plan,
        run: Run,
        settings: Settings,
        *,
        source: str,
        on_tokens: Callable[[int], Any],
    ) -> None:
        self._request = request
        self._plan = plan
        self._run = run
        self._settings = settings
        self._source = source
        self._on_tokens = on_tokens
        self._id = new_id(CHAT_PREFIX)
        self._created = now_s()
        # Events of one answer differ in nothing but their text, so the rest of them is written once.
        self._around_content = self._around(Delta(content=""))
        self._around_reasoning = self._around(Delta(reasoning_content=""))
        # Timing events are part of a client's protocol: only the request itself can ask for them.
        self._token_timing = request.include_performance is True

    async def write(self, write: Write) -> None:
        """Write the whole answer. Raises ApiError when it fails; the caller ends the stream then."""
        await write(self._chunk(Delta(role="assistant")))
        run = self._run
        async with run.arrivals(self._settings.stall_timeout_s) as arrivals:
            while not run.has_ended:
                events = await arrivals.next()
                if body := self._batch(events, monotonic_ns()):
                    await write(body)
        await write(b"".join(map(self._delta, run.end())) + self._finish() + self._usage() + DONE)

    def _batch(self, events: Sequence[TokenEvent], handled_ns: int) -> bytes:
        """What is sent of tokens that came together, possibly nothing."""
        if self._token_timing:
            return self._timed_batch(events, handled_ns)
        events, deltas = self._run.read_each(events)
        body = b"".join(map(self._delta, deltas))
        self._run.timing.tokens(events, handled_ns, monotonic_ns())
        self._on_tokens(len(events))
        return body

    def _timed_batch(self, events: Sequence[TokenEvent], handled_ns: int) -> bytes:
        self._run.measure()
        body = b""
        for event in events:
            if self._run.has_ended:
                break
            body += self._timed(event, handled_ns)
            self._on_tokens(1)
        return body

    def _timed(self, event: TokenEvent, handled_ns: int) -> bytes:
        """What is sent of one token, with its times."""
        _, deltas = self._run.read_each((event,))
        body = b"".join(map(self._delta, deltas))
        passage = self._run.timing.token(event, handled_ns, monotonic_ns())
        if event.finish == "eos":
            return body
        return body + self._event(self._run.timing.token_event(event, passage, self._source))

    def _delta(self, delta: TextDelta) -> bytes:
        if delta.tool_call is not None:
            return self._chunk(Delta(tool_calls=[{"index": delta.call_index, **delta.tool_call.as_json()}]))
        before, after = self._around_reasoning if delta.reasoning else self._around_content
        return before + _quoted(delta.reasoning or delta.content) + after

    def _around(self, delta: Delta) -> tuple[bytes, bytes]:
        before, _, after = self._chunk(delta).rpartition(b'""')
        return before, after

    def _chunk(self, delta: Delta) -> bytes:
        return self._event(self._of([ChunkChoice(index=0, delta=delta)]))

    def _finish(self) -> bytes:
        chunk = self._of([ChunkChoice(index=0, delta=Delta(), finish_reason=self._run.finish_reason)])
        chunk.metadata = StreamingTerminalMetadata(thinking_budget=self._run.budget_record)
        if switched(self._request.include_performance, self._settings.include_performance):
            chunk.metadata.performance = performance_metadata(self._plan, [self._run], monotonic_ns())
        return self._event(chunk)

    def _usage(self) -> bytes:
        options = self._request.stream_options
        if not options or options.include_usage is not True:
            return b""
        chunk = self._of([])
        chunk.usage = usage(len(self._run.task.prompt.ids), self._run.num_tokens)
        return self._event(chunk)

    def _of(self, choices: list[ChunkChoice]) -> ChatCompletionChunk:
        return ChatCompletionChunk(
            id=self._id, object="chat.completion.chunk", created=self._created, model=self._plan.model, choices=choices
        )

    @staticmethod
    def _event(value: Any) -> bytes:
        return sse.encode_data(encode(value))


class EventStream:
    """Sends events as they are written, keep-alive comments in silence, and stops all work when the client leaves.

    `write` is called once with the function that sends bytes. `timeout_s` bounds the whole stream; `headers` go before.
    `on_end` is called once, as soon as there is no more work: whoever reads slowly, or not at all, holds nothing.
    """

    def __init__(
        self,
        write: Callable[[Write], Awaitable[None]],
        *,
        keep_alive_s: float,
        timeout_s: float,
        headers: Iterable[tuple[bytes, bytes]],
        on_end: Callable[[ApiError | None], Awaitable[None]],
    ) -> None:
        self._headers = [*_HEADERS, *headers]
        self._write = write
        self._keep_alive_s = keep_alive_s
        self._timeout_s = timeout_s
        self._on_end = on_end
        self._last_sent = 0.0
        self._error: ApiError | None = None
        self._has_ended = False
        self._client_left = False
        self._writing = anyio.CancelScope()
        self._working = anyio.CancelScope()
        self._watching = anyio.CancelScope()
        self._ended = anyio.Event()

    def fail(self, error: ApiError) -> None:
        """End the stream with an error, unless it is ending by itself."""
        if self._error is None and not self._ended.is_set():
            self._error = error
            self._working.cancel()

    async def answer(self, receive: Receive, send: Send) -> None:
        """Answer a request whose body has been read. Raises ClientDisconnect for one that leaves, or reads no more."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            async with anyio.create_task_group() as tasks:
                # Both end by themselves: the frames of a task that is cancelled would wait for the garbage collector.
                # In a task of its own, a token wakes what writes it, and not every layer around this as well.
                tasks.start_soon(self._run, send, tasks.cancel_scope)
                tasks.start_soon(self._keep_alive, send)
                with self._watching:
                    await departure(receive)
                    self._client_left = True
                    self._writing.cancel()
        finally:
            await self._end()
        if self._client_left:
            raise ClientDisconnect
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _run(self, send: Send, both: anyio.CancelScope) -> None:
        with self._writing:
            await self._write_all(send)
            if self._error is not None and not await self._tell(self._error, send):
                self._client_left = True
                both.cancel()  # a keep-alive comment waits for this client, too
        self._ended.set()
        self._watching.cancel()

    async def _write_all(self, send: Send) -> None:
        now = asyncio.get_running_loop().time

        def write(body: bytes) -> Awaitable[None]:
            self._last_sent = now()
            return send(_part(body))

        self._working.deadline = now() + self._timeout_s
        try:
            with self._working:
                await self._write(write)
        except ApiError as failure:
            self._error = failure
        except Exception as failure:
            self._error = unforeseen(failure)
        if self._working.cancelled_caught and self._error is None:
            self._error = ApiError("request_timeout", f"the answer took longer than {self._timeout_s:g} seconds")

    async def _tell(self, error: ApiError, send: Send) -> bool:
        """End a stream that failed with the reason. Returns whether the client has taken it."""
        last_words = sse.encode_data(error.event()) + DONE
        await self._end()
        with anyio.move_on_after(LAST_WORDS_S) as patience:
            await send(_part(last_words))
        return not patience.cancelled_caught

    async def _end(self) -> None:
        """Tell that the work is over, once."""
        # Not kept: its traceback leads back here.
        error, self._error = self._error, None
        if not self._has_ended:
            self._has_ended = True
            with anyio.CancelScope(shield=True):
                await self._on_end(error)

    async def _keep_alive(self, send: Send) -> None:
        self._last_sent = anyio.current_time()
        while not self._ended.is_set():
            with anyio.move_on_after(self._last_sent + self._keep_alive_s - anyio.current_time()):
                await self._ended.wait()
            if not self._ended.is_set() and anyio.current_time() >= self._last_sent + self._keep_alive_s:
                self._last_sent = anyio.current_time()
                await send(_part(KEEP_ALIVE))


def _part(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}
