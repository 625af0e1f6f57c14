"""Slots of recurrent states: one for each running sequence, the others for checkpoints of prefixes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final


class StatePool:
    """Every slot is free, a checkpoint, or leased: by a running sequence, or by a save that is under way.

    A state cannot be cut back to an earlier position, so a prefix can be resumed only where a checkpoint was made, and
    only by copying it: a checkpoint never becomes somebody's live state while it can be found. Checkpoints are found by
    the key id of the block that ends at their position, and given up, least recently used first, for new slots.

    `interval` is the distance of checkpoints in tokens, a multiple of `block_size`. One more is made at the end of each
    prompt's last full block that leaves a token to compute, where the same prompt resumes.
    """

    def __init__(self, num_slots: int, *, block_size: int, interval: int) -> None:
        if num_slots < 1:
            raise ValueError(f"a pool of {num_slots} state slots holds nothing: at least 1 is needed")
        if interval < 1 or interval % block_size:
            raise ValueError(
                f"a checkpoint every {interval} tokens is not at the ends of blocks of {block_size} tokens"
            )
        self.num_slots: Final = num_slots
        self._block_size = block_size
        self._interval = interval
        self._free = list(range(num_slots - 1, -1, -1))
        self._checkpoints: OrderedDict[int, int] = OrderedDict()

    @property
    def num_free(self) -> int:
        """Slots that hold nothing anybody could use."""
        return len(self._free)

    @property
    def num_cached(self) -> int:
        """Checkpoints."""
        return len(self._checkpoints)

    @property
    def num_leased(self) -> int:
        """Slots of running sequences and of saves under way."""
        return self.num_slots - len(self._free) - len(self._checkpoints)

    @property
    def num_available(self) -> int:
        """Slots that can be taken."""
        return len(self._free) + len(self._checkpoints)

    def next_checkpoint(self, start: int, num_prompt: int) -> int:
        """The first position after `start` at which a checkpoint is due, for a prompt of `num_prompt` tokens."""
        regular = (start // self._interval + 1) * self._interval
        last = (num_prompt - 1) // self._block_size * self._block_size
        return min(regular, last) if start < last else regular

    def longest(self, key_ids: list[int]) -> int:
        """How many of these blocks, which continue each other, can be resumed: up to the last with a checkpoint."""
        return next((length for length in range(len(key_ids), 0, -1) if key_ids[length - 1] in self._checkpoints), 0)

    def resume(self, key_id: int) -> int:
        """The slot of a checkpoint that is about to be copied. It is used as of now."""
        self._checkpoints.move_to_end(key_id)
        return self._checkpoints[key_id]

    def take(self) -> int:
        """Take a slot, whatever it holds. Raises ValueError when none is available."""
        if self._free:
            return self._free.pop()
        if not self._checkpoints:
            raise ValueError("no state slot is available: ask before taking")
        return self._checkpoints.popitem(last=False)[1]

    def release(self, slot: int) -> None:
        """Give back a slot that holds nothing worth keeping."""
        self._free.append(slot)

    def keep(self, slot: int, key_id: int) -> None:
        """Turn a saved slot into the checkpoint of a published block; give it back if there is one already."""
        if key_id in self._checkpoints:
            self._free.append(slot)
        else:
            self._checkpoints[key_id] = slot

    def forget(self, key_id: int) -> None:
        """Give up the checkpoint of a block whose content is given up; no-op if there is none."""
        slot = self._checkpoints.pop(key_id, None)
        if slot is not None:
            self._free.append(slot)

    def check(self, leased: Iterable[int]) -> None:
        """Raise AssertionError with what is off, given all slots in use. For tests."""
        slots = sorted([*self._free, *self._checkpoints.values(), *leased])
        if slots != list(range(self.num_slots)):
            raise AssertionError(f"free, cached and leased state slots are not each slot once: {slots}")
