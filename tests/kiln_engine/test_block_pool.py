"""Who holds a block, what it holds, and which one goes next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kiln_engine.block_pool import BlockPool

ROOT = ("", "")


def published(pool: BlockPool, *contents: tuple[int, ...]) -> list[int]:
    """Blocks that continue each other, taken and published."""
    block_ids = pool.take(len(contents))
    parent: int | tuple[str, str] = ROOT
    for block_id, token_ids in zip(block_ids, contents, strict=True):
        parent = pool.publish(block_id, parent, token_ids)
    return block_ids


def test_a_released_block_is_found_until_it_is_needed() -> None:
    pool = BlockPool(2, 2)
    (block_id,) = published(pool, (1, 2))
    pool.release([block_id])
    assert (pool.num_free, pool.num_cached, pool.num_leased) == (1, 1, 0)
    assert pool.find(ROOT, (1, 2)) == block_id
    assert pool.take(1) != [block_id], "blocks that hold nothing go first"
    assert pool.find(ROOT, (1, 2)) == block_id
    assert pool.take(1) == [block_id]
    assert pool.find(ROOT, (1, 2)) is None


def test_the_least_recently_used_block_goes_first() -> None:
    pool = BlockPool(3, 1)
    ids = [published(pool, (token,))[0] for token in range(3)]
    for block_id in ids:
        pool.release([block_id])
    pool.share([ids[0]])
    pool.release([ids[0]])
    assert pool.take(3) == [ids[1], ids[2], ids[0]]


def test_the_end_of_a_table_goes_before_its_beginning() -> None:
    pool = BlockPool(3, 1)
    ids = published(pool, (1,), (2,), (3,))
    pool.release(ids)
    assert pool.take(3) == ids[::-1]


def test_a_shared_block_stays_leased_until_the_last_holder_releases_it() -> None:
    pool = BlockPool(1, 1)
    ids = pool.take(1)
    pool.share(ids)
    pool.release(ids)
    assert pool.num_leased == 1
    pool.release(ids)
    assert pool.num_leased == 0


def test_what_continues_a_lost_block_is_not_found_again_through_new_content_in_it() -> None:
    pool = BlockPool(2, 1)
    first, second = published(pool, (1,), (2,))
    key_id = pool.key_id(first)
    pool.release([first])
    assert pool.take(1) == [first], "the continuation is still held, its parent is not"
    assert pool.publish(first, ROOT, (1,)) != key_id
    assert pool.find(pool.key_id(first), (2,)) is None
    assert pool.key_id(second) != pool.key_id(first)


def test_the_key_is_the_exact_content_and_what_it_continues() -> None:
    pool = BlockPool(4, 2)
    first, _ = published(pool, (1, 2), (3, 4))
    assert pool.find(ROOT, (1, 3)) is None
    assert pool.find(("a", ""), (1, 2)) is None
    assert pool.find(("", "salt"), (1, 2)) is None
    assert pool.find(ROOT, (3, 4)) is None
    assert pool.find(pool.key_id(first), (3, 4)) is not None


def test_the_same_content_is_published_once() -> None:
    pool = BlockPool(2, 1)
    (first,) = published(pool, (1,))
    (second,) = pool.take(1)
    assert pool.publish(second, ROOT, (1,)) == pool.key_id(first)
    assert pool.find(ROOT, (1,)) == first
    pool.release([second])
    assert (pool.num_free, pool.num_cached) == (1, 0), "nobody would find the second one"
    pool.check([[first]])


def test_publishing_again_changes_nothing() -> None:
    pool = BlockPool(1, 1)
    (block_id,) = published(pool, (1,))
    key_id = pool.key_id(block_id)
    assert pool.publish(block_id, ROOT, (1,)) == key_id


def test_taking_is_all_or_nothing() -> None:
    pool = BlockPool(3, 1)
    with pytest.raises(ValueError, match="4 blocks asked for, 3 available"):
        pool.take(4)
    assert pool.num_available == 3
    assert len(pool.take(3)) == 3


def test_the_owner_of_what_hangs_on_a_block_hears_that_it_is_lost() -> None:
    lost: list[int] = []
    pool = BlockPool(1, 1, forget=lost.append)
    (block_id,) = published(pool, (1,))
    key_id = pool.key_id(block_id)
    pool.release([block_id])
    assert lost == []
    pool.take(1)
    assert lost == [key_id]


@pytest.mark.parametrize(("num_blocks", "block_size"), [(0, 16), (16, 0)])
def test_an_empty_pool_is_refused(num_blocks: int, block_size: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        BlockPool(num_blocks, block_size)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda pool: pool.share([0]), "references"),
        (lambda pool: pool._free.append(0), "idle blocks"),
        (lambda pool: pool._free.pop(), "idle blocks"),
        (lambda pool: pool._keys.__setitem__(pool._free[0], (ROOT, (9,))), "a free block is published"),
        (lambda pool: pool._keys.__setitem__(1, None), "a cached block is not published"),
        (lambda pool: pool._published.clear(), "map of published blocks"),
    ],
)
def test_the_check_sees_damage(damage: Callable[[BlockPool], None], message: str) -> None:
    pool = BlockPool(4, 1)
    held, cached = published(pool, (1,), (2,))
    pool.release([cached])
    assert (held, cached) == (0, 1)
    pool.check([[held]])
    damage(pool)
    with pytest.raises(AssertionError, match=message):
        pool.check([[held]])
