"""The sampler against the rules, and against itself in other company."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kiln_engine.philox import uniforms
from kiln_engine.sampling import Draw, SamplerState
from kiln_server.backend import BackendError, Sampling
from tests.kiln_engine.sampling.answers import (
    CPU,
    answer,
    draw,
    draw_one,
    near_borders,
    plain_draw,
    sampler_of,
    state,
    tensor,
)

INF = math.inf

samplings = st.builds(
    Sampling,
    temperature=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.7]) | st.floats(1e-3, 50),
    top_p=st.sampled_from([0.0, 0.3, 0.77, 0.95, 1.0, 2.0]),
    top_k=st.sampled_from([0, 1, 2, 3, 5, 20, 100, 300]),
    min_p=st.sampled_from([-1.0, 0.0, 0.05, 0.11, 0.9, 7.0]),
    presence_penalty=st.sampled_from([0.0, 1.5, -0.7]),
    frequency_penalty=st.sampled_from([0.0, 0.3, -0.2]),
    repetition_penalty=st.sampled_from([1.0, 1.3, 0.6, 0.0, -2.0]),
    penalise_greedy=st.booleans(),
)
seeds = st.integers(0, 2**64 - 1)
# Steps of 1/8 make ties common; zero of either sign, and -inf, are among them.
ties = st.integers(-40, 40).map(lambda n: n / 8) | st.sampled_from([-0.0, -INF])
any_logits = st.floats(-60, 60, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)
short_rows = st.lists(ties | any_logits, min_size=1, max_size=12).filter(lambda row: max(row) > -INF)


def assert_follows_the_rules(logits: list[float], one: SamplerState, drawn: Draw | BackendError) -> None:
    assert isinstance(drawn, Draw)
    expected = plain_draw(logits, one)
    if drawn.token_id == expected.token_id:
        assert drawn.logprob == pytest.approx(expected.logprob, abs=1e-11)
    else:
        assert drawn.token_id in near_borders(logits, one)


@settings(deadline=None)
@given(short_rows, samplings, seeds, st.data())
def test_short_rows_follow_the_rules(logits: list[float], sampling: Sampling, seed: int, data: st.DataObject) -> None:
    taken = data.draw(st.lists(st.integers(0, len(logits) - 1), max_size=6))
    one = state(sampling, taken, seed=seed, choice=3)
    assert_follows_the_rules(logits, one, draw_one(logits, one))


@st.composite
def long_rows(draw_value: st.DrawFn) -> Tensor:
    """One row, longer than a block, peaked or flat, with or without ties; its last block is short or full."""
    size = draw_value(st.sampled_from([63, 64, 65, 200, 256, 257, 320, 1000, 1500]))
    row = torch.from_numpy(np.random.default_rng(draw_value(st.integers(0, 2**32))).normal(size=size)).float()
    row *= draw_value(st.sampled_from([0.0, 0.5, 3.0, 12.0]))
    return row.bfloat16().float() if draw_value(st.booleans()) else row


@settings(deadline=None)
@given(long_rows(), samplings, seeds, st.randoms(use_true_random=False), st.integers(0, 400))
def test_long_rows_follow_the_rules(
    row: Tensor, sampling: Sampling, seed: int, rng: random.Random, num_taken: int
) -> None:
    taken = [int(rng.triangular(0, len(row) - 1, 0)) for _ in range(num_taken)]
    one = state(sampling, taken, seed=seed)
    (drawn,) = draw(row[None].clone(), [one])
    assert_follows_the_rules(row.tolist(), one, drawn)


def test_penalties_that_lift_a_token_bring_it_in() -> None:
    """Rewarded tokens compete with the largest of all the others, wherever their own logits lie."""
    logits = torch.linspace(0, -20, 2000, device=CPU)[None]
    one = answer([1999, 1999, 7], top_k=3, presence_penalty=-50.0, seed=3)
    (drawn,) = draw(logits, [one])
    assert isinstance(drawn, Draw)
    assert drawn.token_id == 7  # lifted above all, from a place behind the first block's best
    assert_follows_the_rules(logits[0].tolist(), one, drawn)


@pytest.mark.parametrize("top_p", [1.0, 0.9, 0.5])
@pytest.mark.parametrize("presence", [0.5, -3.0])
def test_penalised_tokens_weigh_in_a_row_that_is_not_bounded(top_p: float, presence: float) -> None:
    logits = torch.linspace(0, -40, 1000, device=CPU)[None]
    for seed in range(30):
        one = answer(range(20), seed=seed, top_p=top_p, presence_penalty=presence)
        (drawn,) = draw(logits, [one])
        assert_follows_the_rules(logits[0].tolist(), one, drawn)


@pytest.mark.parametrize("values", [{"min_p": 0.1}, {"min_p": 0.1, "top_p": 0.9}, {"top_k": 700}, {"top_p": 0.8}, {}])
def test_a_flat_row_is_looked_at_as_a_whole(values: dict[str, Any]) -> None:
    logits = torch.linspace(0, -4, 1000, device=CPU)[None]
    for seed in range(30):
        one = state(Sampling(**{"temperature": 1.0, **values}), seed=seed)
        (drawn,) = draw(logits, [one])
        assert_follows_the_rules(logits[0].tolist(), one, drawn)


def test_a_penalised_token_ties_with_others_by_its_id() -> None:
    logits = torch.zeros(1, 1000, device=CPU)
    logits[0, 3] = 1.0
    greedy = answer([3], temperature=0.0, presence_penalty=1.0, penalise_greedy=True)
    assert draw(logits, [greedy]) == [Draw(0, 0.0)]
    greedy.take(0)
    greedy.take(1)
    greedy.take(2)
    logits[0, :3] = 1.0
    assert draw(logits, [greedy]) == [Draw(0, 0.0)]
    pairs = [draw(logits, [answer([1, 2, 3], top_k=3, presence_penalty=1.0, seed=seed)])[0] for seed in range(30)]
    assert {drawn.token_id for drawn in pairs if isinstance(drawn, Draw)} == {0, 1, 2}


# Company


def crowd(rng: random.Random, vocab_size: int, size: int) -> list[SamplerState]:
    """Answers of every kind: greedy and not, each filter, with penalties and without, seeded apart."""
    kinds: list[dict[str, Any]] = [
        {"temperature": 0.0},
        {"temperature": 0.0, "presence_penalty": 1.0, "penalise_greedy": True},
        {"top_k": 20, "top_p": 0.95, "presence_penalty": 1.5},
        {"temperature": 0.6, "top_k": 300},
        {"temperature": 0.8, "top_p": 0.8},
        {"temperature": 1.0},
        {"temperature": 2.0, "min_p": 0.02, "frequency_penalty": 0.4},
        {"temperature": 0.3, "repetition_penalty": 1.2, "top_p": 0.99},
    ]
    made = [answer(seed=rng.getrandbits(64), choice=row % 5, **kinds[row % len(kinds)]) for row in range(size)]
    for one in made:
        for _ in range(rng.randrange(40)):
            one.take(rng.randrange(vocab_size))
    return made


@pytest.mark.parametrize("vocab_size", [50, 1000, 2048])
def test_a_row_is_the_same_to_the_bit_in_any_company(vocab_size: int) -> None:
    rng = random.Random(vocab_size)  # noqa: S311 - chooses cases
    states = crowd(rng, vocab_size, 64)
    logits = torch.randn(64, vocab_size, generator=torch.Generator().manual_seed(1), device=CPU) * 2.5
    alone = [draw(logits[row : row + 1], [one])[0] for row, one in enumerate(states)]
    streams = [uniforms([one.seed], [one.num_generated], [one.choice]).item() for one in states]
    for size in (2, 3, 7, 8, 31, 64, 64):
        rows = rng.sample(range(64), size)
        assert draw(logits[rows], [states[row] for row in rows]) == [alone[row] for row in rows]
        together = [states[row] for row in rows]
        drawn = uniforms([s.seed for s in together], [s.num_generated for s in together], [s.choice for s in together])
        assert drawn.tolist() == [streams[row] for row in rows]


@pytest.mark.parametrize("others", ["4 of B after A", "4 of B before A", "7 others with seeds"])
def test_a_seeded_answer_does_not_notice_its_neighbours(others: str) -> None:
    logits = torch.randn(16, 300, generator=torch.Generator().manual_seed(5), device=CPU)

    def run(neighbours: list[SamplerState], place: int) -> list[list[int]]:
        states = [*neighbours[:place], answer(seed=42, temperature=0.8), *neighbours[place:]]
        tokens: list[list[int]] = [[] for _ in states]
        for step in logits:
            for one, own, drawn in zip(states, tokens, draw(step.repeat(len(states), 1), states), strict=True):
                assert isinstance(drawn, Draw)
                one.take(drawn.token_id)
                own.append(drawn.token_id)
        return tokens

    (alone,) = run([], 0)
    entropy = random.SystemRandom()
    count, place = {"4 of B after A": (4, 0), "4 of B before A": (4, 4), "7 others with seeds": (7, 3)}[others]
    runs = [run([answer(seed=entropy.getrandbits(64), temperature=0.8) for _ in range(count)], place) for _ in "ab"]
    assert [tokens[place] for tokens in runs] == [alone, alone]
    assert [tokens for tokens in runs[0] if tokens != alone] != [tokens for tokens in runs[1] if tokens != alone]
    twins = run([answer(seed=42, temperature=0.8)], 1)
    assert twins == [alone, alone]


# Greedy


@pytest.mark.parametrize("more", [{}, {"top_p": 0.9}, {"top_k": 2}, {"min_p": 0.5}, {"temperature": -3.0}])
@pytest.mark.parametrize("place", [0, 1])
def test_temperature_zero_is_argmax_beside_any_row(more: dict[str, Any], place: int) -> None:
    logits = tensor([[-1.0, 2.5, 2.5, 0.0]])
    for seed in range(20):
        states = [answer(seed=seed, temperature=1.0)]
        states.insert(place, answer(seed=seed, **{"temperature": 0.0, **more}))
        assert draw(logits.repeat(2, 1), states)[place] == Draw(1, 0.0)
        assert draw(logits, [states[place]]) == [Draw(1, 0.0)]


def test_the_first_of_equal_maxima_wins_across_blocks() -> None:
    logits = torch.zeros(3, 700, device=CPU)
    logits[0, [690, 300, 299, 64]] = 1.0
    logits[1, [699, 65]] = 1.0
    logits[2] = -0.0
    logits[2, 500] = 0.0
    assert draw(logits, [answer(temperature=0.0)] * 3) == [Draw(64, 0.0), Draw(65, 0.0), Draw(0, 0.0)]


def test_a_choice_of_one_is_greedy_and_1e5_is_not() -> None:
    assert draw_one([0.0, 0.0], answer(top_k=1)) == Draw(0, 0.0)
    assert {draw_one([0.0, 0.0], answer(temperature=1e-5, seed=seed)).token_id for seed in range(20)} == {0, 1}


# Penalties


@pytest.mark.parametrize(
    "penalty", [{"presence_penalty": 1.0}, {"frequency_penalty": 1.0}, {"repetition_penalty": 2.0}]
)
@pytest.mark.parametrize("neighbours", [0, 3])
def test_penalties_count_the_answers_own_tokens(penalty: dict[str, Any], neighbours: int) -> None:
    logits = tensor([[0, 0, 0, 0, 0, 2.0, 1.5, 0]] * (2 + neighbours))
    asked = answer(temperature=0.0, penalise_greedy=True, **penalty)
    preset = answer(temperature=0.0, **penalty)
    states = [asked, preset, *[answer([6, 6, 6], temperature=0.0, **penalty) for _ in range(neighbours)]]
    tokens = []
    for _ in range(2):
        drawn = [one.token_id for one in draw(logits, states) if isinstance(one, Draw)]
        tokens.append(drawn[:2])
        for one, token_id in zip(states, drawn, strict=True):
            one.take(token_id)
    assert tokens == [[5, 5], [6, 5]]


def test_logits_come_back_as_they_were() -> None:
    logits = torch.randn(5, 333, generator=torch.Generator().manual_seed(0), device=CPU)
    before = logits.clone()
    states = [answer(range(row, 40), top_k=row, presence_penalty=1.0) for row in range(5)]
    draw(logits, states, masked_ids=[0, 20, 332])
    assert torch.equal(logits, before)


# Rows that are special


def test_masked_ids_are_never_drawn_nor_asked_for_their_logits() -> None:
    logits = tensor([[9.0, 0.0, INF, math.nan, 0.5]])
    for seed in range(20):
        for one in (answer(seed=seed), answer(temperature=0.0), answer([0, 2], presence_penalty=-9.0, seed=seed)):
            (drawn,) = draw(logits, [one], masked_ids=[0, 2, 3])
            assert isinstance(drawn, Draw)
            assert drawn.token_id in (1, 4)


def test_minus_infinity_is_not_revived_by_a_penalty() -> None:
    for seed in range(20):
        one = answer([0, 2], seed=seed, presence_penalty=-1e308, repetition_penalty=1e-308)
        assert draw_one([-INF, 0.0, -INF], one).token_id == 1


@pytest.mark.parametrize("values", [{"temperature": 0.0}, {"temperature": 1.0}, {"top_k": 2}])
@pytest.mark.parametrize("taken", [(), (0, 1, 2)])
def test_a_broken_row_fails_alone(values: dict[str, Any], taken: tuple[int, ...]) -> None:
    logits = tensor([[0.0, 4.0, 1.0], [0.0, math.nan, 1.0], [INF, 0.0, 1.0], [-INF] * 3, [0.0, 4.0, 1.0]])
    states = [answer(taken, presence_penalty=1.0, penalise_greedy=True, **values) for _ in range(5)]
    first, nan, infinite, nothing, last = draw(logits, states)
    assert isinstance(first, Draw)
    assert first == last == draw(logits[:1], states[:1])[0]
    assert str(nan) == "the logit of token 1 is nan: no probability follows from it"
    assert str(infinite) == "the logit of token 0 is inf: no probability follows from it"
    assert str(nothing) == "every logit is -inf: no token is possible"
    assert all(isinstance(error, BackendError) for error in (nan, infinite, nothing))


def test_an_error_names_no_masked_token() -> None:
    logits = tensor([[math.nan, 0.0, INF], [math.nan, -INF, -INF]])
    infinite, nothing = draw(logits, [answer(), answer()], masked_ids=[0])
    assert str(infinite) == "the logit of token 2 is inf: no probability follows from it"
    assert str(nothing) == "every logit is -inf: no token is possible"


extremes = st.sampled_from([-1e308, -1.0, 0.0, 5e-324, 1e-5, 0.5, 1.0, 1e308])


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([-INF, -3e38, -1.0, 0.0, 1e-44, 1.0, 3e38]), min_size=1, max_size=6),
    st.builds(
        Sampling,
        temperature=extremes,
        top_p=extremes,
        min_p=extremes,
        presence_penalty=extremes,
        frequency_penalty=extremes,
        repetition_penalty=extremes,
        top_k=st.sampled_from([0, 1, 2, 2**63]),
        penalise_greedy=st.booleans(),
    ),
    seeds,
)
def test_any_finite_values_give_a_possible_token(logits: list[float], sampling: Sampling, seed: int) -> None:
    if max(logits) == -INF:
        return
    one = state(sampling, seed=seed)
    for _ in range(4):
        token_id, logprob = draw_one(logits, one)
        assert logits[token_id] > -INF
        assert logprob is not None
        assert -INF < logprob <= 1e-12
        one.take(token_id)


# The call


def test_log_probabilities_only_when_asked_for() -> None:
    logits = torch.zeros(3, 4, device=CPU)
    sampler = sampler_of(4)
    states = [answer(seed=1), answer(seed=1), answer(temperature=0.0)]
    asked, not_asked, greedy = sampler.draw(logits, states, logprobs=[True, False, False])
    assert isinstance(asked, Draw)
    assert isinstance(not_asked, Draw)
    assert asked.logprob == pytest.approx(-math.log(4))
    assert not_asked == Draw(asked.token_id, None)
    assert greedy == Draw(0, None)


def test_no_rows() -> None:
    assert draw(torch.zeros(0, 4, device=CPU), []) == []


@pytest.mark.parametrize(
    "logits", [torch.zeros(2, 4), torch.zeros(1, 5), torch.zeros(1, 4, dtype=torch.float64)], ids=str
)
def test_logits_of_another_shape_are_refused(logits: Tensor) -> None:
    with pytest.raises(ValueError, match=r"need \[1, 4\] torch.float32"):
        sampler_of(4).draw(logits, [answer()], logprobs=[True])


@pytest.mark.parametrize(
    ("seed", "choice", "tokens"),
    [(42, 0, [156, 252, 211, 186, 83, 80, 57, 91]), (2**64 - 1, 5, [161, 130, 160, 199, 2, 108, 70, 152])],
)
def test_pinned_tokens(seed: int, choice: int, tokens: list[int]) -> None:
    """The stream of a seed is part of the contract: it may never change."""
    one = answer(seed=seed, choice=choice)
    drawn = []
    for _ in tokens:
        # 256 equally likely tokens: each is the top eight bits of its draw.
        drawn.append(draw_one([0.0] * 256, one).token_id)
        one.take(0)
    assert drawn == tokens


@pytest.mark.parametrize("top_p", [1.0, 0.4])
def test_tokens_that_weigh_the_same_go_by_id_however_many_there_are(top_p: float) -> None:
    # The likeliest tokens have the highest ids, and at this temperature no more weight than any other.
    logits = torch.linspace(-1, 0, 1000, device=CPU)[None]
    for seed in range(20):
        one = answer(seed=seed, temperature=1e300, top_p=top_p)
        (drawn,) = draw(logits, [one])
        assert_follows_the_rules(logits[0].tolist(), one, drawn)
