"""The optimiser: matrices move by orthogonalised momentum (Muon), everything else by Adam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

import torch
from torch import Tensor, nn

_COEFFICIENTS: Final = (3.4445, -4.7750, 2.0315)
"""Of the quintic that drives singular values towards 1; published with Muon."""

_NUM_ITERATIONS: Final = 5


class Muon(torch.optim.Optimizer):
    """Steps along the orthogonal matrix nearest to the momentum; for matrices of hidden layers only."""

    def __init__(self, matrices: Iterable[nn.Parameter], *, lr: float, momentum: float = 0.95) -> None:
        super().__init__(list(matrices), {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ARG002
        """Move every matrix. `closure` is the library's, and not used."""
        for group in self.param_groups:
            by_shape: dict[tuple[int, ...], list[nn.Parameter]] = defaultdict(list)
            for matrix in group["params"]:
                by_shape[tuple(matrix.shape)].append(matrix)
            for matrices in by_shape.values():
                self._move(matrices, group["lr"], group["momentum"])

    def _move(self, matrices: list[nn.Parameter], lr: float, momentum: float) -> None:
        directions = orthogonalised(torch.stack([self._direction(matrix, momentum) for matrix in matrices]))
        rows, columns = directions.shape[1:]
        for matrix, direction in zip(matrices, directions, strict=True):
            matrix.add_(direction, alpha=-lr * max(1.0, rows / columns) ** 0.5)

    def _direction(self, matrix: nn.Parameter, momentum: float) -> Tensor:
        gradient = matrix.grad
        if gradient is None:
            raise ValueError("a matrix has no gradient: call backward before step")
        average = self.state[matrix].setdefault("momentum", torch.zeros_like(matrix))
        average.lerp_(gradient, 1 - momentum)
        return gradient.lerp(average, momentum)


def orthogonalised(matrices: Tensor) -> Tensor:
    """Matrices [count, rows, columns] with their singular values driven close to 1."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    x: Tensor = matrices.mT if is_tall else matrices
    x = x / (torch.linalg.matrix_norm(x, keepdim=True) + 1e-7)
    a, b, c = _COEFFICIENTS
    for _ in range(_NUM_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x


def optimizers(network: nn.Module, *, matrix_lr: float, other_lr: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, in parts that may step side by side; Adam for embeddings and norms."""
    matrices = [(name, p) for name, p in network.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in network.named_parameters() if p.ndim != 2 or "embed" in name]
    parts = [[p for name, p in matrices if kind in name] for kind in ("gate_proj", "up_proj", "down_proj", "self_attn")]
    return [*(Muon(part, lr=matrix_lr) for part in parts), torch.optim.Adam(others, lr=other_lr, betas=(0.9, 0.95))]
