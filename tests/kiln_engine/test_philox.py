"""The random stream, against the published known answers and the server's own generator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiln_engine.philox import philox4x32, uniforms
from kiln_server.backends import philox as scalar

# The known-answer vectors that the generator's authors publish for Philox4x32 with ten rounds.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]

seeds = st.integers(0, 2**64 - 1)
words = st.integers(0, 2**32 - 1)


def test_known_answers_side_by_side() -> None:
    counters, keys, blocks = (np.array(part, dtype=np.uint64).T for part in zip(*KNOWN_ANSWERS, strict=True))
    assert np.array_equal(philox4x32(counters, keys), blocks)


@settings(deadline=None)
@given(st.lists(st.tuples(seeds, words, words), min_size=1, max_size=70))
def test_equals_the_scalar_generator_in_every_row(rows: list[tuple[int, int, int]]) -> None:
    expected = [scalar.uniform(seed, token_index, choice) for seed, token_index, choice in rows]
    assert uniforms(*zip(*rows, strict=True)).tolist() == expected


@pytest.mark.parametrize(
    ("seed", "choice", "draws"),
    [
        (0, 0, ["0x1.989fa35785a70p-2", "0x1.f1c99948b9640p-1", "0x1.3ea8ca5471cc0p-6"]),
        (42, 0, ["0x1.39d5e0a6efea9p-1", "0x1.f9b6424ea774dp-1", "0x1.a6d8044b510ebp-1"]),
        (2**64 - 1, 5, ["0x1.43bf6a900641cp-1", "0x1.05916fdfb117bp-1", "0x1.40b9b7917353dp-1"]),
    ],
)
def test_pinned_draws(seed: int, choice: int, draws: list[str]) -> None:
    """The stream of a seed is part of the contract: it may never change."""
    indices = range(len(draws))
    assert [draw.hex() for draw in uniforms([seed] * len(draws), indices, [choice] * len(draws)).tolist()] == draws
