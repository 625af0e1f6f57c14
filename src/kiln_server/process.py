"""The running server: a socket, uvicorn, the backend that loads behind it, and an orderly end.

In order: the socket is bound, the application answers probes, the backend loads, requests are served; a signal stops
new work, what runs may finish, the listener closes, the backend frees what it holds.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import anyio
import structlog
import uvicorn
from rich.console import Console

from kiln_server.announcement import announce
from kiln_server.backend import Backend, BackendError, Progress
from kiln_server.lifecycle import Lifecycle
from kiln_server.listener import BACKLOG, Listener, ListenError
from kiln_server.protocol import bounded
from kiln_server.settings import Settings
from kiln_server.stop import Stop
from kiln_server.text.template import ChatTemplate, TemplateRefusal
from kiln_server.tls import TlsError, require_usable

MakeApp = Callable[[Settings, Backend, Lifecycle], Any]
"""Makes the ASGI application to serve."""

END_S: Final = 5.0
"""Time for everything after the drain: open connections, the backend, its threads. In seconds."""

_CUT_S: Final = 1
"""Time for answers that the end of the drain cuts off: to say so, and then to be closed. In seconds."""

_YOUNG: Final = 10_000
"""How many more objects are made than freed before the collector looks at the new ones."""

_log = structlog.get_logger(__name__)


def run(settings: Settings, backend: Backend, make_app: MakeApp, console: Console | None = None) -> int:
    """Serve until a signal ends it. Main thread only, and the last thing that a process does.

    Returns the exit code: 0 after a signal, 1 when the address, the TLS files or the backend are not fit to serve.
    What is wrong goes to `console` (standard error by default), with what to do. Raises what `make_app` raises.
    Once the drain is over, the process is ended within `END_S` whether this has returned or not.
    """
    console = console or Console(stderr=True)
    lifecycle = Lifecycle()
    app = make_app(settings, backend, lifecycle)
    try:
        listener = Listener(settings.host, settings.port)
        with closing(listener):
            config = _config(settings, app)
            announce(settings, backend.description, listener, console)
            process = _Process(settings, backend, lifecycle, _Server(config), listener)
            with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
                failure = runner.run(process.serve())
    except (ListenError, TlsError) as error:
        failure = str(error)
    if failure is not None:
        console.print(f"kiln-server: {failure}", style="red", markup=False, highlight=False, soft_wrap=True)
    return 0 if failure is None else 1


class _Server(uvicorn.Server):
    """uvicorn without its own handling of signals, which closes the listener at once."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(settings: Settings, app: Any) -> uvicorn.Config:
    if settings.tls_certfile is not None:
        require_usable(settings.tls_certfile, settings.tls_keyfile)
    config = uvicorn.Config(
        app,
        http=bounded(settings.header_timeout_s, settings.body_stall_timeout_s),
        ws="none",
        lifespan="on",
        interface="asgi3",
        workers=1,
        log_config=None,
        log_level="warning",  # what it tells beside is told here
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        ssl_certfile=settings.tls_certfile,
        ssl_keyfile=settings.tls_keyfile,
        # Declared whole, but only ever added to the loop's time.
        timeout_keep_alive=settings.idle_timeout_s,  # type: ignore[arg-type]
        timeout_graceful_shutdown=_CUT_S,
    )
    config.load()
    return config


class _Process:
    """One run: what happens between the first connection and the last."""

    def __init__(
        self, settings: Settings, backend: Backend, lifecycle: Lifecycle, server: _Server, listener: Listener
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._lifecycle = lifecycle
        self._server = server
        self._listener = listener
        self._failure: str | None = None

    async def serve(self) -> str | None:
        """Serve until a signal, or until loading fails: then say why."""
        with Stop() as stop:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._server.serve(sockets=[self._listener.socket]))
                loading = tasks.create_task(self._load(stop))
                await stop.wait()
                loading.cancel()
                if self._failure is None:
                    await self._drain()
                _end_within(END_S, code=0 if self._failure is None else 1)
                self._server.should_exit = True
            await self._close()
        _log.info("stopped")
        return self._failure

    async def _load(self, stop: Stop) -> None:
        try:
            await self._backend.start(self._report)
            ChatTemplate(self._backend.text.chat_template)  # which every request would find out
        except TemplateRefusal as error:
            self._failure = f"the model cannot be served: {error}"
        except BackendError as error:
            self._failure = f"the backend {self._settings.backend} cannot start: {error}"
        except Exception as error:
            _log.error("backend_start_failed", exc_info=error)
            self._failure = f"the backend {self._settings.backend} failed to start, by a fault of its own: {error!r}"
        if self._failure is None:
            _settle()
            self._lifecycle.loaded()
            _log.info("ready", model=self._backend.identity.served_model_id)
        else:
            self._lifecycle.fail()
            stop.set()

    def _report(self, progress: Progress) -> None:
        before = self._lifecycle.progress
        self._lifecycle.report(progress)
        # Being done is told as `ready`, once it is so.
        if progress.fraction != 1.0 and (before is None or before.phase != progress.phase):
            _log.info("loading", phase=progress.phase)

    async def _drain(self) -> None:
        self._lifecycle.begin_drain()
        _log.info("draining", in_flight=self._lifecycle.in_flight, limit_s=self._settings.drain_timeout_s)
        with anyio.move_on_after(self._settings.drain_timeout_s) as limit:
            await self._lifecycle.idle()
        if limit.cancelled_caught:
            _log.warning("requests_cut_off", in_flight=self._lifecycle.in_flight)
            self._lifecycle.cut_off()
            with anyio.move_on_after(_CUT_S):
                await self._lifecycle.idle()

    async def _close(self) -> None:
        try:
            await self._backend.close()
        except Exception as error:
            _log.error("backend_close_failed", exc_info=error)


def _settle() -> None:
    """Let the garbage collector leave alone what stays: all there is now, and what requests at work hold for a moment.

    Hardly any garbage of a request is cyclic, so it can wait until more of it has come together.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])


def _end_within(limit_s: float, code: int) -> None:
    """End the process then, if it is still there: no thread of a backend may keep it."""

    def end() -> None:
        os.write(2, b"kiln-server: ended without waiting for the backend any longer\n")
        os._exit(code)

    timer = threading.Timer(limit_s, end)
    timer.daemon = True
    timer.start()
