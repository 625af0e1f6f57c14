"""Play the tokens of an answer: gate, limit, EOS, pace and cancellation, for backends that compute next to nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from time import monotonic_ns
from typing import Final, NamedTuple

from kiln_server.backend import BackendError, FinishCause, Generation, TokenEvent

BATCH: Final = 64
"""Tokens that cost nothing are given out this many at a time; between batches others run."""

_NS_PER_S: Final = 1e9

Pace = Callable[[int], int]
"""When the token at an index is due, in nanoseconds after the answer began."""


class Proposal(NamedTuple):
    """A candidate for a step, and the natural log of the probability that it was drawn with."""

    token_id: int
    logprob: float | None = 0.0


def play(
    job: Generation,
    proposals: Iterable[Proposal],
    eos_ids: frozenset[int],
    *,
    on_taken: Callable[[int], None] | None = None,
) -> Iterator[TokenEvent]:
    """The events of one answer, each computed when it is asked for, from the candidates of its steps.

    `on_taken` is told what each step became, a forced token included, before the next candidate is drawn. Where the
    candidates end early, the events end without a finish.
    """
    gate = job.gate
    eos_ids = frozenset() if job.ignore_eos else eos_ids
    last = job.max_tokens - 1
    with_logprobs = job.logprobs
    for step, (token_id, logprob) in enumerate(islice(proposals, job.max_tokens)):
        ready_ns = monotonic_ns()
        forced = False
        if gate is not None:
            token_id, forced = gate.accept(token_id, ready_ns)
        if on_taken is not None:
            on_taken(token_id)
        finish: FinishCause | None = None
        if token_id in eos_ids:
            finish = "eos"
        elif step == last:
            finish = "length"
        yield TokenEvent(token_id, ready_ns, 0, forced, logprob if with_logprobs and not forced else None, step, finish)
        if finish is not None:
            return


class Player:
    """Runs answers concurrently on the event loop, until it is closed."""

    def __init__(self) -> None:
        self.num_running = 0
        self._closed = False

    def close(self) -> None:
        """Let every running answer fail at its next token. Idempotent."""
        self._closed = True

    async def run(
        self, events: Iterator[TokenEvent], *, batch: int, pace: Pace | None, failure: str
    ) -> AsyncGenerator[Sequence[TokenEvent], None]:
        """Give events out, `batch` at a time, none before it is due.

        Raises BackendError with `failure` where they end without a finish. Computes no more than was asked for.
        """
        self.num_running += 1
        try:
            started_ns = monotonic_ns()
            num_given = 0
            while True:
                if pace is not None:
                    await asyncio.sleep(max(0, started_ns + pace(num_given) - monotonic_ns()) / _NS_PER_S)
                elif num_given:
                    await asyncio.sleep(0)
                self._require_open()
                ready = list(islice(events, batch))
                if not ready:
                    raise BackendError(failure)
                yield ready
                if ready[-1].finish is not None:
                    return
                num_given += len(ready)
        finally:
            self.num_running -= 1

    def _require_open(self) -> None:
        if self._closed:
            raise BackendError("the backend was closed while this answer was running")
