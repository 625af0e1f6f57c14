"""Rows of a step that are worked on together, because as many of their largest logits serve them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from kiln_engine.sampling.state import SamplerState

OPEN_REACH: Final = 256
"""How many of its largest logits serve a row without top-k: nearly always enough for top-p, min-p or the draw itself.

Where they are not, and where top-k keeps more, the whole row is looked at.
"""

_SMALL_REACH: Final = 32


class Group(NamedTuple):
    """Row indices, ascending, and how many of their largest logits are looked at. Greedy rows are apart."""

    rows: list[int]
    reach: int
    greedy: bool


def groups_of(states: Sequence[SamplerState], vocab_size: int) -> list[Group]:
    """Every row in one group. Rows that need few are not held up by those that need many."""
    members = defaultdict(list)
    for row, state in enumerate(states):
        reach = _reach(state, vocab_size)
        members[reach > _SMALL_REACH, reach > OPEN_REACH, state.greedy].append((row, reach))
    return [
        Group([row for row, _ in group], max(reach for _, reach in group), greedy)
        for (*_, greedy), group in members.items()
    ]


def reads_total(state: SamplerState, vocab_size: int) -> bool:
    """Whether a draw depends on the weight of tokens that it does not look at."""
    kept = state.num_kept(vocab_size)
    return not state.greedy and kept == vocab_size > OPEN_REACH and state.sampling.min_p <= 0


def _reach(state: SamplerState, vocab_size: int) -> int:
    if state.greedy:
        return 1
    kept = state.num_kept(vocab_size)
    if kept == vocab_size:
        return min(OPEN_REACH, vocab_size)
    return kept if kept <= OPEN_REACH else vocab_size
