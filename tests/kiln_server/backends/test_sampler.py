"""The sampling order, against a second reading of it that takes the rules one by one."""

from __future__ import annotations

import math
from collections import Counter
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kiln_server.backend import BackendError, Sampling
from kiln_server.backends.philox import uniform
from kiln_server.backends.sampler import Draw, Sampler, filtered

INF = math.inf
CLOSE = 1e-9
"""Two readings in float64 may part where a value is this close to a border."""


def draw(logits: list[float], taken: tuple[int, ...] = (), *, seed: int = 0, choice: int = 0, **values: Any) -> Draw:
    """The draw of the step after the tokens already taken."""
    sampler = Sampler(Sampling(**{"temperature": 1.0, **values}), seed=seed, choice=choice)
    for token_id in taken:
        sampler.take(token_id)
    return sampler.draw(logits, len(taken))


def kept(logits: list[float], **values: Any) -> dict[int, float]:
    """The final distribution, in order of its candidates."""
    return {index: -weight for weight, index in filtered(logits, Sampling(**{"temperature": 1.0, **values}))}


def reference(logits: list[float], taken: tuple[int, ...], sampling: Sampling) -> list[tuple[int, float]]:
    """The distribution by the rules. Gives up, with `assume`, where rounding could decide."""
    row = list(logits)
    for index, count in Counter(taken).items():
        if sampling.repetition_penalty > 0:
            divide = row[index] > 0
            row[index] *= 1 / sampling.repetition_penalty if divide else sampling.repetition_penalty
        row[index] -= sampling.presence_penalty
        row[index] -= sampling.frequency_penalty * count
    row = [logit / sampling.temperature for logit in row]
    ids = sorted(range(len(row)), key=lambda index: (-row[index], index))
    assume(all(row[a] == row[b] or row[a] - row[b] > CLOSE for a, b in pairwise(ids)))
    if 0 < sampling.top_k < len(ids):
        ids = ids[: sampling.top_k]
    chances = normalised([(index, math.exp(row[index] - row[ids[0]])) for index in ids])
    if sampling.min_p > 0:
        least = min(sampling.min_p, 1) * chances[0][1]
        assume(sampling.min_p >= 1 or all(abs(p - least) > CLOSE for _, p in chances))
        chances = normalised([(index, p) for index, p in chances if p >= least])
    if 0 < sampling.top_p < 1:
        sums = list(accumulate(p for _, p in chances))
        assume(all(abs(total - sampling.top_p) > CLOSE for total in sums))
        chances = normalised(chances[: 1 + sum(total < sampling.top_p for total in sums)])
    return chances


def normalised(chances: list[tuple[int, float]]) -> list[tuple[int, float]]:
    total = sum(p for _, p in chances)
    return [(index, p / total) for index, p in chances]


samplings = st.builds(
    Sampling,
    temperature=st.floats(0.1, 3),
    top_p=st.sampled_from([0.0, 0.3, 0.77, 1.0, 2.0]),
    top_k=st.sampled_from([0, 2, 3, 5, 100]),
    min_p=st.sampled_from([-1.0, 0.0, 0.11, 0.9, 7.0]),
    presence_penalty=st.sampled_from([0.0, 0.5, -0.7]),
    frequency_penalty=st.sampled_from([0.0, 0.3, -0.2]),
    repetition_penalty=st.sampled_from([1.0, 1.3, 0.6, 0.0, -2.0]),
)
# Steps of 1/8, so that ties are common, and exact in both readings.
rows = st.lists(st.integers(-40, 40).map(lambda n: n / 8), min_size=2, max_size=12)


@given(rows, samplings, st.integers(0, 2**64 - 1), st.data())
def test_equals_the_rules_read_one_by_one(logits: list[float], sampling: Sampling, seed: int, data: Any) -> None:
    taken = tuple(data.draw(st.lists(st.integers(0, len(logits) - 1), max_size=4)))
    chances = reference(logits, taken, sampling)
    borders = list(accumulate(p for _, p in chances))
    threshold = uniform(seed, len(taken), 3)
    assume(all(abs(border - threshold) > CLOSE for border in borders))
    index, p = chances[sum(border < threshold for border in borders)]
    sampler = Sampler(sampling, seed=seed, choice=3)
    for token_id in taken:
        sampler.take(token_id)
    drawn = sampler.draw(logits, len(taken))
    assert drawn.token_id == index
    assert drawn.logprob == pytest.approx(math.log(p), abs=1e-9)


