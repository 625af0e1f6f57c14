"""What a checkpoint has to offer, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from kiln_engine.config import ModelConfig
from kiln_server.backend import TextAssets


class TensorSource(Protocol):
    """An opened checkpoint. Tensors go by the names that transformers gives them, in transformers' order of rows."""

    @property
    def path(self) -> Path:
        """The folder or file."""

    @property
    def config(self) -> ModelConfig: ...

    @property
    def text(self) -> TextAssets:
        """The text side, read when first asked for. Raises LoadError when it is missing or not supported."""

    @property
    def shards(self) -> tuple[Path, ...]:
        """The files that hold weights."""

    @property
    def sampling(self) -> Mapping[str, Any]:
        """Sampling values that the checkpoint suggests, by the names of a generation_config.json."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Every tensor with its shape. What has no name in transformers has the file's own here."""

    def spelled(self, name: str) -> str:
        """The name by which the file calls a tensor."""

    def pieces(self, name: str) -> Iterator[tuple[int, Tensor]]:
        """Yield (first row, piece [rows, …]) of a tensor in order, on the CPU, as some floating-point dtype.

        A piece is valid until the next one is asked for.
        """
