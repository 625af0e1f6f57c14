"""Open a checkpoint of any supported format."""

from __future__ import annotations

from pathlib import Path

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.hf_folder import HfFolder
from kiln_engine.loading.source import TensorSource


def open_source(path: Path) -> TensorSource:
    """A Hugging Face folder or a GGUF file. Raises LoadError for anything else, and for what is not supported."""
    if path.is_dir():
        return HfFolder(path)
    if path.is_file() and path.suffix == ".gguf":
        # Imported here: only GGUF files need the packages gguf and numpy, and importing them takes a while.
        from kiln_engine.loading.gguf_source import GgufSource

        return GgufSource(path)
    raise LoadError(f"{path}: is neither a folder with a config.json nor a .gguf file")
