"""Tests of reading a tensor in pieces."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.loading import LoadError, pieces
from kiln_engine.loading.pieces import Stored, read_pieces


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 7), st.integers(1, 200), st.integers(0, 5))
def test_pieces_are_the_whole_in_order(rows: int, width: int, multiple: int, elements: int, start: int) -> None:
    content = bytes(index % 251 for index in range(start + 2 * rows * width + 3))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE_ELEMENTS", elements)
        path = Path(folder, "tensor")
        path.write_bytes(content)
        stored = Stored("F16", (rows, width), start, 2 * rows * width)
        read = [(first, piece.clone()) for first, piece in read_pieces(path, stored, multiple=multiple)]
    assert bytes(torch.cat([piece for _, piece in read]).flatten()) == content[start : start + stored.size]
    assert all(first % multiple == 0 for first, _ in read)
    assert all(len(piece) * width <= max(elements, multiple * width) for _, piece in read)


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    (tmp_path / "tensor").write_bytes(b"0123456")
    with pytest.raises(LoadError, match="tensor: the file ends 1 bytes before"):
        list(read_pieces(tmp_path / "tensor", Stored("F32", (2, 1), 0, 8)))
