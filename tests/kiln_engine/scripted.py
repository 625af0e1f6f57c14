"""An engine over a model whose logits are written down: the real scheduler, sampler and scorer, no network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import torch
from torch import Tensor

from kiln_engine.batch import Batch
from kiln_engine.cache import Cache, CacheShape
from kiln_engine.cache_manager import CacheManager
from kiln_engine.engine import Engine
from kiln_engine.pacing import FixedPacing
from kiln_engine.sampling import Sampler
from kiln_engine.scheduler import Scheduler
from kiln_engine.work import Outcome, Work
from kiln_server.backend import Generation, Sampling, Scores, TokenEvent

CPU = torch.device("cpu")
INF = math.inf


class ScriptedModel:
    """Position p predicts with row p of the script; the last row stands for all positions after it.

    `on_forward` is called with each batch first; what it raises, the model raises.
    """

    layers = ()

    def __init__(self, rows: Sequence[Sequence[float]], on_forward: Callable[[Batch], None] | None = None) -> None:
        self._on_forward = on_forward
        self.vocab_size = len(rows[0])
        self.num_rows = 0
        """Rows computed so far."""
        self.play(rows)

    def play(self, rows: Sequence[Sequence[float]]) -> None:
        """Take another script."""
        self._rows = torch.tensor(rows, dtype=torch.float32)

    def forward(self, batch: Batch, _cache: Cache) -> Tensor:
        if self._on_forward is not None:
            self._on_forward(batch)
        self.num_rows += batch.num_rows
        return batch.positions[:, None].float()

    def logits(self, hidden: Tensor) -> Tensor:
        return self._rows[hidden[:, 0].long().clamp(max=len(self._rows) - 1)]


def engine_of(
    model: Any,
    *,
    num_blocks: int = 64,
    block_size: int = 16,
    max_num_seqs: int = 64,
    prefill_chunk: int | None = None,
    eos_ids: Sequence[int] = (),
    prefix_cache: bool = True,
    clock: Callable[[], int] | None = None,
) -> Engine:
    """An engine over any model; unless another is given, with a clock that counts calls."""
    shape = CacheShape(num_blocks=num_blocks, block_size=block_size, dtype=torch.float32, device=CPU)
    scheduler = Scheduler(
        CacheManager(num_blocks, block_size, prefix_cache=prefix_cache),
        max_num_seqs=max_num_seqs,
        pacing=None if prefill_chunk is None else FixedPacing(prefill_chunk),
    )
    sampler = Sampler(model.vocab_size, CPU)
    ticks = count(1)
    return Engine(
        model,
        Cache(model.layers, shape),
        scheduler,
        sampler,
        eos_ids=eos_ids,
        clock=clock or (lambda: next(ticks) * 1_000),
    )


def job_of(prompt_ids: Sequence[int] = (1, 2, 3), **changes: Any) -> Generation:
    """A greedy answer of eight tokens."""
    values: dict[str, Any] = {
        "request_id": "r",
        "group": "g",
        "prompt_ids": tuple(prompt_ids),
        "choice": 0,
        "max_tokens": 8,
        "seed": 42,
        "sampling": Sampling(temperature=0.0),
    }
    return Generation(**(values | changes))


class Inbox:
    """What one piece of work was given."""

    def __init__(self) -> None:
        self.events: list[TokenEvent] = []
        self.scores: Scores | None = None
        self.error: Exception | None = None

    def __call__(self, outcome: Outcome) -> None:
        assert self.error is None, "nothing comes after an error"
        if isinstance(outcome, Exception):
            self.error = outcome
        elif isinstance(outcome, Scores):
            self.scores = outcome
        else:
            self.events += outcome

    @property
    def ids(self) -> list[int]:
        return [event.token_id for event in self.events]


def submit(engine: Engine, *jobs: Generation) -> tuple[list[Inbox], list[Work]]:
    """Hand over answers."""
    inboxes = [Inbox() for _ in jobs]
    return inboxes, [engine.generate(job, inbox) for job, inbox in zip(jobs, inboxes, strict=True)]


def step(engine: Engine) -> bool:
    """One step, its outcomes delivered, the scheduler's accounts checked; False when there was nothing to do."""
    deliveries = engine.step()
    for deliver, outcome in deliveries or ():
        deliver(outcome)
    engine.scheduler.check()
    return deliveries is not None


def run(engine: Engine, *jobs: Generation) -> list[Inbox]:
    """Run answers to their ends, side by side."""
    inboxes, _ = submit(engine, *jobs)
    while step(engine):
        pass
    assert engine.num_open == 0
    return inboxes
