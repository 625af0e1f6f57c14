"""The rows of one step as flat tensors: ragged, without phases and without padding."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from kiln_engine.step_plan import Rows


class Segment(NamedTuple):
    """Rows start to stop - 1 belong to one sequence and use its adapter slot; slot 0 is the base model."""

    start: int
    stop: int
    adapter_slot: int


class Extent(NamedTuple):
    """Where one sequence lies in a batch: its rows, and its blocks in the flat table. All of it is on the host."""

    first_row: int
    num_rows: int
    context_len: int
    """Positions that exist once this step has run; the last row is at position context_len - 1."""
    first_block: int
    num_blocks: int
    state_slot: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows grouped by sequence, positions ascending within each; every tensor is int32 on one device.

    N rows, S sequences, T table entries. Sequence s has the rows row_offsets[s] to row_offsets[s + 1] - 1 and the
    blocks block_ids[block_offsets[s] : block_offsets[s + 1]]: the table has no entries beyond what a context needs.
    """

    token_ids: Tensor
    """[N]"""
    positions: Tensor
    """[N]"""
    slots: Tensor
    """[N]: where a row's key and value go, block id * block size + offset in the block."""
    row_offsets: Tensor
    """[S + 1]"""
    context_lens: Tensor
    """[S]"""
    block_offsets: Tensor
    """[S + 1]"""
    block_ids: Tensor
    """[T]"""
    state_slots: Tensor
    """[S]: the slot of each sequence's recurrent state; 0 where the model has none."""
    _: KW_ONLY
    extents: tuple[Extent, ...]
    segments: tuple[Segment, ...]
    """Empty when every row uses the base model."""

    @property
    def num_rows(self) -> int:
        return self.token_ids.shape[0]


def build_batch(rows: Iterable[Rows], *, block_size: int, device: torch.device) -> Batch:
    """Lay out the rows of a step plan. All of it goes to the device in one copy."""
    layout = _Layout(block_size)
    for part in rows:
        layout.add(part)
    return layout.batch(device)


class _Layout:
    """The arrays of a batch in the making, on the host."""

    def __init__(self, block_size: int) -> None:
        self._block_size = block_size
        self._token_ids, self._positions, self._slots = array("i"), array("i"), array("i")
        self._row_offsets, self._block_offsets = array("i", [0]), array("i", [0])
        self._context_lens, self._block_ids, self._state_slots = array("i"), array("i"), array("i")
        self._extents: list[Extent] = []
        self._segments: list[Segment] = []

    def add(self, rows: Rows) -> None:
        sequence, start, stop = rows.sequence, rows.start, rows.stop
        first_row, first_block = len(self._token_ids), len(self._block_ids)
        table = sequence.block_ids[: -(-stop // self._block_size)]
        self._token_ids.extend(sequence.token_ids[start:stop])
        self._positions.extend(range(start, stop))
        self._slots.extend(self._slots_of(table, start, stop))
        self._block_ids.extend(table)
        self._context_lens.append(stop)
        self._row_offsets.append(len(self._token_ids))
        self._block_offsets.append(len(self._block_ids))
        self._state_slots.append(sequence.state_slot)
        self._extents.append(Extent(first_row, stop - start, stop, first_block, len(table), sequence.state_slot))
        self._segments.append(Segment(first_row, len(self._token_ids), sequence.adapter_slot))

    def batch(self, device: torch.device) -> Batch:
        tensors = _to_device(
            (
                self._token_ids,
                self._positions,
                self._slots,
                self._row_offsets,
                self._context_lens,
                self._block_offsets,
                self._block_ids,
                self._state_slots,
            ),
            device,
        )
        segments = self._segments if any(segment.adapter_slot for segment in self._segments) else ()
        return Batch(*tensors, extents=tuple(self._extents), segments=tuple(segments))

    def _slots_of(self, table: Sequence[int], start: int, stop: int) -> list[int]:
        size = self._block_size
        return [table[position // size] * size + position % size for position in range(start, stop)]


def _to_device(parts: Sequence[array[int]], device: torch.device) -> Sequence[Tensor]:
    joined = array("i")
    for part in parts:
        joined.extend(part)
    # The view keeps the array alive; on the CPU it is used as it is.
    tensor = torch.frombuffer(joined, dtype=torch.int32).to(device, non_blocking=True)
    return torch.split(tensor, [len(part) for part in parts])
