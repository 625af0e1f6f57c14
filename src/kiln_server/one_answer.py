"""One question and its answer on the terminal: the whole pipeline, without HTTP."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.status import Status

from kiln_contract import ChatCompletionRequest, ChatMessageInput
from kiln_server.backend import Backend, Progress
from kiln_server.errors import ApiError
from kiln_server.generation import Run
from kiln_server.lifecycle import Lifecycle
from kiln_server.service import Service
from kiln_server.settings import Settings
from kiln_server.text.answer import Delta
from kiln_server.text.template import TemplateRefusal

REQUEST_ID: Final = "generate"


def answer(settings: Settings, backend: Backend, text: str) -> int:
    """Ask `text` and write the answer as it comes: content to standard output, thinking to standard error.

    Returns the exit code: 0, or 1 with the reason on standard error. Raises BackendError when the backend cannot load.
    """
    return asyncio.run(_answer(settings, backend, text))


async def _answer(settings: Settings, backend: Backend, text: str) -> int:
    console = Console(stderr=True)
    with console.status("loading") as status:
        await backend.start(lambda progress: _show(status, progress))
    try:
        service = Service.create(settings, backend, Lifecycle())
        # The likeliest answer: a small model's first impression should not hang on a draw.
        request = ChatCompletionRequest(messages=[ChatMessageInput(role="user", content=text)], temperature=0.0)
        run = Run(
            backend,
            service.planner.chat(request),
            0,
            choice=0,
            request_id=REQUEST_ID,
            received_ns=time.monotonic_ns(),
        )
        await _write(run, console, settings.stall_timeout_s)
    except (ApiError, TemplateRefusal) as error:
        console.print(f"kiln-server: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 1
    finally:
        await backend.close()
    return 0


async def _write(run: Run, console: Console, stall_timeout_s: float) -> None:
    run.begin()
    async with run.arrivals(stall_timeout_s) as arrivals:
        while not run.has_ended:
            _, deltas = run.read_each(await arrivals.next())
            _write_all(deltas, console)
    _write_all(run.end(), console)
    sys.stdout.write("\n")


def _write_all(deltas: Sequence[Delta], console: Console) -> None:
    for delta in deltas:
        if delta.reasoning:
            console.print(delta.reasoning, style="dim", end="", markup=False, highlight=False, soft_wrap=True)
        sys.stdout.write(delta.content)
        sys.stdout.flush()


def _show(status: Status, progress: Progress) -> None:
    share = "" if progress.fraction is None else f" {progress.fraction:.0%}"
    status.update(f"{progress.phase}{share}")
