"""Prompt scores against the server's plain reading of the rules, in chunks of any size, and in bounded memory."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kiln_engine.scoring import PromptScorer
from kiln_server.backend import BackendError, Candidate
from kiln_server.backends.scorer import ScoredRow

CPU = torch.device("cpu")
INF = math.inf
EIGHT = [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]


def scores(
    rows: Sequence[Sequence[float]], prompt_ids: Sequence[int], top_k: int, chunk: int = 100
) -> tuple[tuple[Candidate, ...], ...]:
    """Score a prompt whose hidden rows are its logits already."""
    hidden = torch.tensor(rows, dtype=torch.float32, device=CPU)
    scorer = PromptScorer(prompt_ids, top_k)
    for start in range(0, len(prompt_ids), chunk):
        scorer.feed(start, hidden[start : start + chunk], Tensor.clone)
    assert scorer.is_complete
    return scorer.scores().positions


def ranks(logits: list[float], observed: int, top_k: int) -> dict[int, int]:
    (candidates,) = scores([logits, logits], [0, observed], top_k)
    assert candidates[0].token_id == observed
    assert len({candidate.token_id for candidate in candidates}) == len(candidates)
    return {candidate.token_id: candidate.rank for candidate in candidates}


@st.composite
def prompts(draw: st.DrawFn) -> tuple[list[list[float]], list[int], int, int]:
    """Rows with ties and impossible tokens, a prompt, K, and a chunk size. Some rows have several blocks of ids."""
    vocab_size = draw(st.sampled_from([1, 2, 8, 63, 64, 200, 300]))
    num_tokens = draw(st.integers(1, 9))
    rng = draw(st.randoms(use_true_random=False))
    values = [rng.randrange(-40, 40) / 8 for _ in range(8)] + [-INF, 0.0, -0.0]
    rows = [[rng.choice(values) for _ in range(vocab_size)] for _ in range(num_tokens)]
    for row in rows:
        row[rng.randrange(vocab_size)] = rng.uniform(-1e3, 1e3)
    prompt_ids = [rng.randrange(vocab_size) for _ in range(num_tokens)]
    return rows, prompt_ids, draw(st.integers(0, vocab_size)), draw(st.integers(1, 9))


@settings(deadline=None)
@given(prompts())
def test_equals_the_plain_scorer(prompt: tuple[list[list[float]], list[int], int, int]) -> None:
    rows, prompt_ids, top_k, chunk = prompt
    found = scores(rows, prompt_ids, top_k, chunk)
    assert len(found) == len(prompt_ids) - 1
    exact = torch.tensor(rows, dtype=torch.float32, device=CPU).tolist()
    for row, observed, candidates in zip(exact, prompt_ids[1:], found, strict=False):
        expected = ScoredRow(row).candidates(observed, top_k)
        assert [(c.token_id, c.rank) for c in candidates] == [(c.token_id, c.rank) for c in expected]
        assert [c.logprob for c in candidates] == pytest.approx([c.logprob for c in expected], abs=1e-11)


@pytest.mark.parametrize(
    ("observed", "expected"),
    [(0, {0: 1, 1: 2}), (2, {2: 3, 0: 1, 1: 2}), (6, {6: 7, 0: 1, 1: 2})],
)
def test_the_observed_token_beside_the_top_two(observed: int, expected: dict[int, int]) -> None:
    assert ranks(EIGHT, observed, 2) == expected


def test_top_zero_is_the_observed_token_alone() -> None:
    assert ranks(EIGHT, 5, 0) == {5: 6}


def test_ties_rank_by_id_inside_and_outside_the_top() -> None:
    assert ranks([1.0, 2.0, 2.0, 1.0, 1.0], 4, 2) == {4: 5, 1: 1, 2: 2}
    # Blocks apart, more equal logits than the top has places.
    logits = [0.0] * 400
    for token_id in (399, 390, 130, 65, 64):
        logits[token_id] = 1.0
    assert ranks(logits, 390, 2) == {390: 4, 64: 1, 65: 2}


def test_only_the_observed_token_may_be_impossible() -> None:
    logits = [-INF] * 50
    logits[42], logits[7], logits[9] = 3.0, 2.0, 1.0
    assert ranks(logits, 42, 5) == {42: 1, 7: 2, 9: 3}
    (candidates,) = scores([logits, logits], [0, 31], 5)
    assert [candidate.token_id for candidate in candidates] == [31, 42, 7, 9]
    assert candidates[0].logprob == -INF
    assert candidates[0].rank == 3 + 1 + 29  # after the possible ones, and the impossible ones of lower id


@pytest.mark.parametrize(("row", "highest"), [([0.0, math.nan], "nan"), ([0.0, INF], "inf"), ([-INF, -INF], "-inf")])
@pytest.mark.parametrize("chunk", [1, 3])
def test_a_row_that_is_no_distribution_fails(row: list[float], highest: str, chunk: int) -> None:
    with pytest.raises(BackendError, match=f"the largest logit after prompt token 1 is {highest}: no probability"):
        scores([[0.0, 0.0], row, [0.0, 0.0]], [0, 1, 0], 1, chunk)


def test_the_last_row_predicts_nothing_and_is_not_looked_at() -> None:
    assert len(scores([[0.0, 0.0], [math.nan, 0.0]], [0, 1], 1)) == 1
    assert scores([[math.nan]], [0], 1) == ()


def test_complete_with_the_row_before_the_last() -> None:
    scorer = PromptScorer([0, 1, 0], 0)
    complete = []
    for start in range(3):
        scorer.feed(start, torch.zeros(1, 4, device=CPU), Tensor.clone)
        complete.append(scorer.is_complete)
    assert complete == [False, True, True]
    assert len(scorer.scores().positions) == 2


def test_missing_rows_are_refused() -> None:
    scorer = PromptScorer([0, 1, 0, 1], 0)
    scorer.feed(0, torch.zeros(1, 4, device=CPU), Tensor.clone)
    with pytest.raises(ValueError, match="from position 2 on were fed; position 1 comes next"):
        scorer.feed(2, torch.zeros(1, 4, device=CPU), Tensor.clone)


def test_rows_that_were_fed_before_change_nothing() -> None:
    rows = torch.randn(4, 4, generator=torch.Generator().manual_seed(1))
    once, again = PromptScorer([0, 1, 2, 3], 2), PromptScorer([0, 1, 2, 3], 2)
    once.feed(0, rows, Tensor.clone)
    again.feed(0, rows[:2], Tensor.clone)
    for start, stop in [(0, 1), (1, 4)]:
        again.feed(start, rows[start:stop], Tensor.clone)
    assert again.scores() == once.scores()


def test_a_large_offset_costs_no_precision() -> None:
    (candidates,) = scores([[1e15, 1e15]] * 2, [0, 0], 2)
    assert [candidate.logprob for candidate in candidates] == pytest.approx([-math.log(2)] * 2)


_PEAK = """
import resource, torch
from kiln_engine.scoring import PromptScorer
torch.set_num_threads(1)
vocab_size, num_tokens = 151_936, 600
base = torch.arange(vocab_size, dtype=torch.float32).div_(vocab_size)
scorer = PromptScorer(range(num_tokens), 20)
hidden = torch.ones(num_tokens, 1)
scorer.feed(0, hidden[:2], lambda rows: rows * base)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
scorer.feed(2, hidden[2:], lambda rows: rows * base)
assert scorer.is_complete
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is the platform's own")
def test_memory_is_bounded_whatever_the_number_of_rows() -> None:
    """600 rows of a large vocabulary are 365 MB of logits; far fewer exist at a time, and little is made of them."""
    ran = subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 256 * 2**20
