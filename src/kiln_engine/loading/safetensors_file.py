"""A *.safetensors file: 8 bytes of header length, a JSON header of names, dtypes and places, and the tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import torch
from torch import Tensor

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.pieces import Stored, read_pieces

DTYPES: Final[Mapping[str, torch.dtype]] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}
"""The kinds of numbers that weights may have; a file may hold others, which are refused when read."""

_LENGTH_BYTES: Final = 8
_MAX_HEADER: Final = 100_000_000


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class SafetensorsFile:
    """The tensors of one file, by name. Raises LoadError for a file that is damaged or of another format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tensors: Mapping[str, Stored] = _read_header(path)

    def pieces(self, name: str) -> Iterator[tuple[int, Tensor]]:
        """Yield (first row, piece [rows, …]) in order, in the file's dtype. A piece is valid until the next one."""
        stored = self.tensors[name]
        dtype = DTYPES[stored.kind]
        for first, piece in read_pieces(self.path, stored):
            yield first, piece.view(dtype).view(len(piece), *stored.shape[1:])


def _read_header(path: Path) -> Mapping[str, Stored]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if length > min(_MAX_HEADER, path.stat().st_size - _LENGTH_BYTES):
            raise LoadError(f"{path}: this is no safetensors file, or it is not complete: copy it here again")
        header = file.read(length)
    try:
        entries = msgspec.json.decode(header, type=dict[str, Any])
        entries.pop("__metadata__", None)
        entries = msgspec.convert(entries, dict[str, _Entry])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LoadError(f"{path}: the header of this safetensors file is damaged: {error}") from None
    return {name: _stored(name, entry, _LENGTH_BYTES + length, path) for name, entry in entries.items()}


def _stored(name: str, entry: _Entry, base: int, path: Path) -> Stored:
    start, stop = entry.data_offsets
    if not 0 <= start <= stop or base + stop > path.stat().st_size:
        raise LoadError(f"{path}: tensor {name} lies outside the file, which is not complete: copy it here again")
    if entry.dtype in DTYPES and stop - start != math.prod(entry.shape) * DTYPES[entry.dtype].itemsize:
        raise LoadError(f"{path}: tensor {name} has {stop - start} bytes, which do not fit its shape {entry.shape}")
    return Stored(entry.dtype, tuple(entry.shape), base + start, stop - start)
