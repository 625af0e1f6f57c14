"""The random stream of seeded answers: Philox4x32-10, a counter-based generator.

A draw depends on the seed, the answer's index and the token's index alone, so it is the same in every batch and after
any interruption. The generator is that of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011).
"""

from __future__ import annotations

from typing import Final, TypeAlias

Words: TypeAlias = tuple[int, int, int, int]
"""Four unsigned 32-bit integers."""

_ROUNDS: Final = 10
_MULTIPLIERS: Final = (0xD251_1F53, 0xCD9E_8D57)
_KEY_STEPS: Final = (0x9E37_79B9, 0xBB67_AE85)
_LOW: Final = 0xFFFF_FFFF


def philox4x32(counter: Words, key: tuple[int, int]) -> Words:
    """One block of the generator; every integer is an unsigned 32-bit word."""
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        first = _MULTIPLIERS[0] * x0
        second = _MULTIPLIERS[1] * x2
        x0, x1, x2, x3 = (second >> 32) ^ x1 ^ k0, second & _LOW, (first >> 32) ^ x3 ^ k1, first & _LOW
        k0 = (k0 + _KEY_STEPS[0]) & _LOW
        k1 = (k1 + _KEY_STEPS[1]) & _LOW
    return x0, x1, x2, x3


def uniform(seed: int, token_index: int, choice: int) -> float:
    """The draw for one token of one answer: at least 0 and less than 1, with 53 random bits.

    `seed` is an unsigned 64-bit integer; both indices count from 0 and fit 32 bits.
    """
    x0, x1, _, _ = philox4x32((token_index, choice, 0, 0), (seed & _LOW, seed >> 32))
    return (x0 * 2.0**21 + (x1 >> 11)) * 2.0**-53
