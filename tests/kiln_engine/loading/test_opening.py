"""Tests of opening what is no checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiln_engine.loading import LoadError, open_source


@pytest.mark.parametrize("name", ["absent", "m.bin"])
def test_what_is_no_checkpoint(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.bin").write_bytes(b"GGUF")
    with pytest.raises(LoadError, match=f"{name}: is neither a folder with a config.json nor a .gguf file"):
        open_source(tmp_path / name)
