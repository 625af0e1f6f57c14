"""What one sequence holds of the cache."""

from __future__ import annotations

from dataclasses import dataclass

Parent = int | tuple[str, str]
"""What a block continues: the key id of the block before it, or adapter revision and salt where it is the first."""


@dataclass(eq=False, slots=True)
class Lease:
    """Blocks and a state slot, taken all at once and given back all at once.

    Only the cache manager makes one, changes it and takes it back.
    """

    block_ids: list[int]
    """The block table: entry i holds the positions from i * block size on. Shared blocks are full, and only read."""
    state_slot: int
    """The slot of the recurrent state, the sequence's own; 0 where there are no states."""
    parent: Parent
    """Of the first block that is not published yet."""
    num_published: int
    """Blocks, from the first one on, that others can find; not more than are computed."""
