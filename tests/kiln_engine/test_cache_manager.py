"""Leases: all or nothing, found again where all groups of the cache can go on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.cache_manager import CacheManager
from kiln_engine.lease import Lease
from kiln_engine.sequence import Sequence
from kiln_engine.step_plan import BlockCopy, StateCopy


def sequence(num_tokens: int, *, scores: bool = False, revision: str = "", salt: str = "") -> Sequence:
    prompt = range(num_tokens)
    return Sequence("a", prompt, max_tokens=8, scores=scores, adapter_revision=revision, salt=salt)


def begin(cache: CacheManager, wanted: Sequence) -> Lease | None:
    granted = cache.lease(wanted, cache.match(wanted))
    wanted.lease = None if granted is None else granted[0]
    return wanted.lease


def cached(cache: CacheManager, num_tokens: int, *, checkpoints: tuple[int, ...] = ()) -> None:
    """Compute a sequence and let it go: its full blocks stay, and its states at these positions."""
    done = sequence(num_tokens)
    lease = begin(cache, done)
    assert lease is not None
    for stop in (*checkpoints, num_tokens):
        save = cache.save(done, stop) if stop in checkpoints else None
        done.num_computed = stop
        cache.publish(done, lease)
        if save is not None:
            cache.keep(save)
    cache.release(lease)


def hybrid(num_blocks: int = 20, num_state_slots: int = 4) -> CacheManager:
    return CacheManager(num_blocks, 4, num_state_slots=num_state_slots, checkpoint_interval=8)


@given(num_cached=st.integers(1, 40), num_wanted=st.integers(1, 40), block_size=st.integers(1, 9))
def test_a_hit_is_whole_blocks_and_leaves_a_token(num_cached: int, num_wanted: int, block_size: int) -> None:
    cache = CacheManager(100, block_size)
    cached(cache, num_cached)
    match = cache.match(sequence(num_wanted))
    assert len(match.block_ids) == min(num_cached // block_size, (num_wanted - 1) // block_size)


def test_other_tokens_adapters_and_salts_do_not_hit() -> None:
    cache = CacheManager(10, 4)
    cached(cache, 9)
    assert len(cache.match(sequence(9)).block_ids) == 2
    assert not cache.match(sequence(9, revision="r")).block_ids
    assert not cache.match(sequence(9, salt="s")).block_ids
    assert not cache.match(sequence(9, scores=True)).block_ids
    assert len(cache.match(Sequence("b", (0, 1, 2, 3, 4, 5, 6, 0, 8), max_tokens=1)).block_ids) == 1


def test_no_hit_across_a_hole() -> None:
    cache = CacheManager(10, 4)
    holding, done = sequence(12), sequence(12)
    leases = [begin(cache, holding), begin(cache, done)]
    assert all(leases)
    done.num_computed = 12
    cache.publish(done, done.lease)  # type: ignore[arg-type]
    first, second, third = done.block_ids
    cache.blocks.release([first])
    cache.blocks.take(cache.blocks.num_available)
    assert not cache.blocks.is_idle(second)
    assert not cache.blocks.is_idle(third)
    assert not cache.match(sequence(13)).block_ids


def test_without_a_prefix_cache_nothing_is_found() -> None:
    cache = CacheManager(10, 4, prefix_cache=False)
    cached(cache, 9)
    assert not cache.match(sequence(9)).block_ids
    assert cache.blocks.num_free == 10


def test_a_lease_without_room_takes_nothing() -> None:
    cache = CacheManager(4, 4)
    cached(cache, 9)
    held = begin(cache, Sequence("b", range(100, 108), max_tokens=1))
    assert held is not None
    before = (cache.blocks.num_free, cache.blocks.num_cached, cache.blocks.num_leased)
    # Two blocks are free and two are its own prefix: it needs three, of which two would be hits if they stayed.
    assert begin(cache, sequence(17)) is None
    assert (cache.blocks.num_free, cache.blocks.num_cached, cache.blocks.num_leased) == before
    cache.check([held], [])


def test_the_hits_of_a_lease_are_not_taken_for_its_own_new_blocks() -> None:
    cache = CacheManager(3, 4)
    cached(cache, 9)
    lease = begin(cache, sequence(12))
    assert lease is not None
    assert len(set(lease.block_ids)) == 3
    cache.check([lease], [])


def test_a_fork_shares_full_blocks_and_copies_the_rest() -> None:
    cache = hybrid()
    lease = begin(cache, sequence(10))
    assert lease is not None
    fork = cache.fork(lease, 10)
    assert fork is not None
    assert fork.lease.block_ids[:2] == lease.block_ids[:2]
    assert fork.copies == (BlockCopy(lease.block_ids[2], fork.lease.block_ids[2]),)
    assert fork.saves == (StateCopy(lease.state_slot, fork.lease.state_slot),)
    assert lease.block_ids[2] != fork.lease.block_ids[2]
    cache.check([lease, fork.lease], [])


def test_a_fork_at_the_end_of_a_block_copies_nothing() -> None:
    cache = CacheManager(2, 4)
    lease = begin(cache, sequence(8))
    assert lease is not None
    fork = cache.fork(lease, 8)
    assert fork is not None
    assert (fork.lease.block_ids, fork.copies, fork.saves) == (lease.block_ids, (), ())


def test_a_fork_without_room_takes_nothing() -> None:
    no_blocks, no_states = CacheManager(3, 4), hybrid(num_state_slots=1)
    for cache in (no_blocks, no_states):
        lease = begin(cache, sequence(10))
        assert lease is not None
        assert cache.fork(lease, 10) is None
        cache.check([lease], [])


def test_growth_without_room_takes_nothing() -> None:
    cache = CacheManager(3, 4)
    lease = begin(cache, sequence(5))
    assert lease is not None
    assert cache.grow(lease, 8)
    assert len(lease.block_ids) == 2
    assert not cache.grow(lease, 17)
    assert len(lease.block_ids) == 2
    assert cache.grow(lease, 12)
    assert len(lease.block_ids) == 3


def test_a_recurrent_model_resumes_at_a_checkpoint_only() -> None:
    cache = hybrid()
    cached(cache, 19, checkpoints=(8,))
    match = cache.match(sequence(19))
    assert (len(match.block_ids), match.num_found) == (2, 4)


def test_a_checkpoint_is_copied_and_stays() -> None:
    cache = hybrid()
    cached(cache, 9, checkpoints=(8,))
    wanted = [sequence(9), sequence(9)]
    copies: list[StateCopy] = []
    for one in wanted:
        granted = cache.lease(one, cache.match(one))
        assert granted is not None
        copies += granted[1]
    assert copies[0].source == copies[1].source
    assert copies[0].target != copies[1].target
    assert cache.states is not None
    assert cache.states.num_cached == 1


def test_the_only_slot_turns_from_checkpoint_to_live_state() -> None:
    cache = hybrid(num_state_slots=1)
    cached(cache, 9)
    first = sequence(9)
    lease = begin(cache, first)
    assert lease is not None
    assert cache.save(first, 8) is None, "the only slot is in use"
    cache.release(lease)
    assert cache.states is not None
    cache.states.keep(cache.states.take(), cache.match(first).end)  # type: ignore[arg-type]
    granted = cache.lease(first, cache.match(first))
    assert granted is not None
    assert (granted[0].num_published, granted[1]) == (2, ())
    assert cache.states.num_cached == 0, "nobody else may find a state that goes on"


def test_a_checkpoint_of_unpublished_blocks_is_not_kept() -> None:
    cache = hybrid()
    done = sequence(9)
    lease = begin(cache, done)
    assert lease is not None
    save = cache.save(done, 8)
    assert save is not None
    cache.keep(save)
    assert cache.states is not None
    assert (cache.states.num_cached, cache.states.num_leased) == (0, 1)


def test_a_checkpoint_goes_when_its_block_is_reused() -> None:
    cache = hybrid(num_blocks=4)
    cached(cache, 9, checkpoints=(8,))
    assert cache.states is not None
    assert cache.states.num_cached == 1
    cache.blocks.take(3)
    assert cache.states.num_cached == 0


def test_only_what_is_cached_has_checkpoints_due() -> None:
    cache = hybrid()
    assert cache.next_checkpoint(sequence(30), 0) == 8
    assert cache.next_checkpoint(sequence(30, scores=True), 0) is None
    assert CacheManager(4, 4).next_checkpoint(sequence(10), 0) is None
