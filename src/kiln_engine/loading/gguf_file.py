"""A GGUF file: metadata (numbers, strings, lists) followed by tensors, each with its own quantisation.

The `gguf` package reads such a header many times slower, value by value through numpy; from it come only the names and
block sizes of quantisations, and the dequantisation itself.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from torch import Tensor

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields
from kiln_engine.loading.pieces import Stored, read_pieces

PLAIN: Final[Mapping[str, torch.dtype]] = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
QUANTISED: Final = ("Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K")
SUPPORTED: Final = (*PLAIN, *QUANTISED)

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_ALIGNMENT: Final = 32
_SCALARS: Final[Mapping[int, str]] = dict(enumerate(("B", "b", "H", "h", "I", "i", "f", "?"))) | {
    10: "Q",
    11: "q",
    12: "d",
}
"""The struct format of each type of number in metadata."""
_STRING: Final = 8
_LIST: Final = 9


class GgufFile:
    """The metadata and tensors of one file. Tensor shapes have rows first, as torch has them.

    Raises LoadError for a file that is damaged, of another format, or holds a quantisation that is not supported.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metadata: Mapping[str, Any]
        self.tensors: Mapping[str, Stored]
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise LoadError(f"{path}: this is no GGUF file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                self._read(_Reader(content))

    def pieces(self, name: str, *, multiple: int = 1) -> Iterator[tuple[int, Tensor]]:
        """Yield (first row, piece [rows, …]), dequantised, in multiples of so many rows where there are enough."""
        stored = self.tensors[name]
        dtype = PLAIN.get(stored.kind)
        for first, raw in read_pieces(self.path, stored, multiple=multiple):
            if dtype is not None:
                piece = raw.view(dtype)
            else:
                piece = torch.from_numpy(dequantize(raw.numpy(), GGMLQuantizationType[stored.kind]))
            yield first, piece.view(len(raw), *stored.shape[1:])

    def _read(self, reader: _Reader) -> None:
        try:
            version = reader.number("I")
            if version not in _VERSIONS:
                raise LoadError(f"{self.path}: GGUF of version {version} is not supported; 2 and 3, little-endian, are")
            num_tensors, num_values = reader.number("Q"), reader.number("Q")
            self.metadata = {reader.string(): reader.value(reader.number("I")) for _ in range(num_values)}
            entries = [(reader.string(), *reader.tensor()) for _ in range(num_tensors)]
        except (struct.error, UnicodeDecodeError) as error:
            raise LoadError(f"{self.path}: the header of this GGUF file is damaged or cut off: {error}") from None
        self.tensors = self._placed(entries, reader.place)

    def _placed(self, entries: list[tuple[str, tuple[int, ...], int, int]], place: int) -> Mapping[str, Stored]:
        alignment = Fields(self.metadata, str(self.path)).count("general.alignment", _ALIGNMENT)
        base = math.ceil(place / alignment) * alignment
        return {name: self._stored(name, shape, kind, base + start) for name, shape, kind, start in entries}

    def _stored(self, name: str, shape: tuple[int, ...], number: int, start: int) -> Stored:
        kind = _kind_name(number)
        if kind not in SUPPORTED:
            raise LoadError(f"{self.path}: tensor {name} is stored as {kind}; supported are {', '.join(SUPPORTED)}")
        block, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
        size = math.prod(shape) // block * block_bytes
        if not shape or shape[-1] % block or start + size > self.path.stat().st_size:
            raise LoadError(f"{self.path}: tensor {name} does not fit into the file, which is not complete or damaged")
        return Stored(kind, shape, start, size)


def _kind_name(number: int) -> str:
    try:
        return GGMLQuantizationType(number).name
    except ValueError:
        return f"an unknown type, {number}"


class _Reader:
    """Reads values one after another. Raises struct.error where the content ends before a value does."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self.place = len(_MAGIC)

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self._content, self.place)
        self.place += struct.calcsize(f"<{kind}")
        return value

    def string(self) -> str:
        size = self.number("Q")
        end = self.place + size
        if end > len(self._content):
            raise struct.error(f"a text of {size} bytes begins {self.place} bytes from the start")
        text = self._content[self.place : end]
        self.place = end
        return text.decode()

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind == _LIST:
            return self._list(self.number("I"), self.number("Q"))
        if kind not in _SCALARS:
            raise struct.error(f"a value is of the unknown type {kind}")
        return self.number(_SCALARS[kind])

    def tensor(self) -> tuple[tuple[int, ...], int, int]:
        """Shape, type and place of a tensor, whose name was just read."""
        sizes = [self.number("Q") for _ in range(self.number("I"))]
        return tuple(reversed(sizes)), self.number("I"), self.number("Q")

    def _list(self, kind: int, length: int) -> list[Any]:
        if kind == _STRING:
            return [self.string() for _ in range(length)]
        if kind not in _SCALARS:
            raise struct.error(f"a list has values of the type {kind}")
        layout = f"<{length}{_SCALARS[kind]}"
        values = list(struct.unpack_from(layout, self._content, self.place))
        self.place += struct.calcsize(layout)
        return values
