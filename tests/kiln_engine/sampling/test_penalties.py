from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.sampling.penalties import Counted
from kiln_server.backend import Sampling
from kiln_server.backends.sampler import penalised
from tests.kiln_engine.sampling.answers import answer, state

penalties = st.floats(allow_nan=False, allow_infinity=False)
samplings = st.builds(
    Sampling,
    temperature=st.just(1.0),
    presence_penalty=penalties,
    frequency_penalty=penalties,
    repetition_penalty=penalties,
)


@settings(deadline=None)
@given(st.lists(st.tuples(samplings, st.lists(st.integers(0, 5), max_size=9)), max_size=5), st.data())
def test_equals_the_rule_for_every_token_of_every_row(
    answers: list[tuple[Sampling, list[int]]], data: st.DataObject
) -> None:
    states = [state(sampling, taken) for sampling, taken in answers]
    counted = Counted(states)
    size = len(counted.ids)
    logits = data.draw(
        st.lists(st.floats(width=32, allow_nan=False).filter(lambda x: x < math.inf), min_size=size, max_size=size)
    )
    tokens = [(row, token_id) for row, one in enumerate(states) if one.penalised for token_id in one.counted_ids]
    assert list(zip(counted.rows.tolist(), counted.ids.tolist(), strict=True)) == tokens
    expected = [
        penalised(logit, answers[row][1].count(token_id), answers[row][0]) if logit > -math.inf else -math.inf
        for (row, token_id), logit in zip(tokens, logits, strict=True)
    ]
    assert counted.penalised(np.array(logits, dtype=np.float64)).tolist() == expected


@pytest.mark.parametrize("rows", [[], [answer([1, 2])], [answer(presence_penalty=1.0)]])
def test_rows_without_penalties_or_tokens_count_none(rows: list[object]) -> None:
    assert len(Counted(rows).ids) == 0  # type: ignore[arg-type]
