"""What is checked before an address leaves Python: devices, types, layouts and shapes; and a batch's indices, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kiln_engine.batch import Batch
    from kiln_engine.kernels.drawing import Wish
    from kiln_engine.kernels.facade import Heads

CODES: Final = {torch.float32: 0, torch.bfloat16: 1}
"""The library's numbers of the dtypes that it computes in."""

MAX_HEAD_DIM: Final = 256


def type_code(x: Tensor) -> int:
    """The library's number of x's dtype. Raises ValueError for a dtype that it lacks."""
    code = CODES.get(x.dtype)
    if code is None:
        raise ValueError(f"the CPU kernels compute in float32 and bfloat16, not {x.dtype}")
    return code


def require(name: str, x: Tensor, dtype: torch.dtype, *shape: int) -> int:
    """The address of a tensor of this dtype and shape, contiguous, in the CPU's memory. Raises ValueError."""
    if x.dtype != dtype or x.shape != shape or not x.is_contiguous() or not x.is_cpu:
        layout = "contiguous" if x.is_contiguous() else "strided"
        raise ValueError(
            f"{name} is {layout} {x.dtype} {list(x.shape)} on {x.device}; "
            f"contiguous {dtype} {list(shape)} on cpu is needed"
        )
    return x.data_ptr()


def check_heads(heads: Heads) -> None:
    """Raises ValueError for heads that the kernels cannot divide."""
    if not 0 < heads.head_dim <= MAX_HEAD_DIM or heads.head_dim % 2:
        raise ValueError(f"heads of {heads.head_dim}; the CPU kernels need an even size of at most {MAX_HEAD_DIM}")
    if heads.num_kv_heads < 1 or heads.num_heads % heads.num_kv_heads:
        raise ValueError(f"{heads.num_heads} query heads cannot be shared among {heads.num_kv_heads} key-value heads")


def check_batch(batch: Batch) -> None:
    """Raises ValueError unless the tensors of a batch fit together."""
    num_rows, num_sequences = batch.token_ids.shape[0], batch.context_lens.shape[0]
    for name, size in (
        ("positions", num_rows),
        ("slots", num_rows),
        ("row_offsets", num_sequences + 1),
        ("context_lens", num_sequences),
        ("block_offsets", num_sequences + 1),
        ("block_ids", batch.block_ids.shape[0]),
    ):
        require(f"the batch's {name}", getattr(batch, name), torch.int32, size)


def last_position(batch: Batch, num_blocks: int, block_size: int) -> int:
    """The largest position of a batch. Raises ValueError when a slot or block lies outside a cache of this size."""
    _largest("slot", batch.slots, num_blocks * block_size)
    _largest("block", batch.block_ids, num_blocks)
    return _largest("position", batch.positions, 2**31)


class Indices(NamedTuple):
    """A batch that uses a cache of so many blocks, and angles for so many positions, or None where it uses none."""

    batch: Batch
    num_blocks: int
    block_size: int
    num_angles: int | None

    def covers(self, other: Indices) -> bool:
        """Whether these, once checked, leave nothing to check of others."""
        same = other.batch is self.batch and other[1:3] == self[1:3]
        return same and other.num_angles in (None, self.num_angles)

    def check(self) -> None:
        """Raises ValueError when a slot or block lies outside the cache, or a position has no angles."""
        last = last_position(self.batch, self.num_blocks, self.block_size)
        if self.num_angles is not None:
            check_angles(last, self.num_angles)


def check_angles(last_position: int, num_angles: int) -> None:
    """Raises ValueError when a position has no angles."""
    if num_angles <= last_position:
        raise ValueError(f"position {last_position} has no angles; there are {num_angles}")


def check_extras(wishes: Sequence[Wish], ids: NDArray[np.int64], values: NDArray[np.float64], num_tokens: int) -> None:
    """Raises ValueError unless the extra tokens of all rows are there, and in the vocabulary."""
    if ids.dtype != np.int64 or values.dtype != np.float64 or ids.shape != values.shape or ids.ndim != 1:
        raise ValueError(f"extra tokens are {ids.dtype}{ids.shape} with {values.dtype}{values.shape} values")
    if not (ids.flags.c_contiguous and values.flags.c_contiguous):
        raise ValueError("extra tokens are strided; contiguous ones are needed")
    if ids.size and not 0 <= ids.min() <= ids.max() < num_tokens:
        raise ValueError(f"extra tokens {ids.min()} to {ids.max()} are used; there are {num_tokens}")
    for wish in wishes:
        if not 0 <= wish.first_extra <= wish.first_extra + wish.num_extra <= len(ids):
            raise ValueError(f"extra tokens {wish.first_extra} to {wish.first_extra + wish.num_extra} of {len(ids)}")
        if wish.num_kept < 1:
            raise ValueError(f"top-k leaves {wish.num_kept} tokens; at least one is needed")


def _largest(name: str, indices: Tensor, count: int) -> int:
    low, high = (int(end) for end in torch.aminmax(indices))
    if low < 0 or high >= count:
        raise ValueError(f"{name}s {low} to {high} are used; there are {count}")
    return high
