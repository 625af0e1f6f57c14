"""What sampling knows of one answer: its values, its random stream and its tokens so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiln_engine.philox import uniforms
from kiln_server.backend import Sampling

_FIRST_CAPACITY: Final = 16


class SamplerState:
    """One answer's side of sampling. The sampler reads it; `take` says which token the answer got.

    `seed` is an unsigned 64-bit integer, `choice` the answer's index in its request.
    """

    def __init__(self, sampling: Sampling, *, seed: int, choice: int) -> None:
        self.sampling = sampling
        self.seed = seed
        self.choice = choice
        self.num_generated = 0
        self.greedy = sampling.is_greedy
        self.penalised = _has_penalties(sampling) and (sampling.penalise_greedy or not self.greedy)
        self._slots: dict[int, int] = {}
        # Arrays, kept as tokens come, because a step reads all of them and an answer has thousands.
        self._ids = np.empty(_FIRST_CAPACITY, dtype=np.int64)
        self._counts = np.empty(_FIRST_CAPACITY, dtype=np.int64)

    def take(self, token_id: int) -> None:
        """Count a token of the answer, an id of the vocabulary, forced ones included: penalties see it from now on."""
        slot = self._slots.get(token_id)
        if slot is None:
            self._append(token_id)
        else:
            self._counts[slot] += 1
        self.num_generated += 1

    def num_kept(self, vocab_size: int) -> int:
        """How many tokens top-k leaves of a vocabulary: all of them when it is off."""
        return self.sampling.top_k if 0 < self.sampling.top_k < vocab_size else vocab_size

    @property
    def counted_ids(self) -> NDArray[np.int64]:
        """The ids of the answer's tokens, each once, in order of their first coming."""
        return self._ids[: len(self._slots)]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often the answer holds each of `counted_ids`."""
        return self._counts[: len(self._slots)]

    def _append(self, token_id: int) -> None:
        slot = self._slots[token_id] = len(self._slots)
        if slot == len(self._ids):
            self._ids, self._counts = np.resize(self._ids, 2 * slot), np.resize(self._counts, 2 * slot)
        self._ids[slot], self._counts[slot] = token_id, 1


def uniforms_of(states: Sequence[SamplerState]) -> NDArray[np.float64]:
    """What each answer's next token is drawn with: [rows], at least 0 and less than 1."""
    return uniforms(
        [state.seed for state in states],
        [state.num_generated for state in states],
        [state.choice for state in states],
    )


def _has_penalties(sampling: Sampling) -> bool:
    repetition = sampling.repetition_penalty > 0 and sampling.repetition_penalty != 1
    return repetition or sampling.presence_penalty != 0 or sampling.frequency_penalty != 0
