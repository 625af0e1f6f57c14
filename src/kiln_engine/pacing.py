"""How many prompt rows may run beside answers that are being generated."""

from __future__ import annotations

import sys
from typing import Final

MAX_STEP_MS: Final = 200.0
MIN_PROMPT_ROWS: Final = 16
"""What a prompt gets in any step: it must advance even where a step is too long already."""

_USABLE: Final = 0.75
"""Share of the time limit that is planned for: rows get slower as their context grows."""
_GROWTH: Final = 1.5
"""How many times the prompt rows of any earlier step one may have."""
_DECAY: Final = 0.25
"""Weight of a new observation that is lower than the estimate; a higher one counts at once."""


class Pacing:
    """Learns how long steps take, and limits prompt rows so that the next one is expected to stay under `max_step_ms`.

    A step is taken to need the time of its decode rows, which those without prompt rows show, and a time for each
    prompt row. Both estimates rise at once and fall slowly: a long step is worse than a late first token. For the same
    reason the rows of a step do not jump: they grow from those that were seen before.
    """

    def __init__(self, max_step_ms: float = MAX_STEP_MS) -> None:
        if max_step_ms <= 0:
            raise ValueError(f"max_step_ms is {max_step_ms}: it must be above 0")
        self._target_ms = max_step_ms * _USABLE
        self._decode_ms = 0.0
        self._num_decode_rows = 0
        self._row_ms = 0.0
        self._num_prompt_rows = 0

    def max_prompt_rows(self, num_decode_rows: int) -> int:
        """Prompt rows that fit beside this many decode rows: at least 16, and any number beside none."""
        if num_decode_rows == 0:
            return sys.maxsize
        num_rows = int(_GROWTH * self._num_prompt_rows)
        left_ms = max(0.0, self._target_ms - self._expected_decode_ms(num_decode_rows))
        if num_rows * self._row_ms > left_ms:
            num_rows = int(left_ms / self._row_ms)
        return max(MIN_PROMPT_ROWS, num_rows)

    def observe(self, num_prompt_rows: int, num_decode_rows: int, ms: float) -> None:
        """Learn from a finished step."""
        if num_prompt_rows:
            row_ms = max(0.0, ms - self._expected_decode_ms(num_decode_rows)) / num_prompt_rows
            self._row_ms = _raised(self._row_ms, row_ms)
            self._num_prompt_rows = max(self._num_prompt_rows, num_prompt_rows)
        elif num_decode_rows:
            self._decode_ms = _raised(self._expected_decode_ms(num_decode_rows), ms)
            self._num_decode_rows = num_decode_rows

    def _expected_decode_ms(self, num_decode_rows: int) -> float:
        # Rows share the reading of weights: more rows cost at most in proportion, fewer may cost as much.
        if num_decode_rows == 0 or self._num_decode_rows == 0:
            return 0.0
        return self._decode_ms * max(1.0, num_decode_rows / self._num_decode_rows)


class FixedPacing:
    """The same number of prompt rows in every step, so that how prompts are cut does not depend on time."""

    def __init__(self, prefill_chunk: int) -> None:
        if prefill_chunk < 1:
            raise ValueError(f"prefill_chunk is {prefill_chunk}: a prompt advances by at least 1 row a step")
        self._prefill_chunk = prefill_chunk

    def max_prompt_rows(self, num_decode_rows: int) -> int:  # noqa: ARG002 - Pacing's
        """The fixed number, whatever else runs."""
        return self._prefill_chunk

    def observe(self, num_prompt_rows: int, num_decode_rows: int, ms: float) -> None:
        """Nothing is learnt."""


def _raised(estimate: float, observed: float) -> float:
    return observed if observed > estimate else estimate + _DECAY * (observed - estimate)
