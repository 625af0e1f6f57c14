from __future__ import annotations

from typing import Any

import pytest

from kiln_engine.sampling.group import OPEN_REACH, Group, groups_of, reads_total
from tests.kiln_engine.sampling.answers import answer


def test_rows_of_one_group_reach_as_far_as_the_one_that_needs_most() -> None:
    states = [
        answer(top_k=5),
        answer(temperature=0.0),
        answer(top_k=20),
        answer(top_k=100),
        answer(),
        answer(top_k=OPEN_REACH + 1),
        answer(top_k=1),
    ]
    groups = [
        Group([0, 2], 20, greedy=False),
        Group([1, 6], 1, greedy=True),
        Group([3, 4], OPEN_REACH, greedy=False),
        Group([5], 1000, greedy=False),
    ]
    assert sorted(groups_of(states, 1000)) == groups


@pytest.mark.parametrize("vocab_size", [1, 2, OPEN_REACH])
def test_a_small_vocabulary_is_looked_at_as_a_whole(vocab_size: int) -> None:
    greedy, drawn = answer(temperature=0.0), answer()
    groups = [Group([0], 1, greedy=True), Group([1], vocab_size, greedy=False)]
    assert sorted(groups_of([greedy, drawn], vocab_size)) == groups
    assert not reads_total(drawn, vocab_size)


@pytest.mark.parametrize(
    ("values", "reads"),
    [({}, True), ({"top_p": 0.9}, True), ({"top_k": 500}, False), ({"min_p": 0.1}, False), ({"temperature": 0}, False)],
)
def test_reads_total(values: dict[str, Any], reads: bool) -> None:
    assert reads_total(answer(**values), 1000) is reads
