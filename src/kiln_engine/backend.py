"""The engine behind the server's port: the one module that knows both."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from kiln_engine.catalog import resolve
from kiln_engine.errors import EngineError
from kiln_engine.options import NAME, OPTION_NAMES, EngineOptions, read_options
from kiln_server.backend import (
    Adapter,
    BackendError,
    Capabilities,
    Generation,
    Identity,
    Progress,
    Scores,
    Scoring,
    Span,
    Stats,
    TextAssets,
    TokenEvent,
)
from kiln_server.backends.options import reject_unknown

if TYPE_CHECKING:
    from kiln_engine.assembly import Assembled
    from kiln_engine.engine_thread import EngineThread, Ticket

Report = Callable[[Progress], None]

_KEPT_TRACES: Final = 1024
"""Answers whose times can be asked for; those that began first are dropped first."""


class EngineBackend:
    """Implements the port over whatever `assemble` puts together, which `description` tells of beforehand.

    That is called when the backend starts, on a thread of its own; it is told where to report progress.
    """

    capabilities: Capabilities
    identity: Identity
    text: TextAssets

    def __init__(self, description: str, assemble: Callable[[Report], Assembled]) -> None:
        self.description = description
        self._assemble = assemble
        self._assembled: Assembled | None = None
        self._thread: EngineThread | None = None
        self._tickets: OrderedDict[str, Ticket] = OrderedDict()

    async def start(self, progress: Callable[[Progress], None]) -> None:
        loop = asyncio.get_running_loop()

        def report(reached: Progress) -> None:
            loop.call_soon_threadsafe(progress, reached)

        # The thread ends with its work. If it stayed, so would the threads that OpenMP gave it; where there are more
        # than processors, each one goes to sleep at every barrier of a step instead of waiting for the others.
        loading = ThreadPoolExecutor(1, thread_name_prefix="kiln-loading")
        try:
            assembled = await loop.run_in_executor(loading, self._assemble, report)
        except EngineError as error:
            raise BackendError(str(error)) from error
        finally:
            loading.shutdown(wait=False)
        self.capabilities = assembled.capabilities
        self.identity = assembled.identity
        self.text = assembled.text
        self._assembled = assembled
        self._thread = _start_thread(assembled)

    async def close(self) -> None:
        if self._thread is not None:
            await self._thread.close()

    async def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        from kiln_engine.mailbox import Mailbox

        if job.adapters:
            raise BackendError("this engine has no adapters")
        mailbox = Mailbox()
        thread = self._started()
        ticket = thread.generate(job, mailbox.put)
        self._remember(job.request_id, ticket)
        is_open = True
        try:
            while is_open:
                events = await mailbox.events()
                is_open = events[-1].finish is None
                yield events
        finally:
            thread.cancel(ticket)

    async def score(self, job: Scoring) -> Scores:
        from kiln_engine.mailbox import Mailbox

        mailbox = Mailbox()
        thread = self._started()
        ticket = thread.score(job, mailbox.put)
        try:
            return await mailbox.scores()
        finally:
            thread.cancel(ticket)

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:
        ticket = self._tickets.get(request_id)
        return () if ticket is None else ticket.spans(first)

    def adapters(self) -> Sequence[Adapter]:
        return ()

    def stats(self) -> Stats:
        return Stats() if self._assembled is None else self._assembled.engine.stats()

    def _started(self) -> EngineThread:
        if self._thread is None:
            raise BackendError("the engine was not started")
        return self._thread

    def _remember(self, request_id: str, ticket: Ticket) -> None:
        self._tickets[request_id] = ticket
        if len(self._tickets) > _KEPT_TRACES:
            self._tickets.popitem(last=False)


def create(options: Mapping[str, str]) -> EngineBackend:
    """The backend factory for `EngineOptions`. Raises BackendError, also when there is no such model."""
    missing = [name for name in ("torch", "numpy", "gguf") if find_spec(name) is None]
    if missing:
        raise BackendError(
            f"the engine needs {', '.join(missing)}; pip install 'kiln-inference[engine]', "
            "or serve without a model: --backend mock"
        )
    reject_unknown(NAME, options, OPTION_NAMES)
    try:
        chosen = read_options(options)
        place = resolve(chosen.model)
        return EngineBackend(f"{place.id} ({place.found})", partial(_assemble, chosen))
    except EngineError as error:
        raise BackendError(str(error)) from error


def _assemble(options: EngineOptions, report: Report) -> Assembled:
    # torch and everything heavy is imported only now: the server answers meanwhile.
    report(Progress("importing torch"))
    from kiln_engine.assembly import assemble

    return assemble(options, report)


def _start_thread(assembled: Assembled) -> EngineThread:
    from kiln_engine.engine_thread import EngineThread

    return EngineThread(assembled.engine)
