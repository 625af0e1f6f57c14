"""Our engine with its own kernels: the step loop that the server's engine thread runs, without server and thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import torch

from kiln_engine.assembly import assemble
from kiln_engine.engine import Engine
from kiln_engine.kernels.choice import choose
from kiln_engine.options import EngineOptions
from kiln_engine.trace import StepRecord
from kiln_engine.work import AnswerWork, Outcome
from kiln_server.backend import Generation, Sampling
from tests.bench.engine_peers.peer import Load, Peer

PROMPT_ROWS: Final = 2048
"""Of one step: prompts that are taken up together are not held up by the first of them that answers."""
HEAD_START: Final = 32
"""More tokens than one answer can get before another one's prompt is read."""


class Kiln:
    """Drives an engine step by step."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._works: list[AnswerWork] = []

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:
        self._works = [self._engine.generate(_job(index, prompt, most), _taken) for index, prompt in enumerate(prompts)]
        while not all(work.sequence.num_generated for work in self._works):
            self._engine.step()

    def advance(self, steps: int) -> Mapping[str, float]:
        for _ in range(steps):
            self._engine.step()
        return _phases(list(self._engine.records)[-steps:])

    def end(self) -> None:
        for work in self._works:
            self._engine.cancel(work)
        self._works = []


def _job(index: int, prompt: Sequence[int], most: int) -> Generation:
    return Generation(
        request_id=str(index),
        group=str(index),
        prompt_ids=tuple(prompt),
        choice=0,
        # The first to answer go on while the others are still being read.
        max_tokens=most + HEAD_START,
        seed=0,
        sampling=Sampling(temperature=0.0),
        ignore_eos=True,
    )


def _taken(outcome: Outcome) -> None:
    if isinstance(outcome, Exception):
        raise outcome


def _phases(records: Sequence[StepRecord]) -> dict[str, float]:
    """Seconds of some steps by phase."""
    marks = ("start_ns", "planned_ns", "forwarded_ns", "sampled_ns", "end_ns")
    totals = [sum(getattr(record, mark) for record in records) for mark in marks]
    names = ("plan", "forward", "sampling", "deliver")
    return {name: (after - before) / 1e9 for name, before, after in zip(names, totals, totals[1:], strict=False)}


def create(load: Load, kernels: str = "auto") -> Peer:
    """The engine with a model, its prefix cache off: no prompt may be known from an earlier sample."""
    if kernels == "auto" and not (choice := choose(kernels, torch.device("cpu"))).kernels.exact:
        raise RuntimeError(f"there are no kernels of our own to measure: {choice.reason}")
    torch.set_num_threads(load.threads)
    options = EngineOptions(
        model=load.path,
        device="cpu",
        dtype="float32" if load.dtype == "float32" else "bfloat16",
        kernels=kernels,
        max_model_len=load.context,
        max_num_seqs=load.streams,
        prefix_cache=False,
        prefill_chunk=PROMPT_ROWS,
    )
    return Kiln(assemble(options, lambda _: None).engine)
