"""Tensors read from a file piece by piece, so that no more than one piece is in memory beside the weights."""

from __future__ import annotations

from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

import torch
from torch import Tensor

from kiln_engine.loading.errors import LoadError

PIECE_ELEMENTS: Final = 1 << 20
"""About how many elements a piece has: enough to be fast, few enough to stay in a cache."""


class Stored(NamedTuple):
    """Where a file holds a tensor: a kind of number, a shape, and bytes `start` to `start` + `size` - 1."""

    kind: str
    shape: tuple[int, ...]
    start: int
    size: int


def read_pieces(path: Path, stored: Stored, *, multiple: int = 1) -> Iterator[tuple[int, Tensor]]:
    """Yield the raw bytes of a tensor's rows, as (first row, uint8 [rows, bytes of a row]), in order.

    All pieces but the last have a multiple of `multiple` rows. A piece is valid until the next one is asked for: they
    share one buffer. Raises LoadError when the file ends early.
    """
    num_rows = stored.shape[0]
    row_bytes = stored.size // num_rows
    step = _rows_of_piece(stored, multiple)
    buffer = torch.empty(min(step, num_rows) * row_bytes, dtype=torch.uint8)
    with open(path, "rb", buffering=0) as file:
        file.seek(stored.start)
        for first in range(0, num_rows, step):
            rows = min(step, num_rows - first)
            piece = buffer[: rows * row_bytes]
            _fill(piece, file, path)
            yield first, piece.view(rows, row_bytes)


def _rows_of_piece(stored: Stored, multiple: int) -> int:
    elements = 1
    for size in stored.shape[1:]:
        elements *= size
    return max(PIECE_ELEMENTS // elements // multiple, 1) * multiple


def _fill(piece: Tensor, file: FileIO, path: Path) -> None:
    view = piece.numpy().data
    while len(view):
        count = file.readinto(view)
        if not count:
            raise LoadError(f"{path}: the file ends {len(view)} bytes before a tensor does: copy it here again")
        view = view[count:]
