"""Several tensors of one device, brought to the host in one copy: one synchronisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_TYPES: Final = {torch.int64: np.int64, torch.float64: np.float64, torch.float32: np.float32}


def read_back(tensors: Sequence[Tensor]) -> list[NDArray[Any]]:
    """Arrays of the same shapes and types; int64 and float64 come before float32, so that all are aligned."""
    packed = torch.cat([tensor.contiguous().view(-1).view(torch.uint8) for tensor in tensors]).cpu().numpy()
    arrays, start = [], 0
    for tensor in tensors:
        stop = start + tensor.nbytes
        arrays.append(packed[start:stop].view(_TYPES[tensor.dtype]).reshape(tensor.shape))
        start = stop
    return arrays
