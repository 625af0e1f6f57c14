"""The network of kiln-tiny: Qwen3's architecture, written plainly for training and for small evaluations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; `head_size` times `num_heads` need not be the width."""

    vocab_size: int = 2048
    width: int = 192
    num_layers: int = 6
    num_heads: int = 6
    num_kv_heads: int = 2
    head_size: int = 32
    inner_width: int = 512
    rope_theta: float = 10_000.0
    norm_epsilon: float = 1e-6


Cache = list[tuple[Tensor, Tensor]]
"""Keys and values of each layer, both [batch, kv heads, positions, head size]."""


class Attention(nn.Module):
    """Grouped-query attention with normalised queries and keys."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.head_size = shape.head_size
        self.group = shape.num_heads // shape.num_kv_heads
        self.q_proj = nn.Linear(shape.width, shape.num_heads * shape.head_size, bias=False)
        self.k_proj = nn.Linear(shape.width, shape.num_kv_heads * shape.head_size, bias=False)
        self.v_proj = nn.Linear(shape.width, shape.num_kv_heads * shape.head_size, bias=False)
        self.o_proj = nn.Linear(shape.num_heads * shape.head_size, shape.width, bias=False)
        self.q_norm = nn.RMSNorm(shape.head_size, eps=shape.norm_epsilon)
        self.k_norm = nn.RMSNorm(shape.head_size, eps=shape.norm_epsilon)

    def project(self, x: Tensor, angles: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of rows, each [batch, heads, rows, head size]."""
        q = rotated(self.q_norm(self._heads(self.q_proj(x))), angles)
        k = rotated(self.k_norm(self._heads(self.k_proj(x))), angles)
        return q, k, self._heads(self.v_proj(x))

    def attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        """What the rows read; `mask` is true where a row may look, None means up to itself."""
        k, v = k.repeat_interleave(self.group, dim=1), v.repeat_interleave(self.group, dim=1)
        read = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        output: Tensor = self.o_proj(read.transpose(1, 2).flatten(2))
        return output

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], -1, self.head_size).transpose(1, 2)


class FeedForward(nn.Module):
    """The gated feed-forward layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.inner_width, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.inner_width, bias=False)
        self.down_proj = nn.Linear(shape.inner_width, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[..., width] to [..., width]."""
        output: Tensor = self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))
        return output


class Layer(nn.Module):
    """Attention and feed-forward, each on normalised input and added to the stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        self.self_attn = Attention(shape)
        self.post_attention_layernorm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        self.mlp = FeedForward(shape)

    def forward(
        self, x: Tensor, angles: Tensor, mask: Tensor | None = None, past: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The new stream, and the keys and values of all positions so far."""
        x, pair = self.attended(x, angles, mask, past)
        return self.fed(x), pair

    def attended(
        self, x: Tensor, angles: Tensor, mask: Tensor | None = None, past: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The stream after attention, and the keys and values of all positions so far."""
        q, k, v = self.self_attn.project(self.input_layernorm(x), angles)
        if past is not None:
            k, v = torch.cat((past[0], k), dim=2), torch.cat((past[1], v), dim=2)
        return x + self.self_attn.attend(q, k, v, mask), (k, v)

    def fed(self, x: Tensor) -> Tensor:
        """The stream [..., width] after the feed-forward layer, each row for itself."""
        output: Tensor = x + self.mlp(self.post_attention_layernorm(x))
        return output


class Network(nn.Module):
    """Token ids to logits. Names of parameters are those of Hugging Face's Qwen3 checkpoints; embeddings are tied."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embed_tokens = nn.Embedding(shape.vocab_size, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.num_layers))
        self.norm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        self.apply(_initialise)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """Hidden states [batch, rows, width] after the last norm, of ids [batch, rows]; each sees those up to itself.

        Rows of padding at the end of a sequence disturb no row before them.
        """
        positions = torch.arange(ids.shape[1], device=ids.device)[None]
        return self.extend(ids, positions, mask, None)[0]

    def chosen(self, ids: Tensor, rows: Tensor) -> Tensor:
        """Hidden states [count, width] of the chosen rows alone; `rows` [batch, rows] is true for those.

        Gives what `forward` gives for them, and leaves out what only the other rows need.
        """
        angles = rope_angles(torch.arange(ids.shape[1], device=ids.device)[None], self.shape)
        x = self.embed_tokens(ids)
        *others, last = cast(Iterable[Layer], self.layers)
        for layer in others:
            x, _ = layer(x, angles)
        hidden: Tensor = self.norm(last.fed(last.attended(x, angles)[0][rows]))
        return hidden

    def extend(self, ids: Tensor, positions: Tensor, mask: Tensor | None, cache: Cache | None) -> tuple[Tensor, Cache]:
        """Hidden states of further rows, and the cache with them.

        `positions` [batch or 1, rows] are those of the rows. `mask` [batch, 1, rows, positions in the cache] is true
        where a row may look; None means up to itself, and is for an empty cache.
        """
        angles = rope_angles(positions, self.shape)
        x = self.embed_tokens(ids)
        extended: Cache = []
        for index, layer in enumerate(self.layers):
            x, pair = layer(x, angles, mask, cache[index] if cache else None)
            extended.append(pair)
        return self.norm(x), extended

    def logits(self, hidden: Tensor) -> Tensor:
        """[..., width] to [..., vocabulary]."""
        return functional.linear(hidden, self.embed_tokens.weight)


def rope_angles(positions: Tensor, shape: Shape) -> Tensor:
    """Cosines and sines [2, batch or 1, 1, rows, head size] of positions [batch or 1, rows]."""
    exponents = torch.arange(0, shape.head_size, 2, device=positions.device) / shape.head_size
    angles = positions[..., None].float() * shape.rope_theta**-exponents
    angles = torch.cat((angles, angles), dim=-1)[:, None]
    return torch.stack((angles.cos(), angles.sin()))


def rotated(x: Tensor, angles: Tensor) -> Tensor:
    """Vectors [batch, heads, rows, head size], turned by the angles of their positions."""
    first, second = x.chunk(2, dim=-1)
    return x * angles[0] + torch.cat((-second, first), dim=-1) * angles[1]


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
