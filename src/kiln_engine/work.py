"""What the engine works on: answers to generate and prompts to score, each with its sequence for the scheduler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kiln_engine.sampling import SamplerState
from kiln_engine.scoring import PromptScorer
from kiln_engine.sequence import Sequence as TokenSequence
from kiln_engine.trace import Trace
from kiln_server.backend import Generation, Scores, TokenEvent

Outcome = Sequence[TokenEvent] | Scores | Exception
"""What a step has for one piece of work: new tokens, the scores at the end, or why it failed."""

Deliver = Callable[[Outcome], None]
"""Takes the outcomes of one piece of work, in order."""


@dataclass(eq=False, slots=True)
class AnswerWork:
    """One answer on its way."""

    job: Generation
    sequence: TokenSequence
    sampler: SamplerState
    trace: Trace
    deliver: Deliver


@dataclass(eq=False, slots=True)
class ScoreWork:
    """One prompt that is being scored."""

    sequence: TokenSequence
    scorer: PromptScorer
    deliver: Deliver


Work = AnswerWork | ScoreWork
