"""Log-probabilities and ranks of a prompt's own tokens, read from logits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from kiln_server.backend import Candidate
from kiln_server.backends.sampler import require_distribution


class ScoredRow:
    """One row of logits over the whole vocabulary, ready to be asked about any token.

    Raises BackendError for NaN, +inf, and a row of nothing but -inf.
    """

    def __init__(self, logits: Sequence[float]) -> None:
        require_distribution(logits)
        self._logits = logits
        self._order = sorted(range(len(logits)), key=lambda token_id: (-logits[token_id], token_id))
        self._highest = logits[self._order[0]]
        self._log_total = math.log(math.fsum(math.exp(logit - self._highest) for logit in logits))

    def candidates(self, observed: int, top_k: int) -> tuple[Candidate, ...]:
        """The observed token, then the `top_k` likeliest others in rank order, each token once.

        Tokens of probability zero are left out; the observed one is always there, with -inf as its logprob then.
        """
        others = (token_id for token_id in self._order[:top_k] if token_id != observed)
        possible = [token_id for token_id in others if self._logits[token_id] > -math.inf]
        return tuple(map(self._candidate, (observed, *possible)))

    @cached_property
    def _ranks(self) -> dict[int, int]:
        return {token_id: rank for rank, token_id in enumerate(self._order, start=1)}

    def _candidate(self, token_id: int) -> Candidate:
        logprob = self._logits[token_id] - self._highest - self._log_total
        return Candidate(token_id, logprob, self._ranks[token_id])
