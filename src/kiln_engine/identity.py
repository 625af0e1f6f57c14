"""Content hashes of a model: what its bytes are, whatever they are called and wherever they lie."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from kiln_contract.identity import Content, base_model_sha256, config_sha256, measure, text_sha256, vocab_sha256
from kiln_engine.loading.source import TensorSource
from kiln_server.text.hf_tokenizer import HfTokenizer


class ModelIdentity(Struct, frozen=True, kw_only=True):
    """The hashes of one model, each `sha256:` and 64 hex digits."""

    base_model_sha256: str
    tokenizer_vocab_sha256: str
    tokenizer_config_sha256: str
    chat_template_sha256: str | None
    """None for a model that brings no template."""
    model_config_sha256: str


def identify(source: TensorSource, progress: Callable[[float], None] | None = None) -> ModelIdentity:
    """Hash an opened checkpoint, reading every weight file once, in chunks.

    `progress` takes the fraction of their bytes that is done, from 0 to 1. Raises LoadError as `source.text` does, and
    OSError for a file that can no longer be read.
    """
    text = source.text
    if not isinstance(text.tokenizer, HfTokenizer):
        raise TypeError(f"a {type(text.tokenizer).__name__} has no vocabulary to hash")
    return ModelIdentity(
        base_model_sha256=base_model_sha256(_measured(source.shards, progress or _ignore)),
        tokenizer_vocab_sha256=vocab_sha256(text.tokenizer.vocab),
        tokenizer_config_sha256=text_sha256(text.tokenizer.json),
        chat_template_sha256=None if text.chat_template is None else text_sha256(text.chat_template),
        model_config_sha256=config_sha256(source.config.source),
    )


def _ignore(_fraction: float) -> None:
    """The progress that nobody asked for."""


def _measured(shards: tuple[Path, ...], progress: Callable[[float], None]) -> list[Content]:
    total, done = sum(shard.stat().st_size for shard in shards), 0

    def count(num_bytes: int) -> None:
        nonlocal done
        done += num_bytes
        progress(done / total)

    contents = []
    for shard in shards:
        with _CountedFile(shard, count) as file:
            contents.append(measure(file))
    return contents


class _CountedFile(io.FileIO):
    """A file that says how many bytes each read gave."""

    def __init__(self, path: Path, count: Callable[[int], None]) -> None:
        super().__init__(path)
        self._count = count

    def read(self, size: int | None = -1, /) -> bytes:
        chunk = super().read(-1 if size is None else size)
        self._count(len(chunk))
        return chunk
