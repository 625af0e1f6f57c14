"""The optimiser."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from kiln_engine.tiny.network import Network, Shape
from kiln_engine.tiny.optimizer import Muon, optimizers, orthogonalised


@pytest.mark.parametrize("shape", [(2, 8, 8), (1, 4, 12), (3, 12, 4)])
def test_singular_values_come_close_to_1(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    values = torch.linalg.svdvals(orthogonalised(torch.randn(shape)))
    assert ((values > 0.6) & (values < 1.3)).all()


def test_directions_stay() -> None:
    torch.manual_seed(0)
    matrix = torch.randn(1, 6, 9)
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    assert (torch.diagonal(u.mT @ orthogonalised(matrix) @ v.mT, dim1=1, dim2=2) > 0.6).all()


def test_a_step_goes_downhill() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(6, 4, bias=False)
    x, y = torch.randn(32, 6), torch.randn(32, 4)
    muon, losses = Muon(layer.parameters(), lr=0.02), []
    for _ in range(20):
        loss = (layer(x) - y).square().mean()
        losses.append(loss.item())
        loss.backward()
        muon.step()
        muon.zero_grad()
    assert losses[-1] < losses[0]


def test_a_matrix_without_gradient_is_refused() -> None:
    with pytest.raises(ValueError, match="call backward"):
        Muon([nn.Parameter(torch.ones(2, 2))], lr=0.1).step()


def test_every_parameter_has_one_optimiser() -> None:
    network = Network(Shape(num_layers=2))
    moved = [
        p for o in optimizers(network, matrix_lr=1, other_lr=1) for group in o.param_groups for p in group["params"]
    ]
    assert len(moved) == len(set(map(id, moved))) == len(list(network.parameters()))
