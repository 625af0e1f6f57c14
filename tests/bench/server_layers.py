"""Where a request's work goes, layer by layer: Python functions entered and bytecodes run, the same each time.

`python -m tests.bench.server_layers` prints the tables. The servers run in this process, behind a transport without a
network, so that nothing but their own code is counted. What C code does (sockets, msgspec, hashes) is not in it.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import uvicorn
import uvloop
from uvicorn.server import ServerState

from kiln_server.app import create_app
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import load as load_script
from kiln_server.lifecycle import Lifecycle
from kiln_server.logs import configure_logs
from kiln_server.protocol import bounded
from kiln_server.resolution import resolve
from kiln_server.service import Service
from tests.bench.closed_loop import request_bytes
from tests.bench.peers.starlette_peer import create_app as create_starlette
from tests.bench.servers import KILN, STARLETTE, write_files
from tests.bench.table import Rows, aligned

WARM: Final = 20
"""Requests before those that are counted."""
COUNTED: Final = 10

_LAYERS: Final[Mapping[str, str]] = {
    "HTTP: parsing and writing": "uvicorn/ kiln_server/protocol kiln_server/cycle",
    "the mock's tokens": "kiln_server/backends/ peers/work.py:tokens",
    "prompt: template and encoding": "<template> jinja2/ peers/work kiln_contract/provenance kiln_server/text/prompt "
    "kiln_server/text/template kiln_server/text/trusted kiln_server/text/control_tokens kiln_server/text/messages",
    "text of the answer": "kiln_server/text/ kiln_server/generation codecs",
    "metrics, timing and log": "kiln_server/edge/observation kiln_server/observing kiln_server/timing structlog/ "
    "kiln_server/delivery kiln_server/metrics kiln_server/tally kiln_server/recent kiln_server/logs",
    "reading and checking the body": "kiln_server/reading kiln_contract/ json/decoder starlette/requests",
    "building and encoding the answer": "kiln_server/responses kiln_server/streaming kiln_server/random_hex json/ "
    "uuid.py kiln_contract/codec.py:encode peers/starlette_peer starlette/responses",
    "deadlines, admission, departure": "kiln_server/deadline kiln_server/admission kiln_server/lifecycle anyio/ "
    "sniffio/ kiln_server/arrivals kiln_server/edge/interrupt kiln_server/edge/disconnect contextlib.py",
    "planning": "kiln_server/plan kiln_server/presets",
    "routes, keys and failures": "kiln_server/ starlette/",
    "the rest, mostly asyncio": ":",
}
"""Parts of `file:function` for each layer; the longest part that is found decides."""


class Work(NamedTuple):
    """What was run for one request or one token."""

    functions: float
    bytecodes: float


Layers = dict[str, Work]


class _Connection(asyncio.Transport):
    """A transport that only notes the end of each answer."""

    def __init__(self, *, stream: bool) -> None:
        super().__init__()
        self._stream = stream
        self._left = 0
        self.answered = asyncio.Event()

    def write(self, data: Any) -> None:
        if self._stream:
            is_end = data.endswith(b"0\r\n\r\n")
        else:
            head, found, body = data.partition(b"\r\n\r\n")
            if found and data.startswith(b"HTTP/"):
                self._left = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                data = body
            self._left -= len(data)
            is_end = self._left == 0
        if is_end:
            self.answered.set()

    def is_closing(self) -> bool:
        return False

    def resume_reading(self) -> None:
        pass

    def pause_reading(self) -> None:
        raise RuntimeError("the benchmark's request does not fit the server's buffer")

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else default


class _Count:
    """Counts what runs, while it is entered."""

    def __init__(self) -> None:
        self._functions: Counter[CodeType] = Counter()
        self._bytecodes: Counter[CodeType] = Counter()

    def __enter__(self) -> _Count:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        # Whoever traced before goes on: coverage, for one.
        sys.settrace(self._before)

    def layers(self, units: int) -> Layers:
        found: dict[str, Counter[str]] = {name: Counter() for name in _LAYERS}
        for code, number in self._bytecodes.items():
            layer = found[_layer_of(code)]
            layer["bytecodes"] += number
            layer["functions"] += self._functions[code]
        return {name: Work(layer["functions"] / units, layer["bytecodes"] / units) for name, layer in found.items()}

    def _called(self, frame: FrameType, _: str, __: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename == __file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._functions[frame.f_code] += 1
        return self._ran

    def _ran(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event == "opcode":
            self._bytecodes[frame.f_code] += 1
        return self._ran


def _layer_of(code: CodeType) -> str:
    place = f"{code.co_filename}:{code.co_name}"
    _, layer = max((len(part), name) for name, parts in _LAYERS.items() for part in parts.split() if part in place)
    return layer


def layers(script: dict[str, Any], *, stream: bool, tokens: int = 1) -> dict[str, Layers]:
    """The layers of Kiln and of bare Starlette, for one request, or for one of the `tokens` of its answer."""
    with tempfile.TemporaryDirectory() as folder:
        path, keys = write_files(script, Path(folder))
        return {
            KILN: _run(_kiln(path, keys), stream=stream, tokens=tokens),
            STARLETTE: _run(_starlette(path), stream=stream, tokens=tokens),
        }


def _run(make: Callable[[], asyncio.Protocol], *, stream: bool, tokens: int) -> Layers:
    return uvloop.run(_answered(make, stream=stream, tokens=tokens))


async def _answered(make: Callable[[], asyncio.Protocol], *, stream: bool, tokens: int) -> Layers:
    connection, protocol = _Connection(stream=stream), make()
    protocol.connection_made(connection)
    asked = request_bytes(stream=stream)

    async def ask(times: int) -> None:
        for _ in range(times):
            connection.answered.clear()
            protocol.data_received(asked)
            await connection.answered.wait()
            # What is done after the answer belongs to it.
            await asyncio.sleep(0.01)

    await ask(WARM)
    with _Count() as count:
        await ask(COUNTED)
    protocol.connection_lost(ConnectionResetError())
    return count.layers(COUNTED * tokens)


def _kiln(script: Path, keys: Path) -> Callable[[], asyncio.Protocol]:
    configure_logs("json", "info", io.StringIO())
    flags = {"backend": "mock", "mock_script": str(script), "api_keys_file": str(keys)}
    settings = resolve(flags, environ={})
    lifecycle = Lifecycle()
    lifecycle.loaded()
    app = create_app(Service.create(settings, MockBackend(load_script(script)), lifecycle))
    protocol = bounded(settings.header_timeout_s, settings.body_stall_timeout_s)
    config = uvicorn.Config(app, http=protocol, ws="none", log_config=None, access_log=False, interface="asgi3")
    return _maker(config)


def _starlette(script: Path) -> Callable[[], asyncio.Protocol]:
    config = uvicorn.Config(create_starlette(script), http="httptools", ws="none", log_config=None, access_log=False)
    return _maker(config)


def _maker(config: uvicorn.Config) -> Callable[[], asyncio.Protocol]:
    config.load()
    state = ServerState()
    return lambda: config.http_protocol_class(config, state, {})  # type: ignore[operator, return-value]


def layer_rows(title: str, measured: dict[str, Layers]) -> Rows:
    """A row for each layer, the largest first, and their sum."""
    kiln, bare = measured[KILN], measured[STARLETTE]
    head = (title, "functions", "bytecodes", f"of {STARLETTE}: functions", "bytecodes")
    names = sorted(kiln, key=lambda name: -kiln[name].bytecodes)
    return [head, *(_row(name, kiln[name], bare[name]) for name in names), _row("all", _sum(kiln), _sum(bare))]


def _sum(layers: Layers) -> Work:
    return Work(sum(work.functions for work in layers.values()), sum(work.bytecodes for work in layers.values()))


def _row(name: str, kiln: Work, bare: Work) -> tuple[str, ...]:
    return (name, *(f"{number:,.1f}" if number < 20 else f"{number:,.0f}" for number in (*kiln, *bare)))


def main() -> None:
    from tests.bench.server import count_layers

    for title, measured in count_layers().items():
        print(aligned(layer_rows(title, measured)), end="\n\n")


if __name__ == "__main__":
    main()
