"""The engine: one step after another, each a forward pass over whatever the scheduler found to be due."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import structlog
import torch
from torch import Tensor

from kiln_engine.batch import build_batch
from kiln_engine.cache import Cache
from kiln_engine.models.model import Model
from kiln_engine.sampling import Draw, Sampler, SamplerState
from kiln_engine.scheduler import Scheduler
from kiln_engine.scoring import PromptScorer
from kiln_engine.sequence import Sequence as TokenSequence
from kiln_engine.step_plan import StepPlan
from kiln_engine.trace import StepRecord, Trace
from kiln_engine.work import AnswerWork, Deliver, Outcome, ScoreWork, Work
from kiln_server.backend import BackendError, FinishCause, Generation, Scoring, Stats, TokenEvent

KEPT_RECORDS: Final = 1024
"""Step records that are kept; the earliest are dropped first."""

_NS_PER_MS: Final = 1_000_000

_log = structlog.get_logger(__name__)

Delivery = tuple[Deliver, Outcome]


class _Due(NamedTuple):
    """An answer that gets a token in this step, and the row of the batch that it is drawn from."""

    work: AnswerWork
    row: int


class Engine:
    """Owns a model, its cache and the scheduler. Not thread-safe: one thread calls everything.

    `eos_ids` end an answer that does not ignore them. `clock` is monotonic, in nanoseconds.
    """

    def __init__(
        self,
        model: Model,
        cache: Cache,
        scheduler: Scheduler,
        sampler: Sampler,
        *,
        eos_ids: Iterable[int],
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.scheduler = scheduler
        self.records: deque[StepRecord] = deque(maxlen=KEPT_RECORDS)
        self._model = model
        self._cache = cache
        self._sampler = sampler
        self._eos_ids = frozenset(eos_ids)
        self._clock = clock
        self._num_steps = 0
        self._work: dict[TokenSequence, Work] = {}

    @property
    def num_open(self) -> int:
        """Answers and scorings that have not ended."""
        return len(self._work)

    def stats(self) -> Stats:
        """Gauges of this moment. May be called from any thread: it reads counters only."""
        blocks, prefixes = self.scheduler.cache.blocks, self.scheduler.cache.counters
        return Stats(
            running=self.scheduler.num_running,
            queue_depth=self.scheduler.num_waiting,
            blocks_used=blocks.num_leased,
            blocks_total=blocks.num_blocks,
            prefix_lookups_hit=prefixes.num_hits,
            prefix_lookups_miss=prefixes.num_misses,
            prefix_hit_tokens=prefixes.num_hit_tokens,
        )

    def generate(self, job: Generation, deliver: Deliver) -> AnswerWork:
        """Take an answer up; its tokens are delivered as steps produce them.

        Raises BackendError for a prompt that the model cannot read.
        """
        sequence = TokenSequence(job.request_id, job.prompt_ids, max_tokens=job.max_tokens, group=job.group)
        state = SamplerState(job.sampling, seed=job.seed, choice=job.choice)
        work = AnswerWork(job, sequence, state, Trace(job.received_ns or self._clock()), deliver)
        self._add(sequence, work)
        return work

    def score(self, job: Scoring, deliver: Deliver) -> ScoreWork:
        """Take a prompt up for scoring; its scores are delivered once. Raises BackendError as `generate` does."""
        sequence = TokenSequence(job.request_id, job.prompt_ids, max_tokens=0, scores=True)
        work = ScoreWork(sequence, PromptScorer(job.prompt_ids, job.top_k), deliver)
        self._add(sequence, work)
        return work

    def cancel(self, work: Work) -> None:
        """Stop a piece of work and free all that it holds; nothing more is delivered. No-op for one that has ended."""
        if self._work.pop(work.sequence, None) is not None:
            self.scheduler.cancel(work.sequence)

    def fail_all(self, error: Exception) -> list[Delivery]:
        """End everything with an error."""
        ended = list(self._work.values())
        for work in ended:
            self.cancel(work)
        return [(work.deliver, error) for work in ended]

    def step(self) -> list[Delivery] | None:
        """Run one step and return what it has for whom; None when there is nothing to do.

        An exception of the forward pass or of the sampler fails the work in this step alone.
        """
        start_ns = self._clock()
        plan = self.scheduler.plan()
        if plan is None:
            return None
        planned_ns = self._clock()
        try:
            with torch.inference_mode():
                hidden = self._forward(plan)
                due = self._due(plan)
                logits = self._logits(due, hidden)
                forwarded_ns = self._clock()
                draws = self._draw(due, logits)
                scored = self._score(plan, hidden)
        except Exception as error:
            return self._failed(plan, error)
        sampled_ns = self._clock()
        self.scheduler.commit(plan)
        members = [(rows, self._work[sequence]) for rows in plan.rows for sequence in (rows.sequence, *rows.followers)]
        deliveries = [self._take(entry.work, draw, sampled_ns) for entry, draw in zip(due, draws, strict=True)]
        deliveries += [self._end(work, outcome) for work, outcome in scored]
        record = self._record(plan, (start_ns, planned_ns, forwarded_ns, sampled_ns, self._clock()))
        for rows, work in members:
            if isinstance(work, AnswerWork):
                work.trace.add(record, is_prefill=rows.is_prefill, samples=rows.samples)
        return deliveries

    def _add(self, sequence: TokenSequence, work: Work) -> None:
        unknown = max(sequence.prompt_ids)
        if unknown >= self._model.vocab_size:
            # In a step it would fail its neighbours too.
            raise BackendError(f"token {unknown} has no row in this model's embedding of {self._model.vocab_size}")
        self.scheduler.add(sequence)
        self._work[sequence] = work

    def _forward(self, plan: StepPlan) -> Tensor:
        shape = self._cache.shape
        batch = build_batch(plan.rows, block_size=shape.block_size, device=shape.device)
        self._cache.copy_states(plan.resumes)
        hidden = self._model.forward(batch, self._cache)
        self._cache.copy_blocks(plan.copies)
        self._cache.copy_states(plan.saves)
        return hidden

    def _due(self, plan: StepPlan) -> list[_Due]:
        due, end = [], 0
        for rows in plan.rows:
            end += rows.stop - rows.start
            if rows.samples:
                due += [_Due(self._answer(sequence), end - 1) for sequence in (rows.sequence, *rows.followers)]
        return due

    def _answer(self, sequence: TokenSequence) -> AnswerWork:
        work = self._work[sequence]
        assert isinstance(work, AnswerWork)  # noqa: S101 - scored prompts never sample
        return work

    def _logits(self, due: Sequence[_Due], hidden: Tensor) -> Tensor:
        """One row for each answer that is due, [len(due), V]; several answers may draw from one row of the batch."""
        if not due:
            return hidden.new_empty(0, self._model.vocab_size)
        rows = list(dict.fromkeys(entry.row for entry in due))
        logits = self._model.logits(hidden[torch.tensor(rows, dtype=torch.int64, device=hidden.device)])
        if len(rows) == len(due):
            return logits
        index = {row: position for position, row in enumerate(rows)}
        return logits[torch.tensor([index[entry.row] for entry in due], dtype=torch.int64, device=hidden.device)]

    def _draw(self, due: Sequence[_Due], logits: Tensor) -> Sequence[Draw | BackendError]:
        states = [entry.work.sampler for entry in due]
        return self._sampler.draw(logits, states, logprobs=[entry.work.job.logprobs for entry in due])

    def _score(self, plan: StepPlan, hidden: Tensor) -> list[tuple[ScoreWork, Outcome]]:
        """Feed the prompts that are being scored; those that this ends, with how."""
        ended: list[tuple[ScoreWork, Outcome]] = []
        last = 0
        for rows in plan.rows:
            first, last = last, last + rows.stop - rows.start
            if rows.sequence.scores:
                work = self._work[rows.sequence]
                assert isinstance(work, ScoreWork)  # noqa: S101 - answers never ask for all logits
                outcome = self._fed(work, rows.start, hidden[first:last])
                ended += [] if outcome is None else [(work, outcome)]
        return ended

    def _fed(self, work: ScoreWork, start: int, hidden: Tensor) -> Outcome | None:
        try:
            work.scorer.feed(start, hidden, self._model.logits)
        except BackendError as error:
            return error
        return work.scorer.scores() if work.scorer.is_complete else None

    def _take(self, work: AnswerWork, draw: Draw | BackendError, now_ns: int) -> Delivery:
        """Give an answer its token, or what became of it."""
        if isinstance(draw, BackendError):
            return self._end(work, draw)
        token_id, forced = draw.token_id, False
        if work.job.gate is not None:
            try:
                token_id, forced = work.job.gate.accept(token_id, now_ns)
            except Exception as error:
                _log.error("gate_failed", request_id=work.job.request_id, exc_info=error)
                return self._end(work, BackendError(f"the gate of this answer failed: {error!r}"))
        work.sampler.take(token_id)
        work.sequence.append(token_id)
        event = TokenEvent(
            token_id=token_id,
            ready_ns=now_ns,
            delivered_ns=self._clock(),
            forced=forced,
            logprob=None if forced else draw.logprob,
            step=self._num_steps,
            finish=self._finish(work, token_id),
        )
        return (work.deliver, (event,)) if event.finish is None else self._end(work, (event,))

    def _finish(self, work: AnswerWork, token_id: int) -> FinishCause | None:
        if token_id in self._eos_ids and not work.job.ignore_eos:
            return "eos"
        return "length" if work.sequence.num_generated >= work.job.max_tokens else None

    def _end(self, work: Work, outcome: Outcome) -> Delivery:
        del self._work[work.sequence]
        self.scheduler.finish(work.sequence)
        return work.deliver, outcome

    def _failed(self, plan: StepPlan, error: Exception) -> list[Delivery]:
        failed = [self._work[sequence] for sequence in plan.sequences]
        ids = [work.sequence.request_id for work in failed]
        _log.error("step_failed", request_ids=ids, exc_info=error)
        self.scheduler.fail(plan)
        self._num_steps += 1
        return [self._end(work, BackendError(f"the engine failed in this step: {error!r}")) for work in failed]

    def _record(self, plan: StepPlan, times_ns: tuple[int, int, int, int, int]) -> StepRecord:
        slots = {rows.sequence.adapter_slot for rows in plan.rows} - {0}
        record = StepRecord(self._num_steps, *times_ns, plan.num_prompt_rows, plan.num_decode_rows, len(slots))
        self._num_steps += 1
        self.records.append(record)
        self.scheduler.observe(plan, (record.end_ns - record.start_ns) / _NS_PER_MS)
        return record
