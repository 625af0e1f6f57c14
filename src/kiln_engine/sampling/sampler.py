"""Draws the next token of every row of a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kiln_engine.kernels.drawing import Drawer, Drawn
from kiln_engine.sampling.blocks import Blocks
from kiln_engine.sampling.chooser import Chooser, Readings
from kiln_engine.sampling.group import Group, groups_of, reads_total
from kiln_engine.sampling.penalties import Counted
from kiln_engine.sampling.read_back import read_back
from kiln_engine.sampling.set_aside import set_aside
from kiln_engine.sampling.state import SamplerState
from kiln_engine.sampling.wishes import wishes_of
from kiln_server.backend import BackendError

_WHOLE_ELEMENTS: Final = 2**20
"""Logits of whole rows that are sorted at a time; bounds the memory."""


class Draw(NamedTuple):
    """A token and, when asked for, the natural log of its probability under the distribution it was drawn from.

    That is 0.0 for a greedy choice.
    """

    token_id: int
    logprob: float | None


class Sampler:
    """Draws from logits over `vocab_size` tokens on one device.

    `masked_ids` [m] can never be drawn: the rows of the output layer that no token of the tokenizer has. `drawer` is
    for logits on the host; without one, the rows' largest logits are found with torch and looked at with numpy.
    """

    def __init__(
        self,
        vocab_size: int,
        device: torch.device,
        *,
        masked_ids: Tensor | None = None,
        drawer: Drawer | None = None,
    ) -> None:
        self._vocab_size = vocab_size
        self._device = device
        self._drawer = drawer
        self._no_ids = torch.empty(0, dtype=torch.int64, device=device)
        self._masked_ids = self._no_ids if masked_ids is None else masked_ids.to(device, torch.int64)

    @torch.inference_mode()
    def draw(
        self, logits: Tensor, states: Sequence[SamplerState], *, logprobs: Sequence[bool]
    ) -> list[Draw | BackendError]:
        """Draw the next token of each row's answer from its raw logits: [rows, V] float32, contiguous.

        `logprobs` says which rows' log-probabilities are wanted. A row with NaN or +inf, or with nothing but -inf, gets
        an error in its place; the others are not affected. The logits are changed meanwhile and put back.
        """
        if logits.shape != (len(states), self._vocab_size) or logits.dtype != torch.float32:
            expected = f"[{len(states)}, {self._vocab_size}] torch.float32"
            raise ValueError(
                f"logits are {list(logits.shape)} {logits.dtype}; the states and the vocabulary need {expected}"
            )
        if not states:
            return []
        counted = Counted(states)
        drawn = self._chosen(logits, states, counted) if self._drawer is None else self._drawn(logits, states, counted)
        return [
            self._error(logits[row]) if math.isnan(logprob) else Draw(token_id, logprob if wanted else None)
            for row, (token_id, logprob, wanted) in enumerate(
                zip(drawn.token_ids.tolist(), drawn.logprobs.tolist(), logprobs, strict=True)
            )
        ]

    def _drawn(self, logits: Tensor, states: Sequence[SamplerState], counted: Counted) -> Drawn:
        assert self._drawer is not None  # noqa: S101 - asked before
        elements = self._elements(counted)
        with set_aside(logits, self._masked_ids, elements) as own:
            logits_before = own.numpy().astype(np.float64)
            # Penalties make finite what is infinite, which is to be found out.
            values = np.where(logits_before < np.inf, counted.penalised(logits_before), logits_before)
            return self._drawer(logits, wishes_of(states, counted, self._vocab_size), counted.ids, values)

    def _chosen(self, logits: Tensor, states: Sequence[SamplerState], counted: Counted) -> Drawn:
        elements = self._elements(counted)
        with set_aside(logits, self._masked_ids, elements) as counted_logits:
            blocks = Blocks(logits)
            groups = groups_of(states, self._vocab_size)
            keys = [blocks.top(self._to_device(group.rows), group.reach) for group in groups]
            rest_totals = self._rest_totals(logits, states)
            *arrays, totals, highest, own = read_back([*keys, rest_totals, blocks.highest(), counted_logits])
            chooser = Chooser(states, counted, Readings(totals, highest, own), self._vocab_size)
            unsettled = [
                row for group, array in zip(groups, arrays, strict=True) for row in chooser.choose(group, array)
            ]
            for group in self._whole(unsettled):
                (array,) = read_back([blocks.top(self._to_device(group.rows), group.reach)])
                chooser.choose(group, array)
        return Drawn(chooser.token_ids, np.where(chooser.drawable, chooser.logprobs, np.nan))

    def _rest_totals(self, logits: Tensor, states: Sequence[SamplerState]) -> Tensor:
        """The weight of each row relative to its likeliest token, [rows] float64; NaN where no draw asks for it."""
        totals = torch.full((len(states),), torch.nan, dtype=torch.float64, device=self._device)
        # One row at a time: the order of a reduction may depend on the shape.
        for row, state in enumerate(states):
            if reads_total(state, self._vocab_size):
                values = logits[row].double()
                totals[row] = ((values - values.amax()) / state.sampling.temperature).exp_().sum()
        return totals

    def _whole(self, rows: list[int]) -> Iterator[Group]:
        size = max(1, _WHOLE_ELEMENTS // self._vocab_size)
        for start in range(0, len(rows), size):
            yield Group(sorted(rows)[start : start + size], self._vocab_size, greedy=False)

    def _elements(self, counted: Counted) -> Tensor:
        """Where the counted tokens' logits are, as flat indices."""
        return self._to_device(counted.rows * self._vocab_size + counted.ids) if len(counted) else self._no_ids

    def _to_device(self, indices: Sequence[int] | NDArray[np.int64]) -> Tensor:
        return torch.as_tensor(indices, dtype=torch.int64, device=self._device)

    def _error(self, logits: Tensor) -> BackendError:
        row = logits.index_fill(0, self._masked_ids, -torch.inf)
        broken = (row.isnan() | (row == torch.inf)).nonzero().flatten().tolist()
        if not broken:
            return BackendError("every logit is -inf: no token is possible")
        return BackendError(
            f"the logit of token {broken[0]} is {row[broken[0]].item()}: no probability follows from it"
        )
