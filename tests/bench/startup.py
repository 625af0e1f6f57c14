"""How much a fresh process pays for the library: its import and eight decoders, over Python that does nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Final

from tests.bench.payloads import example, text
from tests.bench.timing import Series

DECODED: Final = (
    "BatchCompletionRequest",
    "BatchCompletionResponse",
    "ChatCompletionChunk",
    "ChatCompletionRequest",
    "ChatCompletionResponse",
    "RolloutProvenanceV1",
    "TextCompletionRequest",
    "TextCompletionResponse",
)

BARE: Final = "bare Python"
READY: Final = "import kiln_contract and 8 decoders"

_READY: Final = """
import sys
import kiln_contract as kc
for name, body in zip(sys.argv[1::2], sys.argv[2::2]):
    kc.decode(name, body)
"""


def startup(runs: int) -> dict[str, Series]:
    """CPU seconds of whole processes, both kinds in turns. Raises CalledProcessError when one fails."""
    documents = [part for name in DECODED for part in (name, text(example(name)).decode())]
    measured = {BARE: Series(1), READY: Series(1)}
    for run in range(runs + 1):
        for name, program in ((BARE, "pass"), (READY, _READY)):
            seconds = _seconds([sys.executable, "-c", program, *documents])
            if run:  # the first run writes byte code and fills caches
                measured[name].seconds.append(seconds)
    return measured


def _seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
