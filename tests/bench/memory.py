"""How much memory a decoded document holds on to, seen from a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench.payloads import Payload, example, text

STATUS: Final = Path("/proc/self/status")
"""Where Linux tells a process its resident memory. Elsewhere nothing is measured."""

_PROGRAM: Final = """
import sys
from pathlib import Path
{setup}
def resident():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024
name, small, path = sys.argv[1:]
read(name, small.encode())
body = Path(path).read_bytes()
before = resident()
value = read(name, body)
print(resident() - before)
"""

READERS: Final = {
    "kc.decode": "from kiln_contract import decode as read",
    "orjson.loads": "import orjson\nread = lambda name, body: orjson.loads(body)",
    "json.loads": "import json\nread = lambda name, body: json.loads(body)",
}


def memory(payload: Payload, runs: int) -> dict[str, list[int]]:
    """Bytes that resident memory grows by while one document is decoded and kept, by reader. Empty off Linux."""
    if not STATUS.exists():
        return {}
    with TemporaryDirectory(prefix="kiln-bench-") as folder:
        path = Path(folder) / "body.json"
        path.write_bytes(payload.body)
        small = text(example(payload.definition)).decode()
        arguments = [payload.definition, small, str(path)]
        return {name: [_growth(setup, arguments) for _ in range(runs)] for name, setup in READERS.items()}


def _growth(setup: str, arguments: list[str]) -> int:
    command = [sys.executable, "-c", _PROGRAM.format(setup=setup), *arguments]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(result.stdout)
