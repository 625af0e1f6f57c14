"""A model's weights in the form that is computed with: products that read the same rows are fused into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from kiln_engine.config import ModelConfig

Pack = Callable[[Tensor], Tensor]
"""Puts a matrix [out, in] into another order; `kernels.facade.Kernels.pack` is one."""


class Part(NamedTuple):
    """A named stretch of a fused product's outputs: rows `start` to `stop` - 1 of its weight."""

    name: str
    """q, k, v, o, gate, up, down or lm_head."""
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Linear:
    """One product: `weight` [out, in], `bias` [out] or None; `parts` cover the outputs in order, without gaps.

    Kernels take the weight as their `pack` made it.
    """

    weight: Tensor
    bias: Tensor | None
    parts: tuple[Part, ...]
    deltas: dict[tuple[int, str], Callable[[Tensor], Tensor]] = field(default_factory=dict)
    """What an adapter adds to a part, by adapter slot and part name: from rows [n, in] to [n, stop - start]."""

    @property
    def outputs(self) -> int:
        return self.parts[-1].stop

    def packed(self, pack: Pack) -> Linear:
        return replace(self, weight=pack(self.weight))

    def tensors(self) -> Iterator[Tensor]:
        yield self.weight
        if self.bias is not None:
            yield self.bias


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One block. H is hidden_size, D head_dim; norm weights are [H], those of q and k [D]."""

    attn_norm: Tensor
    qkv: Linear
    q_norm: Tensor | None
    k_norm: Tensor | None
    o: Linear
    mlp_norm: Tensor
    gate_up: Linear
    down: Linear

    def packed(self, pack: Pack) -> LayerWeights:
        return replace(
            self,
            qkv=self.qkv.packed(pack),
            o=self.o.packed(pack),
            gate_up=self.gate_up.packed(pack),
            down=self.down.packed(pack),
        )

    def tensors(self) -> Iterator[Tensor]:
        norms = (self.attn_norm, self.q_norm, self.k_norm, self.mlp_norm)
        yield from (norm for norm in norms if norm is not None)
        for linear in (self.qkv, self.o, self.gate_up, self.down):
            yield from linear.tensors()


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights, of one dtype, on one device. `embedding` is [V, H]; a tied `lm_head` has it as its weight."""

    embedding: Tensor
    layers: tuple[LayerWeights, ...]
    norm: Tensor
    lm_head: Linear

    @classmethod
    def empty(cls, config: ModelConfig, *, dtype: torch.dtype, device: torch.device) -> Weights:
        """Weights of the right shapes whose values are not set yet. On the device `meta` they take no memory."""
        new = _Allocator(dtype, device)
        embedding = new.tensor(config.vocab_size, config.hidden_size)
        head = embedding if config.tied else new.tensor(config.vocab_size, config.hidden_size)
        return cls(
            embedding=embedding,
            layers=tuple(new.layer(config) for _ in range(config.num_layers)),
            norm=new.tensor(config.hidden_size),
            lm_head=Linear(head, None, (Part("lm_head", 0, config.vocab_size),)),
        )

    @property
    def tied(self) -> bool:
        """Whether the output layer is the embedding itself."""
        return self.lm_head.weight is self.embedding

    @property
    def num_bytes(self) -> int:
        """What the weights take in memory; a tied embedding counts once."""
        return sum(tensor.nbytes for tensor in self.tensors())

    def packed(self, pack: Pack) -> Weights:
        """The same with every matrix as kernels want it. `pack` takes each one over: see `Kernels.pack`."""
        embedding = pack(self.embedding)
        head = replace(self.lm_head, weight=embedding) if self.tied else self.lm_head.packed(pack)
        layers = tuple(layer.packed(pack) for layer in self.layers)
        return replace(self, embedding=embedding, layers=layers, lm_head=head)

    def tensors(self) -> Iterator[Tensor]:
        """Every tensor once."""
        yield self.embedding
        yield self.norm
        if not self.tied:
            yield self.lm_head.weight
        for layer in self.layers:
            yield from layer.tensors()


@dataclass(frozen=True, slots=True)
class _Allocator:
    dtype: torch.dtype
    device: torch.device

    def tensor(self, *shape: int) -> Tensor:
        return torch.empty(shape, dtype=self.dtype, device=self.device)

    def linear(self, width: int, *, bias: bool, **outputs: int) -> Linear:
        parts, start = [], 0
        for name, size in outputs.items():
            parts.append(Part(name, start, start + size))
            start += size
        return Linear(self.tensor(start, width), self.tensor(start) if bias else None, tuple(parts))

    def layer(self, config: ModelConfig) -> LayerWeights:
        hidden, inner, kv = config.hidden_size, config.intermediate_size, config.kv_size
        return LayerWeights(
            attn_norm=self.tensor(hidden),
            qkv=self.linear(hidden, bias=config.qkv_bias, q=config.q_size, k=kv, v=kv),
            q_norm=self.tensor(config.head_dim) if config.qk_norm else None,
            k_norm=self.tensor(config.head_dim) if config.qk_norm else None,
            o=self.linear(config.q_size, bias=config.o_bias, o=hidden),
            mlp_norm=self.tensor(hidden),
            gate_up=self.linear(hidden, bias=config.mlp_bias, gate=inner, up=inner),
            down=self.linear(inner, bias=config.mlp_bias, down=hidden),
        )
