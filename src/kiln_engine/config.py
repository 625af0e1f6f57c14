"""What a model is, as far as computing it goes: read from a checkpoint's own description, the same for every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

Family = Literal["qwen3", "qwen2", "llama"]
RopeKind = Literal["default", "linear", "llama3", "yarn"]

MAX_HEAD_DIM: Final = 256


class Rope(Struct, frozen=True, kw_only=True):
    """Rotary positions: base frequencies and how they are stretched. Fields that a kind does not name are unused."""

    theta: float
    kind: RopeKind = "default"
    factor: float = 1.0
    """linear, llama3, yarn: by how much the context is longer than the trained one."""
    original_max_position_embeddings: int = 0
    """llama3, yarn: the trained context in tokens."""
    low_freq_factor: float = 1.0
    """llama3: waves longer than the trained context divided by this are stretched in full."""
    high_freq_factor: float = 4.0
    """llama3: waves shorter than the trained context divided by this stay as they are."""
    attention_factor: float = 1.0
    """yarn: what cosine and sine are multiplied with."""
    beta_fast: float = 32.0
    """yarn: dimensions that turn more often than this over the trained context stay as they are."""
    beta_slow: float = 1.0
    """yarn: dimensions that turn less often than this are stretched in full."""
    truncate: bool = True
    """yarn: whether the two borders are widened to whole dimensions."""
    frequency_factors: tuple[float, ...] = ()
    """Any kind: head_dim / 2 divisors of the frequencies, as a GGUF file's `rope_freqs` has them; empty for none."""


class ModelConfig(Struct, frozen=True, kw_only=True):
    """A decoder of the one block that all families share: RMS norm, rotary attention, gated SiLU MLP.

    Sizes count elements. `num_heads` is a multiple of `num_kv_heads`; `head_dim` is even and at most 256.
    """

    family: Family
    vocab_size: int
    """Rows of the embedding and of the output layer; a tokenizer may have fewer entries."""
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    rms_norm_eps: float
    rope: Rope
    context_length: int
    """Positions that the model is made for."""
    tied: bool
    """Whether the output layer is the embedding."""
    qk_norm: bool = False
    """Whether each head of q and k is RMS-normed before rotation."""
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    windows: tuple[int | None, ...]
    """Per layer, how many positions a token attends to, its own included; None for all before it."""
    layer_kinds: tuple[str, ...]
    """Per layer, which kind computes it: `attention` in every family so far."""
    dtype: str
    """What the checkpoint stores: `bfloat16`, `float16`, `float32`, or a GGUF quantisation such as `q4_1`."""
    source: Mapping[str, Any]
    """The description it was read from: config.json, or a GGUF file's metadata without its vocabulary."""

    @property
    def q_size(self) -> int:
        """Width of all query heads together."""
        return self.num_heads * self.head_dim

    @property
    def kv_size(self) -> int:
        """Width of all key heads, or all value heads, together."""
        return self.num_kv_heads * self.head_dim
