"""The sizes that are checked: small ones for the interpreter, those of real models for a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kiln_engine.config import ModelConfig, Rope
from kiln_engine.kernels.facade import Heads
from tests.gpu.ragged import Span


@dataclass(frozen=True)
class AttentionCase:
    """One ragged batch."""

    heads: Heads
    block_size: int
    spans: tuple[Span, ...]
    window: int | None = None

    @property
    def name(self) -> str:
        """What a report calls it."""
        sizes = " ".join(f"{span.num_rows}/{span.context_len}" for span in self.spans[:4])
        more = " …" if len(self.spans) > 4 else ""
        window = "" if self.window is None else f", window {self.window}"
        heads = "x".join(map(str, self.heads))
        return f"{heads} blocks of {self.block_size}: {sizes}{more}{window}"


@dataclass(frozen=True)
class Workload:
    """All cases of a run."""

    products: tuple[tuple[int, int, int], ...]
    """Rows, inputs, outputs."""
    widths: tuple[int, ...]
    """Of norms and gates."""
    attention: tuple[AttentionCase, ...]
    chunks: tuple[tuple[AttentionCase, int], ...]
    """Batches of whole prompts, and the rows of a chunk to compute them by."""
    model: ModelConfig
    """What decode steps are of."""
    steps: tuple[tuple[int, ...], ...]
    """The contexts of one decode step after another."""


def model_of(heads: Heads, hidden_size: int, intermediate_size: int, num_layers: int) -> ModelConfig:
    """A Qwen3 model of this shape."""
    return ModelConfig(
        family="qwen3",
        vocab_size=97,
        hidden_size=hidden_size,
        intermediate_size=intermediate_size,
        num_layers=num_layers,
        num_heads=heads.num_heads,
        num_kv_heads=heads.num_kv_heads,
        head_dim=heads.head_dim,
        rms_norm_eps=1e-6,
        rope=Rope(theta=10_000.0),
        context_length=8192,
        tied=True,
        qk_norm=True,
        windows=(None,) * num_layers,
        layer_kinds=("attention",) * num_layers,
        dtype="float32",
        source={},
    )


SMALL: Final = Workload(
    products=((1, 24, 70), (66, 1100, 40), (2, 2049, 33)),
    widths=(24, 200),
    attention=(
        AttentionCase(Heads(4, 2, 16), 4, (Span(1, 1), Span(5, 9), Span(1, 300))),
        AttentionCase(Heads(6, 2, 20), 16, (Span(1, 515), Span(1, 256), Span(1, 257))),
        AttentionCase(Heads(5, 5, 8), 5, (Span(40, 40), Span(1, 290), Span(3, 280)), window=33),
        AttentionCase(Heads(20, 1, 32), 8, (Span(1, 300), Span(2, 7)), window=1),
        AttentionCase(Heads(1, 1, 256), 32, (Span(2, 2), Span(1, 33))),
    ),
    chunks=(
        (AttentionCase(Heads(3, 1, 16), 8, (Span(270, 270), Span(9, 9))), 61),
        (AttentionCase(Heads(1, 1, 32), 16, (Span(300, 300), Span(31, 31)), window=40), 113),
    ),
    model=model_of(Heads(4, 2, 16), 24, 40, num_layers=2),
    steps=((9,), (300, 1, 40), (301, 2, 41, 7), (10,)),
)
"""A few seconds in the interpreter: every border of a tile, a block and a split once."""

_QWEN3: Final = Heads(16, 8, 128)
FULL: Final = Workload(
    products=(
        *((rows, 1024, 4096) for rows in (1, 7, 64, 65, 512)),
        *((rows, 3072, 1024) for rows in (1, 33, 512)),
        *((rows, 4096, 12288) for rows in (1, 16, 2048)),
        (3, 1000, 77),
    ),
    widths=(64, 1024, 4096, 5000),
    attention=(
        *SMALL.attention,
        AttentionCase(_QWEN3, 16, tuple(Span(1, length) for length in (1, 16, 17, 255, 256, 257, 1024, 4096))),
        AttentionCase(_QWEN3, 16, (Span(130, 130), Span(1, 2000), Span(65, 700), Span(1, 5))),
        AttentionCase(Heads(32, 2, 64), 32, (Span(100, 612), Span(1, 1500)), window=128),
        AttentionCase(Heads(8, 1, 256), 16, (Span(33, 300), Span(1, 900)), window=512),
        AttentionCase(Heads(71, 1, 64), 16, (Span(20, 40), Span(1, 400))),
    ),
    chunks=(
        *SMALL.chunks,
        (AttentionCase(_QWEN3, 16, (Span(1000, 1000), Span(300, 300))), 173),
        (AttentionCase(Heads(28, 4, 128), 16, (Span(777, 777), Span(64, 64)), window=256), 100),
        (AttentionCase(Heads(8, 4, 256), 16, (Span(600, 600), Span(10, 10))), 77),
    ),
    model=model_of(_QWEN3, 1024, 3072, num_layers=4),
    steps=((17,), (257,) * 3, (1, 300, 5000, 256, 255), (4096,) * 16, (18,), *((n,) * 33 for n in (100, 101, 102))),
)
"""Minutes on a GPU, most of them for compiling."""
