from __future__ import annotations

import math

import pytest
import torch

from kiln_engine.sampling.set_aside import set_aside
from tests.kiln_engine.sampling.answers import CPU, tensor


def test_elements_are_out_of_the_way_inside_and_back_at_the_end() -> None:
    logits = tensor([[0.0, 1.0, 2.0], [3.0, 4.0, math.nan]])
    columns, elements = torch.tensor([2], device=CPU), torch.tensor([0, 2, 4], device=CPU)
    with set_aside(logits, columns, elements) as held:
        assert held.tolist() == [0.0, -math.inf, 4.0]
        assert logits.tolist() == [[-math.inf, 1.0, -math.inf], [3.0, -math.inf, -math.inf]]
    assert logits.nan_to_num(9.0).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 9.0]]


def test_elements_are_back_after_an_exception() -> None:
    logits = tensor([[0.0, 1.0]])
    with pytest.raises(KeyError), set_aside(logits, torch.tensor([1], device=CPU), torch.tensor([0], device=CPU)):
        raise KeyError
    assert logits.tolist() == [[0.0, 1.0]]
