"""Number formats inside kernels."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from kiln_engine.kernels.triton.launch import INTERPRETED


def is_wide(*tensors: Tensor) -> bool:
    """Whether products of these are of float32 numbers: where they are of it, or of more than one format."""
    return len({tensor.dtype for tensor in tensors}) > 1 or tensors[0].dtype == torch.float32


def widens(*tensors: Tensor) -> bool:
    """Whether these are made float32 before they are multiplied.

    The interpreter holds bfloat16 as plain 16-bit integers and multiplies those, wrongly and in silence.
    """
    return INTERPRETED or is_wide(*tensors)


@triton.jit
def rounded(x, like):
    """float32 x at the precision of what `like` points to, as float32."""
    return x.to(like.dtype.element_ty).to(tl.float32)
