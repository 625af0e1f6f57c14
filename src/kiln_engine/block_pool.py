"""Blocks of the paged cache: who holds them, what they hold, which one is taken next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import count
from typing import Final

from kiln_engine.lease import Parent

Key = tuple[Parent, tuple[int, ...]]
"""What identifies the content of a full block: what it continues, and its exact tokens."""

UNPUBLISHED: Final = -1


class BlockPool:
    """Counts references and finds published blocks by content. Every block is free, cached or leased.

    Leased blocks are referenced. Of the others, those that were published are cached: they can be found and leased
    again until, least recently used first, they are needed for new content. A published block has a key id that is
    never given twice, so that blocks which continue it cannot be found once it is gone.

    `forget` is called with the key id of a published block whose content is given up.
    """

    def __init__(self, num_blocks: int, block_size: int, *, forget: Callable[[int], None] | None = None) -> None:
        if num_blocks < 1 or block_size < 1:
            raise ValueError(
                f"a cache of {num_blocks} blocks of {block_size} tokens holds nothing: both are at least 1"
            )
        self.num_blocks: Final = num_blocks
        self.block_size: Final = block_size
        self._forget = forget
        self._free = list(range(num_blocks - 1, -1, -1))
        self._cached: OrderedDict[int, None] = OrderedDict()
        self._num_references = [0] * num_blocks
        self._keys: list[Key | None] = [None] * num_blocks
        self._key_ids = [UNPUBLISHED] * num_blocks
        self._published: dict[Key, int] = {}
        self._next_key_id = count()

    @property
    def num_free(self) -> int:
        """Blocks that hold nothing anybody could use."""
        return len(self._free)

    @property
    def num_cached(self) -> int:
        """Published blocks that nobody holds."""
        return len(self._cached)

    @property
    def num_leased(self) -> int:
        """Blocks that somebody holds."""
        return self.num_blocks - len(self._free) - len(self._cached)

    @property
    def num_available(self) -> int:
        """Blocks that can be taken."""
        return len(self._free) + len(self._cached)

    def take(self, num_blocks: int) -> list[int]:
        """Take blocks for new content. Raises ValueError, and takes none, when fewer are available."""
        if num_blocks > self.num_available:
            raise ValueError(f"{num_blocks} blocks asked for, {self.num_available} available: ask before taking")
        return [self._take() for _ in range(num_blocks)]

    def share(self, block_ids: Iterable[int]) -> None:
        """Hold published or leased blocks once more."""
        references = self._num_references
        for block_id in block_ids:
            if references[block_id] == 0:
                del self._cached[block_id]
            references[block_id] += 1

    def release(self, block_ids: list[int]) -> None:
        """Hold blocks of one table once less. The last ones are reused first: a prefix outlives what continues it."""
        references = self._num_references
        for block_id in reversed(block_ids):
            references[block_id] -= 1
            if references[block_id] == 0:
                self._idle(block_id)

    def find(self, parent: Parent, token_ids: tuple[int, ...]) -> int | None:
        """The published block with this content, or None. What it continues is published, too."""
        return self._published.get((parent, token_ids))

    def key_id(self, block_id: int) -> int:
        """The key id of a published block."""
        return self._key_ids[block_id]

    def is_idle(self, block_id: int) -> bool:
        """Whether nobody holds it."""
        return self._num_references[block_id] == 0

    def publish(self, block_id: int, parent: Parent, token_ids: tuple[int, ...]) -> int:
        """Let others find a written, full block, and return its key id.

        Where another block with this content is published already, that one stays, and its key id is returned.
        """
        key = (parent, token_ids)
        present = self._published.setdefault(key, block_id)
        if present == block_id and self._keys[block_id] is None:
            self._keys[block_id] = key
            self._key_ids[block_id] = next(self._next_key_id)
        return self._key_ids[present]

    def check(self, tables: Iterable[Iterable[int]]) -> None:
        """Raise AssertionError with what is off, given all block tables in use. For tests."""
        expected = [0] * self.num_blocks
        for table in tables:
            for block_id in table:
                expected[block_id] += 1
        wrong = {
            block_id: (counted, held)
            for block_id, (counted, held) in enumerate(zip(self._num_references, expected, strict=True))
            if counted != held
        }
        if wrong:
            raise AssertionError(f"references counted and held, by block: {wrong}")
        idle = [*self._free, *self._cached]
        if sorted(idle) != [block_id for block_id, held in enumerate(expected) if held == 0]:
            raise AssertionError(f"idle blocks {sorted(idle)} are not those that no table holds")
        if any(self._keys[block_id] is not None for block_id in self._free):
            raise AssertionError("a free block is published")
        if any(self._keys[block_id] is None for block_id in self._cached):
            raise AssertionError("a cached block is not published")
        by_block = {block_id: key for block_id, key in enumerate(self._keys) if key is not None}
        if {block_id: key for key, block_id in self._published.items()} != by_block:
            raise AssertionError("the map of published blocks and the blocks' own keys differ")

    def _take(self) -> int:
        if self._free:
            block_id = self._free.pop()
        else:
            block_id, _ = self._cached.popitem(last=False)
            self._unpublish(block_id)
        self._num_references[block_id] = 1
        return block_id

    def _unpublish(self, block_id: int) -> None:
        key = self._keys[block_id]
        assert key is not None  # noqa: S101 - cached blocks are published
        del self._published[key]
        if self._forget is not None:
            self._forget(self._key_ids[block_id])
        self._keys[block_id] = None
        self._key_ids[block_id] = UNPUBLISHED

    def _idle(self, block_id: int) -> None:
        if self._keys[block_id] is None:
            self._free.append(block_id)
        else:
            self._cached[block_id] = None
