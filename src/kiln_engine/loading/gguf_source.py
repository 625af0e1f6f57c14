"""A GGUF file as a checkpoint: its tensors under transformers' names, in transformers' order of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from kiln_engine.config import ModelConfig
from kiln_engine.loading.gguf_config import EMBEDDING, FREQUENCY_FACTORS, LM_HEAD, read_gguf_config
from kiln_engine.loading.gguf_file import GgufFile
from kiln_engine.loading.gguf_text import read_gguf_text
from kiln_server.backend import TextAssets

_MODEL: Final[Mapping[str, str]] = {
    EMBEDDING: "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    LM_HEAD: "lm_head.weight",
}
_LAYER: Final[Mapping[str, str]] = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OF_LAYER: Final = re.compile(r"blk\.(\d+)\.(\w+)\.(weight|bias)")
_PERMUTED: Final = re.compile(r"self_attn\.[qk]_proj\.")


class GgufSource:
    """A TensorSource over a GGUF file. Raises LoadError for what is damaged or not supported."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = GgufFile(path)
        self.config: ModelConfig = read_gguf_config(self._file)
        self._names = {_canonical(name): name for name in self._file.tensors if name != FREQUENCY_FACTORS}

    @cached_property
    def text(self) -> TextAssets:
        return read_gguf_text(self._file.metadata, str(self.path))

    @property
    def shards(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def sampling(self) -> Mapping[str, Any]:
        return {}

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: self._file.tensors[own].shape for name, own in self._names.items()}

    def spelled(self, name: str) -> str:
        return self._names.get(name) or _own(name)

    def pieces(self, name: str) -> Iterator[tuple[int, Tensor]]:
        if self.config.family != "llama" or not _PERMUTED.search(name):
            yield from self._file.pieces(self._names[name])
            return
        head_dim = self.config.head_dim
        for first, piece in self._file.pieces(self._names[name], multiple=head_dim):
            yield first, _halves_apart(piece, head_dim)


def _halves_apart(rows: Tensor, head_dim: int) -> Tensor:
    """Undo llama.cpp's order of q and k rows: it has the two rows that rotate together side by side in each head."""
    pairs = rows.view(-1, head_dim // 2, 2, *rows.shape[1:])
    return pairs.transpose(1, 2).reshape(rows.shape)


def _canonical(own: str) -> str:
    """transformers' name of a tensor; the file's own where there is none."""
    match = _OF_LAYER.fullmatch(own)
    if match and match[2] in _LAYER:
        return f"model.layers.{match[1]}.{_LAYER[match[2]]}.{match[3]}"
    return _MODEL.get(own, own)


def _own(name: str) -> str:
    """The name that a GGUF file would have for a tensor of transformers."""
    match = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.(weight|bias)", name)
    if match:
        return f"blk.{match[1]}.{_reversed(_LAYER)[match[2]]}.{match[3]}"
    return _reversed(_MODEL).get(name, name)


def _reversed(table: Mapping[str, str]) -> Mapping[str, str]:
    return {value: key for key, value in table.items()}
