"""An engine loop without a model: what it writes for a position says which tokens led there, so every read is checked.

The fake attention layer writes a digest of all tokens up to a position, and of the adapter, into the position's slot;
computing a row reads all earlier slots of its table. The fake recurrent layer keeps the digest of the last row as its
state. Both catch whatever was not written, was overwritten, or belongs to somebody else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kiln_engine.cache_manager import CacheManager
from kiln_engine.pacing import FixedPacing, Pacing
from kiln_engine.scheduler import Scheduler
from kiln_engine.sequence import Sequence
from kiln_engine.step_plan import Rows, StepPlan

POISON = -1
VOCABULARY = 8


class FakeEngine:
    """Runs a scheduler, and checks its accounts and all contents after each step."""

    def __init__(
        self,
        num_blocks: int,
        block_size: int = 16,
        *,
        num_state_slots: int = 0,
        checkpoint_interval: int = 0,
        prefix_cache: bool = True,
        max_num_seqs: int = 64,
        max_step_tokens: int = 2048,
        pacing: Pacing | FixedPacing | None = None,
    ) -> None:
        self.cache = CacheManager(
            num_blocks,
            block_size,
            num_state_slots=num_state_slots,
            checkpoint_interval=checkpoint_interval,
            prefix_cache=prefix_cache,
        )
        self.scheduler = Scheduler(
            self.cache, max_num_seqs=max_num_seqs, max_step_tokens=max_step_tokens, pacing=pacing
        )
        self.open: dict[Sequence, None] = {}
        self.ended: list[Sequence] = []
        self.num_prompt_rows: Counter[str] = Counter()
        """By request id."""
        self._keys = [POISON] * (num_blocks * block_size)
        self._states = [POISON] * num_state_slots
        self._digests: dict[Sequence, list[int]] = {}
        self._next_start: dict[Sequence, int] = {}
        """Where the rows of a running sequence go on."""

    def add(self, *sequences: Sequence) -> None:
        for sequence in sequences:
            self.scheduler.add(sequence)
            self.open[sequence] = None
        self.check()

    def cancel(self, sequence: Sequence) -> None:
        self.scheduler.cancel(sequence)
        self.open.pop(sequence, None)
        self._next_start.pop(sequence, None)
        self.check()

    def step(self, *, fails: bool = False, cancels: Iterable[Sequence] = ()) -> StepPlan | None:
        """One step; those of `cancels` are cancelled while it runs."""
        plan = self.scheduler.plan()
        self.check()
        if plan is None:
            return None
        self._check_plan(plan)
        if fails:
            self._scribble(plan)
            self.scheduler.fail(plan)
            for sequence in plan.sequences:
                self._end(sequence)
            self.check()
            return plan
        self._forward(plan)
        for sequence in cancels:
            self.cancel(sequence)
        self.scheduler.commit(plan)
        self._sample(plan)
        self.check()
        return plan

    def run(self, num_steps: int = 100_000) -> list[StepPlan]:
        """Step until nothing is left to do. Fails when something is left and there is no step, or after too many."""
        plans: list[StepPlan] = []
        while self.open:
            assert len(plans) < num_steps, f"still open after {num_steps} steps: {list(self.open)}"
            plan = self.step()
            assert plan is not None, f"no step, and yet open: {list(self.open)}"
            plans.append(plan)
        assert self.scheduler.plan() is None
        assert (self.scheduler.num_running, self.scheduler.num_waiting) == (0, 0)
        assert self.cache.blocks.num_leased == 0
        assert self.cache.states is None or self.cache.states.num_leased == 0
        return plans

    def check(self) -> None:
        """The accounts are right, and all computed positions of all running sequences hold what they should."""
        self.scheduler.check()
        blocks, states = self.cache.blocks, self.cache.states
        assert blocks.num_free + blocks.num_cached + blocks.num_leased == blocks.num_blocks
        assert states is None or states.num_free + states.num_cached + states.num_leased == states.num_slots
        for sequence in self.open:
            if sequence.num_computed:
                self._check_content(sequence, sequence.num_computed)

    def content(self, sequence: Sequence) -> list[int]:
        """Digests of all known prefixes of a sequence."""
        known = self._digests.setdefault(sequence, [])
        for token_id in sequence.token_ids[len(known) :]:
            known.append(hash((known[-1] if known else _root(sequence), token_id)))
        return known

    def _check_content(self, sequence: Sequence, stop: int) -> None:
        slots = [self._slot(sequence, position) for position in range(stop)]
        assert [self._keys[slot] for slot in slots] == self.content(sequence)[:stop], f"wrong content for {sequence!r}"

    def _check_plan(self, plan: StepPlan) -> None:
        for sequence in plan.preempted:
            del self._next_start[sequence]
        assert len(set(plan.sequences)) == len(plan.sequences)
        assert not set(plan.sequences) & set(plan.preempted)
        prompt = sum(rows.stop - rows.start for rows in plan.rows if rows.is_prefill)
        decode = sum(rows.stop - rows.start for rows in plan.rows if not rows.is_prefill)
        assert (plan.num_prompt_rows, plan.num_decode_rows) == (prompt, decode)
        assert len(self.scheduler._running) <= self.scheduler._max_num_seqs
        assert prompt + decode <= self.scheduler._max_step_tokens
        oldest = self.scheduler._running[0]
        assert oldest in plan.sequences, "the oldest running sequence does not advance"
        for rows in plan.rows:
            self._check_rows(rows)

    def _check_rows(self, rows: Rows) -> None:
        sequence = rows.sequence
        fresh = sequence not in self._next_start
        assert rows.start == self._next_start.get(sequence, rows.start)
        assert rows.start < rows.stop <= len(sequence.token_ids)
        assert not fresh or rows.start % self.cache.block_size == 0, "a hit ends at the end of a block"
        assert not (fresh and (sequence.scores or not self.cache.prefix_cache)) or rows.start == 0
        assert rows.samples == (rows.stop == len(sequence.token_ids) and not sequence.scores)
        assert rows.is_prefill or rows.stop - rows.start == 1
        self._next_start[sequence] = rows.stop
        for follower in rows.followers:
            assert follower.prompt_ids == sequence.prompt_ids
            assert follower.group == sequence.group
            assert follower not in self._next_start
            self._next_start[follower] = rows.stop

    def _forward(self, plan: StepPlan) -> None:
        for source, target in plan.resumes:
            self._states[target] = self._states[source]
        written: set[int] = set()
        for rows in plan.rows:
            slots = {self._slot(rows.sequence, position) for position in range(rows.start, rows.stop)}
            assert written.isdisjoint(slots), "two sequences write into one slot"
            written |= slots
        for rows in plan.rows:
            self._compute(rows)
        size = self.cache.block_size
        for source, target in plan.copies:
            self._keys[target * size : (target + 1) * size] = self._keys[source * size : (source + 1) * size]
        for source, target in plan.saves:
            self._states[target] = self._states[source]

    def _compute(self, rows: Rows) -> None:
        sequence, start, stop = rows.sequence, rows.start, rows.stop
        digests = self.content(sequence)
        self._check_content(sequence, start)
        for position in range(start, stop):
            self._keys[self._slot(sequence, position)] = digests[position]
        if self._states:
            state = self._states[sequence.state_slot] if start else _root(sequence)
            assert state == (digests[start - 1] if start else _root(sequence)), f"wrong state for {sequence!r}"
            self._states[sequence.state_slot] = digests[stop - 1]
        if rows.is_prefill:
            self.num_prompt_rows[sequence.request_id] += stop - start

    def _scribble(self, plan: StepPlan) -> None:
        """What a forward pass leaves that broke off: anything in the slots it was to write."""
        for rows in plan.rows:
            for position in range(rows.start, rows.stop):
                self._keys[self._slot(rows.sequence, position)] = POISON
            if self._states:
                self._states[rows.sequence.state_slot] = POISON
        for _, target in (*plan.resumes, *plan.saves):
            self._states[target] = POISON

    def _sample(self, plan: StepPlan) -> None:
        for rows in plan.rows:
            if rows.sequence.scores and rows.stop == rows.sequence.num_prompt:
                self._finish(rows.sequence)
            if rows.samples:
                for sequence in (rows.sequence, *rows.followers):
                    if sequence in self.open:
                        self._append(sequence)

    def _append(self, sequence: Sequence) -> None:
        sequence.append(hash((self.content(sequence)[-1], sequence.arrival)) % VOCABULARY)
        if sequence.num_generated == sequence.max_tokens:
            self._finish(sequence)

    def _finish(self, sequence: Sequence) -> None:
        if sequence in self.open:
            self.scheduler.finish(sequence)
            self._end(sequence)

    def _end(self, sequence: Sequence) -> None:
        self.open.pop(sequence, None)
        self._next_start.pop(sequence, None)
        self.ended.append(sequence)

    def _slot(self, sequence: Sequence, position: int) -> int:
        index, offset = divmod(position, self.cache.block_size)
        return sequence.block_ids[index] * self.cache.block_size + offset


def _root(sequence: Sequence) -> int:
    return int.from_bytes(sequence.adapter_revision.encode()) + 1
