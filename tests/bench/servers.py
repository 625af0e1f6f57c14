"""Server processes to measure: Kiln with everything switched on, and its peers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
KILN: Final = "Kiln"
FASTAPI: Final = "FastAPI + pydantic"
STARLETTE: Final = "Starlette + json"
NAMES: Final = (KILN, FASTAPI, STARLETTE)

KEY: Final = "sk-bench-0123456789abcdef0123456789abcdef"
START_S: Final = 30.0


class Server:
    """A running server process."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], port: int) -> None:
        self.name = name
        self.port = port
        self.pid = process.pid

    def cpu_s(self) -> float:
        """CPU time of all its threads so far, in seconds, as the scheduler counted it (Linux)."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_bytes().split()[0]) for task in tasks) / 1e9

    def memory(self) -> int:
        """Resident memory in bytes (Linux)."""
        return int(Path(f"/proc/{self.pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running(script: dict[str, Any], folder: Path) -> Iterator[list[Server]]:
    """All servers over the same mock script, each on a port of its own. `folder` takes the files that they need."""
    path, keys = write_files(script, folder)
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(name, path, keys)) for name in NAMES]
        for server in servers:
            _wait_for(server)
        yield servers


@contextmanager
def alone(name: str, script: dict[str, Any], folder: Path) -> Iterator[Server]:
    """One of the servers."""
    with _server(name, *write_files(script, folder)) as server:
        _wait_for(server)
        yield server


def write_files(script: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """The script, and a file of keys, as files."""
    path, keys = folder / "script.json", folder / "keys"
    path.write_text(json.dumps(script))
    keys.write_text(f"{KEY}\nadmin sk-admin-{KEY}\n")
    keys.chmod(0o600)
    return path, keys


@contextmanager
def _server(name: str, script: Path, keys: Path) -> Iterator[Server]:
    port = _free_port()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    process = subprocess.Popen(
        [sys.executable, *_arguments(name, port, script, keys)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Server(name, process, port)
    finally:
        process.kill()
        process.wait()


def _arguments(name: str, port: int, script: Path, keys: Path) -> list[str]:
    if name == KILN:
        settings = {"port": port, "backend": "mock", "mock-script": script, "api-keys-file": keys, "log-format": "json"}
        return ["-m", "kiln_server", *(f"--{flag}={value}" for flag, value in settings.items())]
    return ["-m", "tests.bench.peers", "fastapi" if name == FASTAPI else "starlette", str(port), str(script)]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_for(server: Server) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{server.name} did not start; run its command by hand to see why") from None
            time.sleep(0.05)
        else:
            return
