"""Tests of the GGUF reader, against files that the gguf package wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from kiln_engine.loading import LoadError
from kiln_engine.loading.gguf_file import GgufFile

VALUES: dict[str, Any] = {"a.int": 7, "a.float": 0.5, "a.flag": True, "a.text": "träumen 😀", "a.texts": ["", "x", "é"]}


def written(path: Path, *, kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("a.int", 7)
    writer.add_float32("a.float", 0.5)
    writer.add_bool("a.flag", True)
    writer.add_string("a.text", "träumen 😀")
    writer.add_array("a.texts", ["", "x", "é"])
    writer.add_array("a.ids", [3, 1, 2])
    writer.add_array("a.scores", [0.5, -1.5])
    writer.add_int64("a.long", -(2**40))
    writer.add_tensor("t", np.arange(512, dtype=np.uint8).view(np.uint8).reshape(2, -1), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_metadata_and_shapes(tmp_path: Path) -> None:
    file = GgufFile(written(tmp_path / "m.gguf"))
    assert dict(file.metadata) == VALUES | {
        "general.architecture": "llama",
        "a.ids": [3, 1, 2],
        "a.scores": [0.5, -1.5],
        "a.long": -(2**40),
    }
    assert file.tensors["t"].shape == (2, 64)


def test_tensors_are_read_where_they_are(tmp_path: Path) -> None:
    file = GgufFile(written(tmp_path / "m.gguf"))
    (piece,) = [piece for _, piece in file.pieces("t")]
    expected = torch.arange(512, dtype=torch.uint8).view(torch.float32).view(2, 64)
    assert torch.equal(piece.view(torch.int32), expected.view(torch.int32))


@pytest.mark.parametrize("kind", [gguf.GGMLQuantizationType.Q5_0, gguf.GGMLQuantizationType.I8])
def test_other_quantisations_are_refused_by_name(kind: gguf.GGMLQuantizationType, tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    block, block_bytes = gguf.GGML_QUANT_SIZES[kind]
    writer.add_tensor("t", np.zeros((2, block_bytes * 32 // block), dtype=np.uint8), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(LoadError, match=f"tensor t is stored as {kind.name}; supported are F32, F16, BF16, Q8_0"):
        GgufFile(tmp_path / "m.gguf")


def test_a_file_cut_off_anywhere(tmp_path: Path) -> None:
    content = written(tmp_path / "m.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in range(4, len(content) - 1, 7):
        cut.write_bytes(content[:length])
        with pytest.raises(LoadError, match=r"cut off|not complete"):
            GgufFile(cut)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no GGUF file"),
        (b"GGML" + bytes(32), "no GGUF file"),
        (b"GGUF" + (1).to_bytes(4, "little") + bytes(16), "version 1 is not supported"),
        (b"GGUF" + (3).to_bytes(4, "big") + bytes(16), "little-endian"),
        (b"GGUF" + (3).to_bytes(4, "little") + bytes([255] * 16), "damaged or cut off"),
    ],
)
def test_other_files(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(LoadError, match=f"m.gguf: .*{message}"):
        GgufFile(tmp_path / "m.gguf")
