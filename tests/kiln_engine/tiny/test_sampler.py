"""Drawing tokens."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from kiln_engine.tiny.sampler import GENERAL, GREEDY, WITH_TOOLS, Sampling, draw
from kiln_server.presets import FALLBACK, PRESETS, TOOLS

NOTHING = torch.zeros(1, 6, dtype=torch.bool)
LOGITS = torch.tensor([[2.0, 1.0, 0.0, -1.0, -2.0, -3.0]])


def drawn(
    sampling: Sampling, logits: torch.Tensor = LOGITS, seen: torch.Tensor = NOTHING, size: int = 2000
) -> torch.Tensor:
    """How often each token is drawn, as a share."""
    rows = logits.expand(size, -1)
    ids = draw(rows, seen.expand(size, -1), sampling, torch.Generator().manual_seed(0))
    return torch.bincount(ids, minlength=logits.shape[1]) / size


def test_the_values_are_the_servers() -> None:
    for ours, name in ((GENERAL, FALLBACK), (WITH_TOOLS, TOOLS)):
        preset = PRESETS[name]
        assert ours == (preset.temperature, preset.top_p, preset.top_k, preset.presence_penalty)
        assert (preset.min_p, preset.frequency_penalty, preset.repetition_penalty) == (0, 0, 1)


def test_greedy_takes_the_likeliest_even_when_it_was_seen() -> None:
    assert drawn(GREEDY, seen=~NOTHING)[0] == 1


def test_draws_follow_the_distribution() -> None:
    torch.testing.assert_close(drawn(Sampling(1.0)), LOGITS.softmax(-1)[0], rtol=0, atol=0.04)


def test_the_penalty_lowers_what_was_seen() -> None:
    seen = torch.tensor([[True, False, False, False, False, False]])
    expected = (LOGITS - 1.5 * seen).softmax(-1)[0]
    torch.testing.assert_close(drawn(Sampling(1.0, presence_penalty=1.5), seen=seen), expected, rtol=0, atol=0.04)


@given(st.integers(1, 6))
def test_top_k_keeps_k(k: int) -> None:
    assert (drawn(Sampling(5.0, top_k=k)) > 0).tolist() == [index < k for index in range(6)]


@given(st.floats(0.05, 0.99))
def test_top_p_keeps_the_shortest_prefix(top_p: float) -> None:
    sums = LOGITS.softmax(-1)[0].cumsum(0)
    kept = int((sums < top_p).sum()) + 1
    shares = drawn(Sampling(1.0, top_p=top_p), size=200)
    assert shares[kept:].sum() == 0
    assert shares[:1] > 0
