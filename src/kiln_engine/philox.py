"""The random stream of seeded answers: Philox4x32-10, many draws at once.

A draw depends on the seed, the answer's index and the token's index alone, so it is the same in every batch and after
any interruption. The generator is that of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011). It runs on the host: a step draws one number a row, and 64 of them cost less than a kernel launch or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ROUNDS: Final = 10
_LOW: Final = np.uint64(0xFFFF_FFFF)
_WORD_BITS: Final = np.uint64(32)
_DROPPED_BITS: Final = np.uint64(11)
# Each round multiplies the words 0 and 2, and xors the words 3 and 1 with the high halves: two lanes, crosswise.
_MULTIPLIERS: Final = np.array([[0xD251_1F53], [0xCD9E_8D57]], dtype=np.uint64)
_KEY_STEPS: Final = np.array([[0x9E37_79B9], [0xBB67_AE85]], dtype=np.uint64)
_ROUND_KEYS: Final = np.arange(_ROUNDS, dtype=np.uint64)[:, None, None] * _KEY_STEPS
"""What is added to the key in each round: [rounds, 2, 1]."""


def philox4x32(counters: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One block of the generator for each column: counters [4, n] and keys [2, n] give words [4, n].

    Every element is an unsigned 32-bit word in a 64-bit element.
    """
    multiplied, mixed = counters[0::2], counters[1::2]
    for round_key in (keys + _ROUND_KEYS) & _LOW:
        products = multiplied * _MULTIPLIERS
        multiplied = (products[::-1] >> _WORD_BITS) ^ mixed ^ round_key
        mixed = products[::-1] & _LOW
    return np.stack((multiplied, mixed), axis=1).reshape(4, -1)


def uniforms(seeds: Sequence[int], token_indices: Sequence[int], choices: Sequence[int]) -> NDArray[np.float64]:
    """The draw of each row for one token of one answer: at least 0 and less than 1, with 53 random bits.

    A seed is an unsigned 64-bit integer; both indices count from 0 and fit 32 bits.
    """
    seed = np.array(seeds, dtype=np.uint64)
    counters = np.zeros((4, len(seed)), dtype=np.uint64)
    counters[0] = token_indices
    counters[1] = choices
    first, second, _, _ = philox4x32(counters, np.stack((seed & _LOW, seed >> _WORD_BITS)))
    draws: NDArray[np.float64] = (first * 2.0**21 + (second >> _DROPPED_BITS)) * 2.0**-53
    return draws
