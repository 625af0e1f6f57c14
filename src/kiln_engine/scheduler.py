"""Which rows run in the next step."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from itertools import count

from kiln_engine.cache_manager import CacheManager, Match
from kiln_engine.lease import Lease
from kiln_engine.pacing import FixedPacing, Pacing
from kiln_engine.prefills import Prefills, Wait
from kiln_engine.sequence import Sequence
from kiln_engine.step_plan import BlockCopy, Rows, StateCopy, StateSave, StepPlan
from kiln_engine.waiting import WaitingQueue, arrival


@dataclass(slots=True)
class _Draft:
    """A step plan in the making."""

    preempted: list[Sequence]
    rows: list[Rows] = field(default_factory=list)
    copies: list[BlockCopy] = field(default_factory=list)
    resumes: list[StateCopy] = field(default_factory=list)
    saves: list[StateCopy] = field(default_factory=list)
    checkpoints: list[StateSave] = field(default_factory=list)
    admitted: list[Sequence] = field(default_factory=list)
    num_prompt_rows: int = 0
    num_decode_rows: int = 0

    def finished(self) -> StepPlan:
        return StepPlan(
            rows=tuple(self.rows),
            copies=tuple(self.copies),
            resumes=tuple(self.resumes),
            saves=tuple(self.saves),
            checkpoints=tuple(self.checkpoints),
            num_prompt_rows=self.num_prompt_rows,
            num_decode_rows=self.num_decode_rows,
            admitted=tuple(self.admitted),
            preempted=tuple(self.preempted),
        )


class Scheduler:
    """Lets the computed tokens of every sequence catch up with its known ones, a bounded number of rows a step.

    New prompts, prompts in chunks, prompts with a cached prefix, sequences that were preempted and answers that grow
    token by token are one thing: known tokens that are not computed yet. Each step runs all answers' next rows, then
    prompt rows in order of arrival, first of what runs and then of what waits, as far as `max_step_tokens` and
    `pacing` allow.

    A sequence is admitted when there is room for all its known tokens, and for a block more for each that runs already;
    nobody overtakes one that waits for room. Room for generated tokens is taken as they come. Where there is none, the
    sequence that loses the least is preempted: what it published stays cached, the rest is computed again when its turn
    comes. The oldest running sequence is never preempted and gets rows in every step, and alone it always fits, so all
    sequences end.

    The order of calls is `plan`, then `commit` or `fail`, then again; the others may come at any time.
    """

    def __init__(
        self,
        cache: CacheManager,
        *,
        max_num_seqs: int = 64,
        max_step_tokens: int = 2048,
        pacing: Pacing | FixedPacing | None = None,
    ) -> None:
        if not 1 <= max_num_seqs <= max_step_tokens:
            raise ValueError(
                f"max_step_tokens is {max_step_tokens}, max_num_seqs {max_num_seqs}: "
                "a step must have room for one row of each running sequence, and at least one must run"
            )
        self.cache = cache
        self._max_num_seqs = max_num_seqs
        self._max_step_tokens = max_step_tokens
        self._pacing = Pacing() if pacing is None else pacing
        self._arrivals = count()
        self._running: list[Sequence] = []
        """In order of arrival."""
        self._waiting = WaitingQueue()
        self._prefills = Prefills(cache)
        self._waits: dict[Sequence, Wait] = {}
        self._shortage: tuple[Sequence | None, int] = (None, 0)
        """The sequence that found no room last, and the blocks that it needs at least."""
        self._open_plan: StepPlan | None = None

    @property
    def num_running(self) -> int:
        """Sequences that hold blocks."""
        return len(self._running)

    @property
    def num_waiting(self) -> int:
        """Sequences that hold nothing."""
        return len(self._waiting)

    def add(self, sequence: Sequence) -> None:
        """Let a new sequence wait for its turn.

        Raises ValueError for one that was added before, and for one that would not fit even alone.
        """
        if sequence.arrival >= 0:
            raise ValueError(f"{sequence!r} was added before")
        num_tokens = sequence.num_prompt + sequence.max_tokens
        if not self.cache.fits(num_tokens):
            raise ValueError(
                f"request {sequence.request_id!r} may grow to {num_tokens} tokens, more than the cache holds beside "
                "one free block: ask for fewer tokens, or give the cache more memory"
            )
        sequence.arrival = next(self._arrivals)
        self._waiting.add(sequence)

    def cancel(self, sequence: Sequence) -> None:
        """Stop a sequence wherever it is, and give back what it holds; no-op for one that is not here."""
        self._end(sequence)

    def finish(self, sequence: Sequence) -> None:
        """A sequence needs no further step: give back what it holds; no-op for one that is not here."""
        self._end(sequence)

    def plan(self) -> StepPlan | None:
        """The next step; None when there is nothing to compute."""
        if self._open_plan is not None:
            raise RuntimeError("plan() was called before the last plan was committed or had failed")
        draft = _Draft(self._make_room())
        self._plan_decodes(draft)
        limit = self._pacing.max_prompt_rows(draft.num_decode_rows)
        budget = min(limit, self._max_step_tokens - draft.num_decode_rows)
        budget = self._plan_prefills(draft, budget)
        if not draft.preempted:
            self._admit(draft, budget)
        self._open_plan = draft.finished() if draft.rows else None
        return self._open_plan

    def commit(self, plan: StepPlan) -> None:
        """The step was computed: its rows count, and blocks that are full by now can be found by others."""
        self._open_plan = None
        for rows in plan.rows:
            if rows.is_prefill:
                self._commit_prefill(rows)
            else:
                self._commit_decode(rows)
        for save in plan.checkpoints:
            self.cache.keep(save)

    def fail(self, plan: StepPlan) -> None:
        """The step was not computed, or not to its end: all its sequences end here, and nothing of it is published."""
        self._open_plan = None
        for save in plan.checkpoints:
            self.cache.drop(save)
        for sequence in plan.sequences:
            self._end(sequence)

    def observe(self, plan: StepPlan, ms: float) -> None:
        """Learn how long a step took."""
        self._pacing.observe(plan.num_prompt_rows, plan.num_decode_rows, ms)

    def check(self) -> None:
        """Raise AssertionError with what is off in the accounts. For tests."""
        leases = [sequence.lease for sequence in self._running if sequence.lease is not None]
        if len(leases) != len(self._running) or any(sequence.lease for sequence in self._waiting):
            raise AssertionError("not exactly the running sequences hold leases")
        self.cache.check(leases, self._open_plan.checkpoints if self._open_plan else ())
        if not self._prefills.tracked <= set(self._running) or not self._waits.keys() <= set(self._waiting):
            raise AssertionError("something is remembered of a sequence that is gone")

    def _make_room(self) -> list[Sequence]:
        """Let running sequences hold blocks for all their known tokens, the oldest first."""
        preempted: list[Sequence] = []
        block_size = self.cache.block_size
        for sequence in tuple(self._running):
            lease = sequence.lease
            if lease is not None and len(lease.block_ids) * block_size < len(sequence.token_ids):
                while sequence.lease is lease and not self.cache.grow(lease, len(sequence.token_ids)):
                    preempted.append(self._preempt())
        return preempted

    def _preempt(self) -> Sequence:
        """Send the running sequence back that loses the least, of equal ones the youngest, never the oldest of all."""
        victim = min(reversed(self._running[1:]), key=self._num_lost)
        self._stop(victim)
        victim.num_computed = 0
        victim.num_preemptions += 1
        self._waiting.add(victim)
        return victim

    def _num_lost(self, sequence: Sequence) -> int:
        """Computed rows that are not cached."""
        lease = sequence.lease
        assert lease is not None  # noqa: S101 - it runs
        return sequence.num_computed - lease.num_published * self.cache.block_size

    def _plan_decodes(self, draft: _Draft) -> None:
        rows = draft.rows
        for sequence in self._running:
            start, stop = sequence.num_computed, len(sequence.token_ids)
            if sequence.prefill_stop <= start < stop:
                rows.append(Rows(sequence, start, stop, True, False))
                draft.num_decode_rows += stop - start
                if self.cache.states is not None:
                    self._plan_checkpoint(draft, sequence, stop, self.cache.next_checkpoint(sequence, start))

    def _plan_prefills(self, draft: _Draft, budget: int) -> int:
        """Plan chunks of what runs; returns the prompt rows that are left."""
        for sequence in [sequence for sequence in self._running if sequence.is_prefilling]:
            if budget == 0:
                break
            budget -= self._plan_chunk(draft, sequence, budget)
        return budget

    def _plan_chunk(self, draft: _Draft, sequence: Sequence, budget: int) -> int:
        start = sequence.num_computed
        stop = min(start + budget, sequence.prefill_stop)
        due = self.cache.next_checkpoint(sequence, start)
        if due is not None:
            stop = min(stop, due)
            self._plan_checkpoint(draft, sequence, stop, due)
        samples = stop == len(sequence.token_ids) and not sequence.scores
        followers = self._fork(draft, sequence) if samples else ()
        draft.rows.append(Rows(sequence, start, stop, samples, True, followers))
        draft.num_prompt_rows += stop - start
        return stop - start

    def _plan_checkpoint(self, draft: _Draft, sequence: Sequence, stop: int, due: int | None) -> None:
        save = self.cache.save(sequence, stop) if stop == due else None
        if save is not None:
            draft.checkpoints.append(save)
            draft.saves.append(StateCopy(sequence.state_slot, save.slot))

    def _admit(self, draft: _Draft, budget: int) -> None:
        """Let waiting sequences run, in order of arrival, until rows, places or room are used up."""
        if budget == 0 or self._is_full:
            return
        for sequence in self._waiting:
            # One whose sibling was admitted a moment ago may have begun with it.
            if sequence.lease is not None or self._must_wait(sequence):
                continue
            if self._is_short(sequence):
                break
            match = self.cache.match(sequence)
            if self._note_wait(sequence, self._prefills.wait_for_prefix(sequence, match)):
                continue
            if not self._start(draft, sequence, match):
                break
            budget -= self._plan_chunk(draft, sequence, budget)
            if budget == 0 or self._is_full:
                break

    @property
    def _is_full(self) -> bool:
        return len(self._running) >= self._max_num_seqs

    def _must_wait(self, sequence: Sequence) -> bool:
        wait = self._waits.get(sequence)
        if wait is not None and wait.holds:
            return True
        return self._note_wait(sequence, self._prefills.wait_for_sibling(sequence))

    def _note_wait(self, sequence: Sequence, wait: Wait | None) -> bool:
        if wait is None:
            self._waits.pop(sequence, None)
            return False
        self._waits[sequence] = wait
        return True

    def _is_short(self, sequence: Sequence) -> bool:
        """Whether nothing has changed for a sequence that found no room: saves looking its prefix up in every step."""
        blocked, num_blocks = self._shortage
        return sequence is blocked and self.cache.blocks.num_available < num_blocks + len(self._running)

    def _start(self, draft: _Draft, sequence: Sequence, match: Match) -> bool:
        """Admit a sequence; False, and nothing done, without room."""
        # A block for each that runs already: else some would soon be preempted for want of it.
        granted = self.cache.lease(sequence, match, num_spare=len(self._running))
        if granted is None:
            num_blocks = self.cache.num_blocks(len(sequence.token_ids)) - len(match.block_ids)
            self._shortage = sequence, num_blocks
            return False
        lease, resumes = granted
        draft.resumes += resumes
        sequence.num_computed = len(match.block_ids) * self.cache.block_size
        if sequence.num_preemptions == 0:
            self.cache.count(sequence)
        self._run(draft, sequence, lease)
        self._prefills.track(sequence)
        return True

    def _fork(self, draft: _Draft, leader: Sequence) -> tuple[Sequence, ...]:
        """Let waiting siblings go on from the leader's prompt, as many as find a place and room."""
        assert leader.lease is not None  # noqa: S101 - it runs
        followers: list[Sequence] = []
        for sibling in self._waiting.siblings(leader):
            fork = None if self._is_full else self.cache.fork(leader.lease, leader.num_prompt)
            if fork is None:
                break
            draft.copies += fork.copies
            draft.saves += fork.saves
            self._run(draft, sibling, fork.lease)
            followers.append(sibling)
        return tuple(followers)

    def _run(self, draft: _Draft, sequence: Sequence, lease: Lease) -> None:
        if sequence.num_preemptions == 0:
            draft.admitted.append(sequence)
        sequence.lease = lease
        sequence.prefill_stop = len(sequence.token_ids)
        self._waiting.discard(sequence)
        self._waits.pop(sequence, None)
        insort(self._running, sequence, key=arrival)

    def _commit_prefill(self, rows: Rows) -> None:
        published: Lease | None = None
        for sequence in (rows.sequence, *rows.followers):
            lease = sequence.lease
            if lease is None:  # cancelled while the step ran
                continue
            sequence.num_computed = rows.stop
            if published is None:
                self.cache.publish(sequence, lease)
                published = lease
            else:
                lease.parent, lease.num_published = published.parent, published.num_published
        self._prefills.track(rows.sequence)

    def _commit_decode(self, rows: Rows) -> None:
        lease = rows.sequence.lease
        if lease is not None:
            rows.sequence.num_computed = rows.stop
            if rows.stop % self.cache.block_size == 0:
                self.cache.publish(rows.sequence, lease)

    def _end(self, sequence: Sequence) -> None:
        if sequence.lease is not None:
            self._stop(sequence)
        else:
            self._waiting.discard(sequence)
            self._waits.pop(sequence, None)

    def _stop(self, sequence: Sequence) -> None:
        """Give back all that a running sequence holds: the one place where that happens."""
        assert sequence.lease is not None  # noqa: S101 - it runs
        self.cache.release(sequence.lease)
        sequence.lease = None
        self._running.remove(sequence)
        self._prefills.discard(sequence)
