"""A command of the project as a process of its own, whose lines on standard error can be awaited."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0
"""For a slow machine; no test waits so long when all is well."""


class Running:
    """A running process. Leaving the context kills what is left of it."""

    def __init__(self, module: str, *arguments: str, cwd: Path = ROOT, **variables: str) -> None:
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("KILN_")}
        paths = [str(ROOT), str(ROOT / "src"), inherited.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=cwd,
            env={**inherited, "PYTHONPATH": os.pathsep.join(paths), **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        """What has been read of standard error."""
        self._queue: Queue[str | None] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def line(self, part: str) -> str:
        """Wait for a line of standard error that holds `part`."""
        while True:
            try:
                line = self._queue.get(timeout=PATIENCE_S)
            except Empty:
                raise AssertionError(f"no line with {part!r} came; there were {self.lines}") from None
            if line is None:
                raise AssertionError(f"the process ended without a line with {part!r}; there were {self.lines}")
            self.lines.append(line)
            if part in line:
                return line

    def event(self, name: str) -> dict[str, Any]:
        """Wait for a log line, in JSON, with this event."""
        found: dict[str, Any] = json.loads(self.line(f'"event":"{name}"'))
        return found

    def address(self) -> str:
        """Wait until the server listens; its URL."""
        return str(self.event("listening")["address"])

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> int:
        """Wait for the end, read what is left of standard error; the exit code."""
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        while (line := self._queue.get_nowait()) is not None:
            self.lines.append(line)
        self._queue.put(None)
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
