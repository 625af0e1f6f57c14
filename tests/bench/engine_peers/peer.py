"""What every measured engine can be told: load a model, take prompts up, decode some steps, let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class Load(NamedTuple):
    """What to load, and room for what. All of it travels as JSON."""

    path: str
    """A Hugging Face folder, or the one file that an engine wants in its place."""
    dtype: str
    """`bfloat16`, `float16` or `float32`: of the weights and of the arithmetic."""
    threads: int
    streams: int
    """Most answers at once."""
    context: int
    """Most positions of one answer."""
    cache_gb: int
    """Memory that the keys and values of all of them take, in GB rounded up, for engines that have to be told."""


class Peer(Protocol):
    """One engine with one model. Prompts are token ids, choices are greedy, and nothing ends an answer."""

    def begin(self, prompts: Sequence[Sequence[int]], most: int) -> None:
        """Take prompts up and return when each has its first token. At most `most` tokens of each will be wanted."""

    def advance(self, steps: int) -> Mapping[str, float]:
        """Decode so many tokens of every prompt; seconds of each phase, from an engine that tells."""

    def end(self) -> None:
        """Drop the prompts, with all that is kept of them."""
