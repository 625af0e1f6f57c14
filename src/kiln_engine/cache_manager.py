"""Leases of the cache: blocks for keys and values, and a slot for a recurrent state where a model has one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from kiln_engine.block_pool import BlockPool
from kiln_engine.lease import Lease, Parent
from kiln_engine.sequence import Sequence
from kiln_engine.state_pool import StatePool
from kiln_engine.step_plan import BlockCopy, StateCopy, StateSave


class Match(NamedTuple):
    """The longest cached prefix of a sequence that can be resumed."""

    block_ids: list[int]
    key_ids: list[int]
    end: Parent
    """What the first block after the longest cached prefix continues, whether that can be resumed or not."""
    num_found: int
    """Blocks of the longest cached prefix."""


class Fork(NamedTuple):
    """A lease that shares the prompt of another, and what must be copied before it is used."""

    lease: Lease
    copies: tuple[BlockCopy, ...]
    saves: tuple[StateCopy, ...]


@dataclass(slots=True)
class PrefixCounters:
    """Look-ups of first admissions, and the tokens that they spared."""

    num_hits: int = 0
    num_misses: int = 0
    num_hit_tokens: int = 0


class CacheManager:
    """Makes leases, all or nothing, extends them and takes them back.

    A prefix can be resumed where all groups of the cache can: blocks at the end of any block that is cached together
    with all before it, states where a checkpoint is. At least one token is left to compute. Without `prefix_cache`
    nothing is published and nothing is found.
    """

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        *,
        num_state_slots: int = 0,
        checkpoint_interval: int = 0,
        prefix_cache: bool = True,
    ) -> None:
        self.states: Final = (
            StatePool(num_state_slots, block_size=block_size, interval=checkpoint_interval) if num_state_slots else None
        )
        self.blocks: Final = BlockPool(num_blocks, block_size, forget=self.states.forget if self.states else None)
        self.block_size: Final = block_size
        self.prefix_cache: Final = prefix_cache
        self.counters: Final = PrefixCounters()

    def fits(self, num_tokens: int) -> bool:
        """Whether a sequence of this length has room when it is alone; one block is kept back."""
        return num_tokens <= (self.blocks.num_blocks - 1) * self.block_size

    def match(self, sequence: Sequence) -> Match:
        """Find the longest prefix of the known tokens that can be resumed. Changes nothing."""
        block_ids: list[int] = []
        parent = _root(sequence)
        if not self.caches(sequence):
            return Match(block_ids, [], parent, 0)
        key_ids: list[int] = []
        for index in range((len(sequence.token_ids) - 1) // self.block_size):
            block_id = self.blocks.find(parent, self.block_tokens(sequence, index))
            if block_id is None:
                break
            parent = self.blocks.key_id(block_id)
            block_ids.append(block_id)
            key_ids.append(parent)
        length = len(key_ids) if self.states is None else self.states.longest(key_ids)
        return Match(block_ids[:length], key_ids[:length], parent, len(key_ids))

    def lease(
        self, sequence: Sequence, match: Match, *, num_spare: int = 0
    ) -> tuple[Lease, tuple[StateCopy, ...]] | None:
        """Room for all known tokens, going on from a match of this moment; None, and nothing taken, without room.

        `num_spare` blocks must stay available. The copy is the checkpoint's, due before the first row.
        """
        num_new = self.num_blocks(len(sequence.token_ids)) - len(match.block_ids)
        num_idle = sum(map(self.blocks.is_idle, match.block_ids))
        num_left = self.blocks.num_available - num_idle - num_spare
        if num_new > num_left or (self.states and not self.states.num_available):
            return None
        self.blocks.share(match.block_ids)
        parent = match.key_ids[-1] if match.key_ids else _root(sequence)
        slot, resumes = self._take_state(match)
        return Lease(match.block_ids + self.blocks.take(num_new), slot, parent, len(match.block_ids)), resumes

    def count(self, sequence: Sequence) -> None:
        """Count the look-up of a sequence that was just admitted: its computed tokens are those that were cached."""
        if not self.caches(sequence):
            return
        sequence.num_hit_tokens = sequence.num_computed
        if sequence.num_hit_tokens:
            self.counters.num_hits += 1
            self.counters.num_hit_tokens += sequence.num_hit_tokens
        else:
            self.counters.num_misses += 1

    def fork(self, lease: Lease, num_tokens: int) -> Fork | None:
        """A second lease of the first `num_tokens`, which the first one fills by the end of this step.

        Full blocks are shared, a partly filled last one is copied. None, and nothing taken, without room.
        """
        num_full, num_rest = divmod(num_tokens, self.block_size)
        num_new = 1 if num_rest else 0
        if num_new > self.blocks.num_available or (self.states and not self.states.num_available):
            return None
        shared = lease.block_ids[:num_full]
        self.blocks.share(shared)
        new = self.blocks.take(num_new)
        slot = self.states.take() if self.states else 0
        return Fork(
            Lease(shared + new, slot, lease.parent, lease.num_published),
            tuple(BlockCopy(lease.block_ids[num_full], target) for target in new),
            (StateCopy(lease.state_slot, slot),) if self.states else (),
        )

    def grow(self, lease: Lease, num_tokens: int) -> bool:
        """Extend a lease to this many tokens; False, and nothing taken, without room."""
        num_new = self.num_blocks(num_tokens) - len(lease.block_ids)
        if num_new > self.blocks.num_available:
            return False
        lease.block_ids += self.blocks.take(num_new)
        return True

    def publish(self, sequence: Sequence, lease: Lease) -> None:
        """Let others find the blocks of a sequence that are full by now."""
        if not self.caches(sequence):
            return
        for index in range(lease.num_published, sequence.num_computed // self.block_size):
            tokens = self.block_tokens(sequence, index)
            lease.parent = self.blocks.publish(lease.block_ids[index], lease.parent, tokens)
            lease.num_published = index + 1

    def release(self, lease: Lease) -> None:
        """Take a lease back. What it published stays cached until its room is needed."""
        self.blocks.release(lease.block_ids)
        if self.states:
            self.states.release(lease.state_slot)

    def next_checkpoint(self, sequence: Sequence, start: int) -> int | None:
        """Where a chunk that begins at `start` must end so that a checkpoint can be made; None for anywhere."""
        if self.states is None or not self.caches(sequence):
            return None
        return self.states.next_checkpoint(start, sequence.num_prompt)

    def save(self, sequence: Sequence, num_tokens: int) -> StateSave | None:
        """Take a slot for a checkpoint that this step makes; None when all slots are in use."""
        if self.states is None or not self.states.num_available:
            return None
        return StateSave(sequence, self.states.take(), num_tokens)

    def keep(self, save: StateSave) -> None:
        """The save is done: let others resume from it, if its block can be found; give it back otherwise."""
        assert self.states is not None  # noqa: S101 - it made the save
        lease = save.sequence.lease
        if lease is None or lease.num_published * self.block_size != save.num_tokens:
            self.states.release(save.slot)
        else:
            assert isinstance(lease.parent, int)  # noqa: S101 - it has published blocks
            self.states.keep(save.slot, lease.parent)

    def drop(self, save: StateSave) -> None:
        """The save was not done: give its slot back."""
        assert self.states is not None  # noqa: S101 - it made the save
        self.states.release(save.slot)

    def caches(self, sequence: Sequence) -> bool:
        """Whether a sequence uses and feeds the prefix cache."""
        return self.prefix_cache and not sequence.scores

    def num_blocks(self, num_tokens: int) -> int:
        """Blocks that this many tokens need."""
        return -(-num_tokens // self.block_size)

    def block_tokens(self, sequence: Sequence, index: int) -> tuple[int, ...]:
        """The tokens of a full block of a sequence."""
        start = index * self.block_size
        return tuple(sequence.token_ids[start : start + self.block_size])

    def check(self, leases: Iterable[Lease], saves: Iterable[StateSave]) -> None:
        """Raise AssertionError with what is off, given all leases and the saves under way. For tests."""
        held = list(leases)
        self.blocks.check(lease.block_ids for lease in held)
        if self.states:
            self.states.check([*(lease.state_slot for lease in held), *(save.slot for save in saves)])

    def _take_state(self, match: Match) -> tuple[int, tuple[StateCopy, ...]]:
        if self.states is None:
            return 0, ()
        if not match.key_ids:
            return self.states.take(), ()
        source = self.states.resume(match.key_ids[-1])
        slot = self.states.take()
        # The last slot there was can be the checkpoint's own: the state is where it is needed, and found no more.
        return slot, () if slot == source else (StateCopy(source, slot),)


def _root(sequence: Sequence) -> Parent:
    return sequence.adapter_revision, sequence.salt
