"""The operations that a model is made of. Every implementation gives the same results up to its stated exactness.

N rows in a batch, H hidden size, D head size. Activations are in the compute dtype, [N, …] and contiguous. Each output
row depends on its own inputs alone, never on its neighbours' in the batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kiln_engine.batch import Batch, Segment
    from kiln_engine.kernels.drawing import Drawer
    from kiln_engine.kernels.recording import Recorder
    from kiln_engine.weights import Linear


class Heads(NamedTuple):
    """How the columns of a fused query, key and value product are divided."""

    num_heads: int
    num_kv_heads: int
    head_dim: int

    @property
    def group_size(self) -> int:
        """Query heads that share one key-value head."""
        return self.num_heads // self.num_kv_heads


class RotaryTable(NamedTuple):
    """Cosines and sines of every position's angles, scaled by the attention factor: float32 [positions, D / 2]."""

    cos: Tensor
    sin: Tensor


class PagedKV(NamedTuple):
    """One layer's keys and values: [blocks, KV heads, block size, D] each, so that a head's block is one run."""

    keys: Tensor
    values: Tensor

    @property
    def block_size(self) -> int:
        return self.keys.shape[2]


class HeadNorms(NamedTuple):
    """RMS norm weights [D] of each query and key head."""

    query: Tensor
    key: Tensor
    eps: float


class Kernels(Protocol):
    """One implementation of the numeric core."""

    @property
    def name(self) -> str:
        """What it is called in logs, settings and identities."""

    @property
    def exact(self) -> bool:
        """Whether a row's bits are the same in every batch, chunking and block placement."""

    def recorder(self) -> Recorder | None:
        """What records work of these kernels, or None where it cannot be done again as one."""

    def drawer(self) -> Drawer | None:
        """What draws tokens, or None where that is left to the sampler and torch."""

    def pack(self, matrix: Tensor) -> Tensor:
        """A weight [out, in] as `linear` and `embed` take it: in the order in which it is read.

        Takes the matrix over: its memory may become the result's, so it must not be used any more.
        """

    def embed(self, token_ids: Tensor, table: Tensor) -> Tensor:
        """Rows [N, H] of a packed [V, H] table; `token_ids` is int32 [N]."""

    def linear(self, x: Tensor, weight: Linear, segments: Sequence[Segment] = ()) -> Tensor:
        """[N, in] by packed weight [out, in], plus bias and the adapters of the segments' slots: [N, out]."""

    def add_norm(self, x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        """RMS norm of x + residual (or of x), times weight [H]; returns it and the sum, both [N, H]."""

    def qk_norm_rope_write(
        self, qkv: Tensor, heads: Heads, norms: HeadNorms | None, rope: RotaryTable, kv: PagedKV, batch: Batch
    ) -> Tensor:
        """Norm (where the model has it) and rotate queries and keys, write keys and values; queries [N, heads, D].

        `qkv` is [N, (heads + 2 * KV heads) * D]. Writes kv at the batch's slots and nowhere else.
        """

    def paged_attention(
        self, query: Tensor, kv: PagedKV, batch: Batch, *, scale: float, window: int | None = None
    ) -> Tensor:
        """Causal attention of each row over its own sequence's blocks: [N, heads * D].

        A row at position p sees positions p - window + 1 (or 0) to p. Slots past a context are never read.
        """

    def act_mul(self, gate_up: Tensor) -> Tensor:
        """SiLU of the first half of the columns times the second half: [N, 2 * I] to [N, I]."""
