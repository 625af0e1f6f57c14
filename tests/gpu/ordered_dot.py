"""A matrix product for Triton's interpreter whose elements are all summed up in one order.

The interpreter asks numpy, whose BLAS takes another order for another place in a tile; a GPU's matrix units take one
for all. Without this, exactness could not be checked in the interpreter at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle


@contextmanager
def ordered_dot() -> Iterator[None]:
    """Within it, the interpreter's products are summed in ascending order."""
    with mock.patch.object(InterpreterBuilder, "create_dot", _ascending):
        yield


def _ascending(_builder: object, a: Any, b: Any, total: Any, *_options: object) -> Any:
    if a.data.dtype != np.float32 or b.data.dtype != np.float32:
        raise TypeError(f"the interpreter multiplies float32 rightly, but not {a.dtype} by {b.dtype}: widen them first")
    result = total.data.copy()
    for left, right in zip(a.data.T, b.data, strict=True):
        result += left[:, None] * right[None, :]
    return TensorHandle(result, total.dtype.scalar)
