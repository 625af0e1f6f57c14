"""Every operation in float64, row by row, from the same rounded inputs: slow, plain, and by other code than ours."""

from __future__ import annotations

import torch
from torch import Tensor

from kiln_engine.kernels.facade import Heads, RotaryTable


def product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    result = x.double() @ weight.double().T
    return result if bias is None else result + bias.double()


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.double()
    return wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt() * weight.double()


def gated(gate_up: Tensor) -> Tensor:
    gate, up = gate_up.double().chunk(2, dim=-1)
    return gate * gate.sigmoid() * up


def rotated(x: Tensor, rope: RotaryTable, positions: Tensor) -> Tensor:
    """[N, heads, D], as products of complex numbers."""
    first, second = x.double().chunk(2, dim=-1)
    angles = torch.complex(rope.cos[positions.long()].double(), rope.sin[positions.long()].double())
    turned = torch.complex(first, second) * angles[:, None]
    return torch.cat((turned.real, turned.imag), dim=-1)


def attention(
    query: Tensor, keys: Tensor, values: Tensor, heads: Heads, first: int, scale: float, window: int | None
) -> Tensor:
    """Rows [n, heads, D] at positions first, first + 1, … over [context, KV heads, D]: [n, heads * D]."""
    rows = []
    for index in range(query.shape[0]):
        position = first + index
        low = 0 if window is None else max(0, position - window + 1)
        seen_keys = keys[low : position + 1].double().repeat_interleave(heads.group_size, dim=1)
        seen_values = values[low : position + 1].double().repeat_interleave(heads.group_size, dim=1)
        scores = torch.einsum("hd,chd->hc", query[index].double(), seen_keys) * scale
        rows.append(torch.einsum("hc,chd->hd", scores.softmax(-1), seen_values).flatten())
    return torch.stack(rows)
