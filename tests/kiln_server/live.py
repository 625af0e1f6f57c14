"""A real server on a real socket, in a thread of the test's own process, and a client that checks what it says.

    with serving(create_app(service)) as live:
        answer = live.ask("GET", "/v1/models")

Every answer that `ask` gets is held against its schema: see `traffic`. `raw` and `connect` send bytes as they are, for
what an HTTP library would hide or mend.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import httpx2
import uvicorn

from kiln_server.protocol import bounded
from tests.kiln_server import traffic

T = TypeVar("T")

PATIENCE_S: Final = 20.0
"""For a slow machine; no test waits so long when all is well."""


class Live:
    """A running server. `client` is a plain httpx2 client for it; leave checking to `ask`."""

    def __init__(self, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.host = "127.0.0.1"
        self.port = port
        self.url = f"http://{self.host}:{port}"
        self.client = httpx2.Client(base_url=self.url, timeout=PATIENCE_S, trust_env=False)
        self._loop = loop

    def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        key: str | None = None,
        json: Any = None,
        body: bytes | None = None,
    ) -> httpx2.Response:
        """Send a request, read the whole answer and check it. `body` is sent as JSON unless `headers` say otherwise."""
        sent = dict(headers or {})
        if key is not None:
            sent["authorization"] = f"Bearer {key}"
        if body is not None:
            sent.setdefault("content-type", "application/json")
        answer = self.client.request(method, path, headers=sent, json=json, content=body)
        traffic.check(method, path, answer.status_code, answer.headers, answer.content)
        return answer

    def connect(self) -> socket.socket:
        """A connected socket. Close it."""
        return socket.create_connection((self.host, self.port), timeout=PATIENCE_S)

    def raw(self, request: bytes) -> bytes:
        """Send bytes; everything that comes back until the server closes."""
        with self.connect() as connection:
            connection.sendall(request)
            return read_all(connection)

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine on the server's own event loop."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(PATIENCE_S)


@contextmanager
def serving(app: Any, *, header_timeout_s: float = 10.0, body_stall_timeout_s: float = 30.0) -> Iterator[Live]:
    """Serve an ASGI application on a free port of this machine, as the real process would."""
    config = uvicorn.Config(
        app,
        http=bounded(header_timeout_s, body_stall_timeout_s),
        ws="none",
        interface="asgi3",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    with listener, asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        loop = runner.get_loop()
        thread = threading.Thread(target=lambda: runner.run(server.serve(sockets=[listener])), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        live = Live(listener.getsockname()[1], loop)
        try:
            with live.client:
                yield live
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), "the server did not end"


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something holds that the server brings about on its own."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.002)


def read_all(connection: socket.socket) -> bytes:
    """Everything that comes until the other side closes."""
    received = bytearray()
    while piece := connection.recv(65536):
        received += piece
    return bytes(received)


def head_of(answer: bytes) -> tuple[int, dict[str, str]]:
    """The status and the headers of raw answer bytes; the last of a repeated header."""
    lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), {name.lower(): value for name, value in pairs}


def body_of(answer: bytes) -> bytes:
    """The body of raw answer bytes, as it came."""
    return answer.partition(b"\r\n\r\n")[2]
