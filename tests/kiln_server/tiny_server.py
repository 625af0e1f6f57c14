"""A server of a few lines under the real process: `python -m tests.kiln_server.tiny_server [FLAG]…`.

`backend_options` say how its backend behaves: `load_s` is how long it loads, `fail` is `known` or `bug`, `thread_s` is
how long a thread of it goes on whatever happens.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from kiln_server.backend import BackendError, Identity, Progress, TextAssets
from kiln_server.backends.bytes_tokenizer import BytesTokenizer
from kiln_server.command_line import CommandParser, flags_of
from kiln_server.errors import ApiError
from kiln_server.lifecycle import Lifecycle
from kiln_server.logs import configure_logs
from kiln_server.process import run
from kiln_server.resolution import resolve
from kiln_server.settings import Settings


class TinyBackend:
    """The part of a backend that the process uses."""

    description = "tiny (for tests)"
    text = TextAssets(tokenizer=BytesTokenizer())
    identity = Identity(served_model_id="tiny", implementation="tiny", generation_backend="tiny")

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    async def start(self, progress: Callable[[Progress], None]) -> None:
        progress(Progress("reading weights", 0.5))
        if "thread_s" in self._options:
            await asyncio.to_thread(time.sleep, float(self._options["thread_s"]))
        await asyncio.sleep(float(self._options.get("load_s", 0)))
        if self._options.get("fail") == "known":
            raise BackendError("the model directory is empty; download the model first")
        if self._options.get("fail") == "template":
            self.text = TextAssets(tokenizer=BytesTokenizer(), chat_template="{% if %}")
        if self._options.get("fail") == "bug":
            raise ZeroDivisionError("layers")

    async def close(self) -> None:
        sys.stderr.write("closed\n")


def make_app(settings: Settings, backend: Any, lifecycle: Lifecycle) -> Starlette:  # noqa: ARG001 - as the process calls
    async def state(_: Request) -> Response:
        progress = lifecycle.progress
        return JSONResponse({"state": lifecycle.state, "phase": progress.phase if progress else None})

    async def collector(_: Request) -> Response:
        return JSONResponse({"frozen": gc.get_freeze_count()})

    async def stream(request: Request) -> Response:
        seconds = float(request.query_params.get("seconds", "1"))
        try:
            lifecycle.require_ready()
        except ApiError as error:
            return Response(error.body(), error.status, error.headers, "application/json")
        return StreamingResponse(_ticks(lifecycle, seconds))

    async def echo(request: Request) -> Response:
        return Response(await request.body())

    async def block(request: Request) -> Response:
        sys.stderr.write("blocking\n")
        time.sleep(float(request.query_params["seconds"]))
        return Response()

    routes = [Route("/state", state), Route("/collector", collector), Route("/stream", stream), Route("/block", block)]
    return Starlette(routes=[*routes, Route("/echo", echo, methods=["POST"])])


async def _ticks(lifecycle: Lifecycle, seconds: float) -> AsyncIterator[bytes]:
    with lifecycle.work():
        for _ in range(10):
            yield b"tick\n"
            await asyncio.sleep(seconds / 10)
        yield b"done\n"


def main() -> int:
    parser = CommandParser("tiny", "")
    parser.add_settings()
    settings = resolve(flags_of(parser.read(sys.argv[1:])))
    configure_logs(settings.log_format, settings.log_level, sys.stderr)
    backend: Any = TinyBackend(settings.backend_options)
    code = run(settings, backend, make_app)
    assert threading.current_thread() is threading.main_thread()
    return code


if __name__ == "__main__":
    sys.exit(main())