# Filters


def test_top_k_keeps_exactly_k_and_ties_go_to_the_lower_id() -> None:
    assert list(kept([1, 2, 2, 2, 0], top_k=2)) == [1, 2]
    assert list(kept([2, 1, 1, 1, 1], top_k=3)) == [0, 1, 2]


@pytest.mark.parametrize("off", [{}, {"top_k": 0}, {"top_k": 3}, {"top_k": 9}, {"top_p": 1.0}, {"top_p": 0.0}])
@pytest.mark.parametrize("more", [{"min_p": 0.0}, {"min_p": -3.0}, {"top_p": -1.0}, {"top_p": 7.0}])
def test_values_that_switch_a_filter_off(off: dict[str, Any], more: dict[str, Any]) -> None:
    assert kept([0, 0, 0], **(off | more)) == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


def test_top_p_keeps_the_token_that_crosses_and_the_lower_id_of_a_tie() -> None:
    quarters = [0.0, 0.0, 0.0, 0.0]
    assert kept(quarters, top_p=0.25) == {0: 1.0}
    assert kept(quarters, top_p=0.26) == {0: 0.5, 1: 0.5}
    assert list(kept(quarters, top_p=0.75)) == [0, 1, 2]


def test_min_p_is_relative_to_the_likeliest_and_keeps_what_equals_it() -> None:
    halves = [math.log(4), math.log(2), math.log(2), math.log(1)]
    assert list(kept(halves, min_p=0.5 - CLOSE)) == [0, 1, 2]
    assert list(kept(halves, min_p=0.5 + CLOSE)) == [0]
    assert list(kept([3, 3, 1], min_p=1.0)) == list(kept([3, 3, 1], min_p=50.0)) == [0, 1]


def test_top_p_is_applied_to_what_min_p_left() -> None:
    logits = [math.log(6), math.log(3), math.log(1)]
    # Of all three the likeliest has 0.6; of the two that min-p leaves it has 2/3.
    assert list(kept(logits, top_p=0.65)) == [0, 1]
    assert list(kept(logits, top_p=0.65, min_p=0.4)) == [0]


def test_equal_probabilities_go_by_id_even_where_logits_differ() -> None:
    # At this temperature both scaled logits underflow to probability 1: the lower id comes first.
    assert list(kept([1.0, 1.0 + 1e-15], temperature=1e10)) == [0, 1]


# Greedy


@pytest.mark.parametrize("temperature", [0.0, -1.0, 9e-6, -1e308])
@pytest.mark.parametrize("more", [{}, {"top_p": 0.9}, {"top_k": 2}, {"min_p": 0.5}])
def test_temperature_zero_is_argmax_with_ties_to_the_lower_id(temperature: float, more: dict[str, Any]) -> None:
    for seed in range(20):
        assert draw([-1.0, 2.5, 2.5, 0.0], temperature=temperature, seed=seed, **more) == Draw(1, 0.0)


def test_top_k_one_is_greedy_and_1e5_is_not() -> None:
    assert draw([0.0, 0.0], top_k=1) == Draw(0, 0.0)
    assert {draw([0.0, 0.0], temperature=1e-5, seed=seed).token_id for seed in range(20)} == {0, 1}


@pytest.mark.parametrize(
    "penalty", [{"presence_penalty": 1.0}, {"frequency_penalty": 1.0}, {"repetition_penalty": 2.0}]
)
def test_penalties_count_generated_tokens_and_reach_greedy_when_the_request_set_them(penalty: dict[str, float]) -> None:
    logits = [0, 0, 0, 0, 0, 2.0, 1.5, 0]
    assert draw(logits, temperature=0, penalise_greedy=True, **penalty).token_id == 5
    assert draw(logits, (5,), temperature=0, penalise_greedy=True, **penalty).token_id == 6
    assert draw(logits, (5,), temperature=0, **penalty).token_id == 5


def test_a_choice_of_one_is_greedy_and_so_without_the_penalties_of_a_preset() -> None:
    assert draw([2.0, 1.5], (0,), top_k=1, presence_penalty=1.0).token_id == 0
    assert draw([2.0, 1.5], (0,), top_k=1, presence_penalty=1.0, penalise_greedy=True).token_id == 1


