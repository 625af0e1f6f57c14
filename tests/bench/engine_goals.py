"""The targets of the engine, and what was measured against each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.bench.engine_models import QWEN3, SMALL
from tests.bench.engine_peers import KILN_TORCH, LLAMA_CPP
from tests.bench.engine_result import Result
from tests.bench.goals import Verdict

BEST: Final = "best peer"


@dataclass(frozen=True)
class Goal:
    """How many times as fast ours is to be at a piece of work."""

    title: str
    against: str
    """A peer, `BEST`, or `KILN_TORCH`, our own inexact setting."""
    times: float


def _decode(name: str, streams: str, context: str) -> str:
    return f"{name}, decode, {streams} at {context}"


_LONG: Final = tuple(f"{QWEN3.name}, prefill of {context}" for context in ("512", "1,500"))
_ALONE: Final = {shape.name: _decode(shape.name, "1 stream", "128") for shape in (QWEN3, SMALL)}

GOALS: Final = (
    Goal(_ALONE[QWEN3.name], LLAMA_CPP, 1.1),
    Goal(_decode(QWEN3.name, "8 streams", "128"), BEST, 1.3),
    Goal(_decode(QWEN3.name, "8 streams", "1,024"), BEST, 1.6),
    Goal(_LONG[0], BEST, 1.0),
    Goal(_LONG[1], BEST, 1.0),
    Goal(_ALONE[SMALL.name], BEST, 1.0),
    Goal(_decode(SMALL.name, "8 streams", "128"), BEST, 2.2),
    Goal(_ALONE[QWEN3.name], KILN_TORCH, 0.95),
    Goal(_LONG[0], KILN_TORCH, 0.95),
    Goal(_ALONE[SMALL.name], KILN_TORCH, 0.95),
    Goal(f"{SMALL.name}, prefill of 512", KILN_TORCH, 0.95),
)

MIN_TO_PROBE: Final = 0.92
"""Of the 0.6B model's decoding for one stream."""
MIN_SERVED: Final = {QWEN3.name: 0.95, SMALL.name: 0.8}
"""Speed behind HTTP, to the engine alone."""
MAX_ERROR: Final = 1.05
"""Error of the logits, to that of transformers in the same number format."""
MAX_START_S: Final = 2.5


def speed_verdicts(results: dict[str, Result]) -> Iterator[Verdict]:
    """Every target that these results can judge."""
    alone = results.get(_ALONE[QWEN3.name])
    if alone is not None and (ours := alone.ours()) and (share := alone.to_probe(ours)) is not None:
        yield Verdict(alone.title, "memory probe", share, MIN_TO_PROBE, "x", at_least=True)
    for goal in GOALS:
        result = results.get(goal.title)
        if result is not None and (verdict := _verdict(goal, result)) is not None:
            yield verdict


def _verdict(goal: Goal, result: Result) -> Verdict | None:
    ours = result.ours()
    against = next(iter(result.peers()), None) if goal.against == BEST else result.best(goal.against)
    if ours is None or against is None or (ratio := result.ratio(against, ours)) is None:
        return None
    return Verdict(goal.title, against, ratio.times, goal.times, "x", at_least=True)
