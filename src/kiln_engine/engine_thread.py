"""The engine's own thread: commands go in, outcomes come out to the event loop, one wake-up a step."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from kiln_engine.engine import Delivery, Engine
from kiln_engine.work import AnswerWork, Deliver, Work
from kiln_server.backend import BackendError, Generation, Scoring, Span

Command = Callable[[], None]

CLOSED: Final = "the engine was closed before this was done"

_log = structlog.get_logger(__name__)


class Ticket:
    """One piece of work as the event loop knows it. `work` is the engine thread's."""

    __slots__ = ("work",)

    def __init__(self) -> None:
        self.work: Work | None = None

    def spans(self, first: int) -> Sequence[Span]:
        """Measured phases so far from the `first` on, in order of time; none before it is taken up, and for scoring."""
        return self.work.trace.spans(first) if isinstance(self.work, AnswerWork) else ()


class EngineThread:
    """Runs an engine. Create it and call its methods on the event loop; outcomes are delivered there too."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._commands: queue.SimpleQueue[Sequence[Command] | None] = queue.SimpleQueue()
        self._pending: list[Command] = []
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="kiln-engine", daemon=True)
        self._thread.start()

    def generate(self, job: Generation, deliver: Deliver) -> Ticket:
        """Submit an answer."""
        return self._submit(lambda: self._engine.generate(job, deliver), deliver)

    def score(self, job: Scoring, deliver: Deliver) -> Ticket:
        """Submit a prompt to be scored."""
        return self._submit(lambda: self._engine.score(job, deliver), deliver)

    def cancel(self, ticket: Ticket) -> None:
        """Stop a piece of work before the next step; nothing to stop is fine."""

        def cancel() -> None:
            if ticket.work is not None:
                self._engine.cancel(ticket.work)

        self._post(cancel)

    async def close(self) -> None:
        """Fail what is open, end the thread. Idempotent."""
        self._is_closing = True
        self._flush()
        self._commands.put(None)
        await asyncio.to_thread(self._thread.join)
        # What the last step handed over is delivered before this returns.
        await asyncio.sleep(0)

    def _submit(self, start: Callable[[], Work], deliver: Deliver) -> Ticket:
        if self._is_closing:
            raise BackendError(CLOSED)
        ticket = Ticket()

        def command() -> None:
            try:
                ticket.work = start()
            except (BackendError, ValueError) as error:
                self._deliver([(deliver, error if isinstance(error, BackendError) else BackendError(str(error)))])

        self._post(command)
        return ticket

    def _post(self, command: Command) -> None:
        """Send a command with all others of this turn of the loop: the answers of one request arrive together."""
        self._pending.append(command)
        if len(self._pending) == 1:
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        commands, self._pending = self._pending, []
        self._commands.put(commands)

    def _run(self) -> None:
        while self._obey(block=self._engine.num_open == 0):
            self._deliver(self._step())
        self._deliver(self._engine.fail_all(BackendError(CLOSED)))

    def _step(self) -> list[Delivery]:
        try:
            return self._engine.step() or []
        except Exception as error:
            # Outside a forward pass it is unknown whose fault it was.
            _log.error("engine_failed", exc_info=error)
            return self._engine.fail_all(BackendError(f"the engine failed: {error!r}"))

    def _obey(self, *, block: bool) -> bool:
        """Carry out what was asked for; False when asked to end."""
        try:
            commands = self._commands.get(block=block)
            while commands is not None:
                for command in commands:
                    command()
                commands = self._commands.get_nowait()
        except queue.Empty:
            return True
        return False

    def _deliver(self, deliveries: list[Delivery]) -> None:
        if deliveries:
            self._loop.call_soon_threadsafe(_dispatch, deliveries)


def _dispatch(deliveries: list[Delivery]) -> None:
    for deliver, outcome in deliveries:
        deliver(outcome)