def test_repetition_multiplies_a_logit_that_is_not_positive() -> None:
    assert draw([-1.0, -1.5], (0,), temperature=0, repetition_penalty=2.0, penalise_greedy=True).token_id == 1
    assert draw([0.0, -0.5], (0,), temperature=0, repetition_penalty=9.0, penalise_greedy=True).token_id == 0


def test_frequency_counts_and_presence_does_not() -> None:
    greedy = {"temperature": 0.0, "penalise_greedy": True}
    assert draw([2.0, 0.5], (0, 0), frequency_penalty=1.0, **greedy).token_id == 1
    assert draw([2.0, 0.5], (0,), frequency_penalty=1.0, **greedy).token_id == 0
    assert draw([2.0, 0.5], (0, 0), presence_penalty=1.0, **greedy).token_id == 0


# Extremes


def test_masked_tokens_are_never_drawn_nor_revived_by_a_penalty() -> None:
    logits = [-INF, 0.0, -INF]
    taken = (0, 2)
    for seed in range(50):
        assert draw(logits, taken, seed=seed, presence_penalty=-1e308, repetition_penalty=1e-308).token_id == 1
        assert draw(logits, taken, seed=seed, presence_penalty=1.0, temperature=1e308).token_id == 1


@given(
    st.lists(st.sampled_from([-INF, -1e308, -1.0, 0.0, 1e-300, 1.0, 1e308]), min_size=1, max_size=6),
    st.builds(
        Sampling,
        **{
            name: st.sampled_from([-1e308, -1.0, 0.0, 5e-324, 1e-5, 0.5, 1.0, 1e308])
            for name in (
                "temperature",
                "top_p",
                "min_p",
                "presence_penalty",
                "frequency_penalty",
                "repetition_penalty",
            )
        },
        top_k=st.sampled_from([0, 1, 2, 2**63]),
        penalise_greedy=st.booleans(),
    ),
    st.integers(0, 2**64 - 1),
)
def test_any_finite_values_give_a_possible_token(logits: list[float], sampling: Sampling, seed: int) -> None:
    assume(max(logits) > -INF)
    sampler = Sampler(sampling, seed=seed, choice=0)
    for step in range(4):
        token_id, logprob = sampler.draw(logits, step)
        assert logits[token_id] > -INF
        assert -INF < logprob <= 1e-12
        sampler.take(token_id)


@pytest.mark.parametrize("broken", [[0.0, math.nan], [INF, 0.0]])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_distribution(broken: list[float], temperature: float) -> None:
    with pytest.raises(BackendError, match=r"the logit of token \d is (nan|inf)"):
        draw(broken, temperature=temperature)
    with pytest.raises(BackendError, match="every logit is -inf"):
        draw([-INF, -INF], temperature=temperature)


# Draws


def test_draws_follow_the_distribution() -> None:
    logits = [math.log(p) for p in (0.1, 0.2, 0.3, 0.4)]
    num_draws = 4000
    sampler = Sampler(Sampling(temperature=1.0), seed=7, choice=0)
    counts = Counter(sampler.draw(logits, step).token_id for step in range(num_draws))
    expected = [num_draws * p for p in (0.1, 0.2, 0.3, 0.4)]
    chi_square = sum((counts[index] - e) ** 2 / e for index, e in enumerate(expected))
    assert chi_square < 16.27  # three degrees of freedom, one chance in a thousand


@pytest.mark.parametrize(
    ("seed", "choice", "tokens"),
    [(42, 0, [156, 252, 211, 186, 83, 80, 57, 91]), (2**64 - 1, 5, [161, 130, 160, 199, 2, 108, 70, 152])],
)
def test_pinned_tokens(seed: int, choice: int, tokens: list[int]) -> None:
    """The stream of a seed is part of the contract: it may never change."""
    sampler = Sampler(Sampling(temperature=1.0), seed=seed, choice=choice)
    # 256 equally likely tokens: each is the top eight bits of its draw.
    assert [sampler.draw([0.0] * 256, step).token_id for step in range(8)] == tokens


def test_seed_and_choice_decide() -> None:
    logits = [0.0] * 256
    assert draw(logits, seed=1) == draw(logits, seed=1)
    assert draw(logits, seed=1) != draw(logits, seed=2)
    assert draw(logits, seed=1) != draw(logits, seed=1, choice=1)
