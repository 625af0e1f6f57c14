from __future__ import annotations

import numpy as np
import torch

from kiln_engine.sampling.read_back import read_back
from tests.kiln_engine.sampling.answers import CPU


def test_every_tensor_comes_back_as_it_was() -> None:
    tensors = [
        torch.arange(6, device=CPU).view(2, 3).T,
        torch.empty(0, 4, dtype=torch.int64, device=CPU),
        torch.tensor([0.1, torch.nan], dtype=torch.float64, device=CPU),
        torch.tensor([[1.5], [torch.inf]], dtype=torch.float32, device=CPU),
    ]
    for array, tensor in zip(read_back(tensors), tensors, strict=True):
        assert array.dtype == tensor.numpy().dtype
        assert np.array_equal(array, tensor.numpy(), equal_nan=array.dtype.kind == "f")
