"""Logits that some elements are taken out of for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


@contextmanager
def set_aside(logits: Tensor, columns: Tensor, elements: Tensor) -> Iterator[Tensor]:
    """Put -inf into whole columns and then into single elements, and the values back at the end.

    Logits are contiguous [rows, V]; `columns` [m] and the flat indices `elements` [n] are int64 on their device.
    Gives what the elements held: [n], with -inf for those in the columns. This spares a copy of all the logits.
    """
    if not columns.numel() and not elements.numel():
        yield logits.new_empty(0)
        return
    flat = logits.view(-1)
    of_columns = logits.index_select(1, columns)
    logits.index_fill_(1, columns, -torch.inf)
    of_elements = flat.index_select(0, elements)
    flat.index_fill_(0, elements, -torch.inf)
    try:
        yield of_elements
    finally:
        flat.index_copy_(0, elements, of_elements)
        logits.index_copy_(1, columns, of_columns)
