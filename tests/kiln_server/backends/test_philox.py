"""The random stream, against the published known answers and a second way to the same numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.backends.philox import Words, philox4x32, uniform

# The known-answer vectors that the generator's authors publish for Philox4x32 with ten rounds.
KNOWN_ANSWERS: list[tuple[Words, tuple[int, int], Words]] = [
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


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS)
def test_known_answers(counter: Words, key: tuple[int, int], block: Words) -> None:
    assert philox4x32(counter, key) == block


@given(seeds, words, words)
def test_a_draw_is_built_from_the_first_two_words(seed: int, token_index: int, choice: int) -> None:
    first, second, _, _ = philox4x32((token_index, choice, 0, 0), (seed % 2**32, seed // 2**32))
    exact = first * 2**21 + second // 2**11
    assert exact < 2**53
    assert uniform(seed, token_index, choice) * 2**53 == exact


def test_pinned_draws() -> None:
    # All-zero counter and key: the draw follows from the first known answer by hand.
    assert uniform(0, 0, 0) == (0x6627E8D5 * 2**21 + (0xE169C58D >> 11)) / 2**53


@given(seeds, st.integers(0, 1000), st.integers(0, 63))
def test_seed_token_and_choice_all_matter(seed: int, token_index: int, choice: int) -> None:
    draw = uniform(seed, token_index, choice)
    assert draw != uniform(seed ^ 1, token_index, choice)
    assert draw != uniform(seed ^ (1 << 63), token_index, choice)
    assert draw != uniform(seed, token_index + 1, choice)
    assert draw != uniform(seed, token_index, choice + 1)
