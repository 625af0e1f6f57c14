"""What one step computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kiln_engine.sequence import Sequence


class Rows(NamedTuple):
    """Positions `start` to `stop - 1` of one sequence."""

    sequence: Sequence
    start: int
    stop: int
    samples: bool
    """Whether the last row's logits give the next token. Never where all logits are wanted (`sequence.scores`)."""
    is_prefill: bool
    """Prompt rows, or rows computed again after a preemption; else one decode row."""
    followers: tuple[Sequence, ...] = ()
    """Siblings that begin here: each samples its own first token from the last row's logits too."""


class BlockCopy(NamedTuple):
    """All of a block's keys and values, in every layer."""

    source: int
    target: int


class StateCopy(NamedTuple):
    """A whole recurrent state, in every layer."""

    source: int
    target: int


class StateSave(NamedTuple):
    """A state that becomes a checkpoint once the step is done: of the sequence's first `num_tokens` tokens."""

    sequence: Sequence
    slot: int
    num_tokens: int


@dataclass(frozen=True, slots=True)
class StepPlan:
    """One step: `resumes`, then the forward pass over `rows`, then `copies` and `saves`.

    Within each list, copying one after the other and reading all sources first give the same. A sequence whose rows
    start at 0 starts from the zero state, whatever its slot holds.
    """

    rows: tuple[Rows, ...]
    """In no particular order, one for each sequence."""
    copies: tuple[BlockCopy, ...]
    """After the forward pass: partly filled last blocks of prompts, for the siblings that go on from them."""
    resumes: tuple[StateCopy, ...]
    """Before the forward pass: checkpoints into the slots of the sequences that go on from them."""
    saves: tuple[StateCopy, ...]
    """After the forward pass: states into checkpoints, and into the slots of siblings."""
    checkpoints: tuple[StateSave, ...]
    """Those of `saves` that make checkpoints; the scheduler's own note."""
    num_prompt_rows: int
    num_decode_rows: int
    admitted: tuple[Sequence, ...]
    """Admitted for the first time, siblings among them."""
    preempted: tuple[Sequence, ...]

    @property
    def sequences(self) -> tuple[Sequence, ...]:
        """All that take part, siblings included."""
        return tuple(sequence for rows in self.rows for sequence in (rows.sequence, *rows.followers))
