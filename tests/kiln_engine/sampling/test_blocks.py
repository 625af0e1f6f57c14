from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.sampling.blocks import BLOCK, Blocks
from kiln_engine.sampling.order import ids_of
from tests.kiln_engine.sampling.answers import CPU


@settings(deadline=None)
@given(
    st.sampled_from([1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 7 * BLOCK + 3]),
    st.integers(1, 3),
    st.integers(0, 2**32),
    st.integers(1, 8),
    st.data(),
)
def test_the_largest_with_ties_to_the_lower_id(
    size: int, rows: int, seed: int, steps: int, data: st.DataObject
) -> None:
    # Few different logits, so that many are equal, within blocks and across them.
    logits = torch.randint(-steps, steps, (rows, size), generator=torch.Generator().manual_seed(seed), device=CPU) / 2
    logits[logits == -steps / 2] = -math.inf
    n = data.draw(st.integers(1, size + 2))
    chosen = data.draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=3))
    keys = Blocks(logits).top(torch.tensor(chosen, device=CPU), n)
    for row, found in zip(chosen, ids_of(keys).tolist(), strict=True):
        values = logits[row].tolist()
        assert sorted(found) == sorted(sorted(range(size), key=lambda i: (-values[i], i))[:n])


def test_what_a_short_block_lacks_is_no_token() -> None:
    logits = torch.zeros(1, 5 * BLOCK + 1, device=CPU)
    logits[0, -1] = 1.0
    keys = Blocks(logits).top(torch.tensor([0], device=CPU), 3)
    assert sorted(ids_of(keys)[0].tolist()) == [0, 1, 5 * BLOCK]


@pytest.mark.parametrize("size", [1, BLOCK, 3 * BLOCK + 1])
def test_the_largest_of_each_row_shows_what_is_not_finite(size: int) -> None:
    logits = torch.zeros(4, size, device=CPU)
    logits[1, -1], logits[2, -1], logits[3] = math.nan, math.inf, -math.inf
    highest = Blocks(logits).highest().tolist()
    assert math.isnan(highest.pop(1))
    assert highest == [0.0, math.inf, -math.inf]
