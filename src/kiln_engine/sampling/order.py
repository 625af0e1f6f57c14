"""The order of tokens by logit, ties to the lower id, as integers that no two tokens share.

A key holds the logit's bits, made to ascend with it, above the complement of the id. So selecting the largest keys is
exact on every device, although their sorts and selections promise nothing about ties.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_ID_BITS: Final = 32
_ID_MASK: Final = 2**31 - 1


def order_keys(values: Tensor, ids: Tensor) -> Tensor:
    """Keys [..., n] int64 of float32 logits and their ids (int64, below 2**31), of one shape or broadcastable."""
    bits = (values + 0.0).view(torch.int32)  # the sum makes -0.0 the equal of 0.0
    # Negative floats ascend as their bits descend.
    ascending = (bits >> 31).bitwise_and_(_ID_MASK).bitwise_xor_(bits)
    return ascending.long().bitwise_left_shift_(_ID_BITS).bitwise_or_(_ID_MASK - ids)


def ids_of(keys: Tensor) -> Tensor:
    """The ids that keys were made with: int64, of the shape of `keys`."""
    return _ID_MASK - (keys & _ID_MASK)


def decode(keys: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The logits and ids that keys on the host were made with."""
    ascending = (keys >> _ID_BITS).astype(np.int32)
    bits = ascending ^ ((ascending >> 31) & _ID_MASK)
    return bits.view(np.float32), _ID_MASK - (keys & _ID_MASK)
