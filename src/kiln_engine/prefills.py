"""Prompts that are being computed, and who had better wait for them."""

from __future__ import annotations

from dataclasses import dataclass

from kiln_engine.block_pool import Key
from kiln_engine.cache_manager import CacheManager, Match
from kiln_engine.lease import Lease
from kiln_engine.sequence import Sequence
from kiln_engine.waiting import are_siblings


@dataclass(frozen=True, slots=True)
class Wait:
    """Until another sequence has computed its first `num_tokens` tokens, or stopped computing them."""

    leader: Sequence
    lease: Lease
    """The leader's: one that lost it has stopped."""
    num_tokens: int

    @property
    def holds(self) -> bool:
        return self.leader.lease is self.lease and self.leader.num_computed < self.num_tokens


class Prefills:
    """Running sequences that compute their prompts, found by what they publish next, and by group.

    Whoever needs what one of them is about to publish waits for it and goes on from there, in place of computing it
    once more. Nobody waits for a sequence that does not run, so every wait ends.
    """

    def __init__(self, cache: CacheManager) -> None:
        self._cache = cache
        self._by_key: dict[Key, Sequence] = {}
        self._keys: dict[Sequence, Key] = {}
        self._by_group: dict[str, Sequence] = {}

    @property
    def tracked(self) -> set[Sequence]:
        """All sequences that anybody could be told to wait for."""
        return {*self._keys, *self._by_group.values()}

    def track(self, sequence: Sequence) -> None:
        """Note where a running sequence is: after it was admitted, and after each of its chunks."""
        self._forget_key(sequence)
        if not sequence.is_prefilling:
            self._forget_group(sequence)
            return
        if sequence.group is not None:
            self._by_group[sequence.group] = sequence
        self._note_key(sequence)

    def discard(self, sequence: Sequence) -> None:
        """A sequence stopped running; no-op if it was not tracked."""
        self._forget_key(sequence)
        self._forget_group(sequence)

    def wait_for_sibling(self, sequence: Sequence) -> Wait | None:
        """The wait for a sibling that computes the common prompt, if there is one."""
        leader = self._by_group.get(sequence.group) if sequence.group is not None else None
        if leader is None or leader.lease is None or not are_siblings(leader, sequence):
            return None
        return Wait(leader, leader.lease, leader.prefill_stop)

    def wait_for_prefix(self, sequence: Sequence, match: Match) -> Wait | None:
        """The wait for a sequence that is about to publish what comes next after the longest cached prefix."""
        if not self._by_key or not self._cache.caches(sequence):
            return None
        first, stop = match.num_found, (len(sequence.token_ids) - 1) // self._cache.block_size
        leader = self._by_key.get((match.end, self._cache.block_tokens(sequence, first))) if first < stop else None
        if leader is None or leader.lease is None:
            return None
        return Wait(leader, leader.lease, self._common(sequence, leader, first + 1, stop) * self._cache.block_size)

    def _common(self, sequence: Sequence, leader: Sequence, first: int, stop: int) -> int:
        """Full blocks that both begin with, of at most `stop`; those before `first` are known to be equal."""
        tokens = self._cache.block_tokens
        return next((i for i in range(first, stop) if tokens(sequence, i) != tokens(leader, i)), stop)

    def _note_key(self, sequence: Sequence) -> None:
        lease = sequence.lease
        assert lease is not None  # noqa: S101 - it is prefilling
        index = lease.num_published
        if self._cache.caches(sequence) and (index + 1) * self._cache.block_size <= sequence.prefill_stop:
            key = lease.parent, self._cache.block_tokens(sequence, index)
            self._by_key[key] = sequence
            self._keys[sequence] = key

    def _forget_key(self, sequence: Sequence) -> None:
        key = self._keys.pop(sequence, None)
        if key is not None and self._by_key.get(key) is sequence:
            del self._by_key[key]

    def _forget_group(self, sequence: Sequence) -> None:
        if sequence.group is not None and self._by_group.get(sequence.group) is sequence:
            del self._by_group[sequence.group]
