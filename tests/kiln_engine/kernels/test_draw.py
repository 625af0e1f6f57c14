"""Borders of a draw that no seed reaches: everything else is tested as sampling."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kiln_engine.kernels.cpu.kernels import CpuKernels
from kiln_engine.kernels.drawing import Wish

NO_IDS, NO_VALUES = np.empty(0, dtype=np.int64), np.empty(0)


def drawn(kernels: CpuKernels, logits: list[float], *, uniform: float, **values: float) -> int:
    """The token that a row's draw gives, with nothing set but what is said."""
    wish = Wish(1.0, 0.0, 1.0, uniform, len(logits), False, 0, 0)._replace(**values)  # type: ignore[arg-type]
    return int(kernels.draw(torch.tensor([logits]), [wish], NO_IDS, NO_VALUES).token_ids[0])


@pytest.mark.parametrize("uniform", [0.0, 0.2499, 0.25, 0.5, 0.75, 0.9999])
def test_a_draw_on_a_border_goes_to_the_token_behind_it(kernels: CpuKernels, uniform: float) -> None:
    assert drawn(kernels, [0.0] * 2, uniform=uniform) == int(2 * uniform)
    assert drawn(kernels, [0.0] * 4, uniform=uniform) == int(4 * uniform)


@pytest.mark.parametrize("uniform", [0.0, 0.9999])
def test_top_p_that_is_reached_exactly_keeps_no_more(kernels: CpuKernels, uniform: float) -> None:
    assert drawn(kernels, [0.0, 0.0], uniform=uniform, top_p=0.5) == 0
    assert drawn(kernels, [0.0] * 4, uniform=uniform, top_p=0.5) == (uniform > 0.5)


@pytest.mark.parametrize(("uniform", "token_id"), [(0.2, 0), (0.7, 2)])
def test_tokens_that_top_k_keeps_and_that_weigh_the_same_go_by_id(
    kernels: CpuKernels, uniform: float, token_id: int
) -> None:
    assert drawn(kernels, [1.0, 0.0, 2.0], uniform=uniform, temperature=1e300, num_kept=2) == token_id


def test_a_row_as_it_is_at_the_least_and_at_the_most(kernels: CpuKernels) -> None:
    assert drawn(kernels, [3.0], uniform=0.9) == 0
    wishes = [Wish(1.0, 0.0, 1.0, 0.5, 4, False, 0, 0)] * 3
    logits = torch.full((3, 4), -torch.inf)
    logits[1, 2] = 0.0
    found = kernels.draw(logits, wishes, NO_IDS, NO_VALUES)
    assert found.token_ids[1] == 2
    assert found.logprobs[1] == 0.0
    assert np.isnan(found.logprobs[[0, 2]]).all()
