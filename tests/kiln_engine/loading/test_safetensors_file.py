"""Tests of the safetensors reader, against the library that defines the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from kiln_engine.loading import LoadError
from kiln_engine.loading.safetensors_file import SafetensorsFile

TENSORS = {
    "wide": torch.randn(1100, 1000),
    "half": torch.randn(7, 5).to(torch.float16),
    "brain": torch.randn(3, 4, 2).to(torch.bfloat16),
    "double": torch.randn(6, dtype=torch.float64),
}


def whole(file: SafetensorsFile, name: str) -> torch.Tensor:
    return torch.cat([piece.clone() for _, piece in file.pieces(name)])


def test_reads_what_the_library_wrote(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "m.safetensors", metadata={"format": "pt"})
    file = SafetensorsFile(tmp_path / "m.safetensors")
    assert {name: stored.shape for name, stored in file.tensors.items()} == {
        name: tuple(tensor.shape) for name, tensor in TENSORS.items()
    }
    for name, tensor in TENSORS.items():
        assert torch.equal(whole(file, name), tensor)
        assert whole(file, name).dtype == tensor.dtype
    assert len(list(file.pieces("wide"))) == 2


def written(path: Path, header: Any, data: bytes = b"\0" * 8) -> Path:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


def entry(**changes: Any) -> dict[str, Any]:
    return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"not JSON", "the header of this safetensors file is damaged"),
        (b"\xff\xfe", "damaged"),
        ({"a": {"dtype": "F32"}}, "damaged.*shape"),
        (entry(data_offsets=[0, 9]), "tensor a lies outside the file"),
        (entry(data_offsets=[8, 0]), "tensor a lies outside the file"),
        (entry(shape=[3]), r"tensor a has 8 bytes, which do not fit its shape \[3\]"),
    ],
)
def test_damaged_files(header: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=f"m.safetensors: .*{message}"):
        SafetensorsFile(written(tmp_path / "m.safetensors", header))


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff" * 64])
def test_other_files(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(LoadError, match="no safetensors file"):
        SafetensorsFile(tmp_path / "m.safetensors")
