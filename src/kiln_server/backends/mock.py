"""A deterministic backend without a model: it plays a script, samples from given logits, or echoes."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice, repeat, starmap
from typing import Final

import anyio

from kiln_server.backend import (
    Adapter,
    BackendError,
    Capabilities,
    Generation,
    Identity,
    Progress,
    Scores,
    Scoring,
    Span,
    Stats,
    TextAssets,
    TokenEvent,
)
from kiln_server.backends import turns
from kiln_server.backends.bytes_tokenizer import EOS_ID, EOS_TEXT
from kiln_server.backends.options import reject_unknown
from kiln_server.backends.playback import BATCH, Player, Proposal, play
from kiln_server.backends.sampler import Sampler
from kiln_server.backends.scorer import ScoredRow
from kiln_server.backends.script import Script, load

NAME: Final = "mock"

_NS_PER_MS: Final = 1_000_000
_END: Final = Proposal(EOS_ID)
_SCORED_PER_TURN: Final = 256
"""Positions scored before others run."""


class MockBackend:
    """Implements the port for a `Script`; without one, every answer repeats the last user message.

    Answers are dealt out in the order of the calls of `generate`, not of the first tokens. `chat_template` replaces
    the built-in one, with its tail; `adapters` are names that may be asked for, and change nothing.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        model_id: str = NAME,
        chat_template: str | None = None,
        adapters: Sequence[Adapter] = (),
    ) -> None:
        script = script or Script()
        kind = "an echo of what was said" if script.answers is None and script.logits is None else "a script"
        self.description = f"{model_id} (no model: {kind})"
        self._script = script
        self._adapters = tuple(adapters)
        self._tokenizer, answers = script.vocabulary()
        self._answers = [list(map(Proposal, ids)) for ids in answers]
        turns.add_marks(self._tokenizer)
        self._rows = script.rows()
        # The output layer may have rows that stand for no token: they can be scored, but never drawn.
        self._drawable = [
            [logit if self._tokenizer.has_entry(index) else -math.inf for index, logit in enumerate(row)]
            for row in self._rows
        ]
        self._scored: dict[int, ScoredRow] = {}
        self._num_admitted = 0
        self._player = Player()
        self.capabilities = Capabilities(
            context_length=script.context_length,
            vocab_size=len(self._rows[0]) if self._rows else self._tokenizer.vocab_size,
            adapters=bool(adapters),
        )
        self.identity = Identity(served_model_id=model_id, implementation="kiln-mock", generation_backend=NAME)
        self.text = TextAssets(
            tokenizer=self._tokenizer,
            chat_template=chat_template or turns.chat_template(script.prompt_tail),
            eos_token=EOS_TEXT,
        )

    async def start(self, progress: Callable[[Progress], None]) -> None:
        progress(Progress("ready", 1.0))

    async def close(self) -> None:
        self._player.close()

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        # Not a generator itself: an answer gets its place in the script now, whenever it is first asked for a token.
        index = self._num_admitted
        self._num_admitted += 1
        events = islice(self._events(job, index), self._script.fail_after)
        delay_ns = int(self._script.delay_ms * _NS_PER_MS)
        # A gate must see no token that the server may never reach, and a draw takes time: those go one by one.
        one_by_one = delay_ns > 0 or job.gate is not None or bool(self._rows)
        return self._player.run(
            events,
            batch=1 if one_by_one else BATCH,
            pace=(lambda step: (step + 1) * delay_ns) if delay_ns else None,
            failure=f"the script fails every answer after {self._script.fail_after} tokens",
        )

    async def score(self, job: Scoring) -> Scores:
        positions = []
        for position, observed in enumerate(job.prompt_ids[1:]):
            if position % _SCORED_PER_TURN == _SCORED_PER_TURN - 1:
                await anyio.sleep(0)
            positions.append(self._scored_row(position).candidates(observed, job.top_k))
        return Scores(tuple(positions))

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:  # noqa: ARG002 - the port's
        return ()

    def adapters(self) -> Sequence[Adapter]:
        return self._adapters

    def stats(self) -> Stats:
        return Stats(running=self._player.num_running)

    def _events(self, job: Generation, index: int) -> Iterator[TokenEvent]:
        if job.adapters and (missing := self._missing_adapter(job)) is not None:
            return map(_fail, [f"the mock backend has no adapter {missing!r}"])  # when the first event is asked for
        if self._rows:
            sampler = Sampler(job.sampling, seed=job.seed, choice=job.choice)
            draws = starmap(Proposal, map(sampler.draw, self._drawable_rows(), count()))
            return play(job, draws, self._tokenizer.eos_ids, on_taken=sampler.take)
        return play(job, chain(self._scripted(job, index), repeat(_END)), self._tokenizer.eos_ids)

    def _drawable_rows(self) -> Iterator[Sequence[float]]:
        return chain(self._drawable, repeat(self._drawable[-1]))

    def _scripted(self, job: Generation, index: int) -> Iterable[Proposal]:
        if self._answers:
            return self._answers[index % len(self._answers)]
        return map(Proposal, turns.last_user_message(job.prompt_ids, self._tokenizer))

    def _missing_adapter(self, job: Generation) -> str | None:
        known = {adapter.name for adapter in self._adapters}
        return next((adapter.name for adapter in job.adapters if adapter.name not in known), None)

    def _scored_row(self, position: int) -> ScoredRow:
        """The row that is about a position's next token; without logits every token is equally likely."""
        index = min(position, len(self._rows) - 1) if self._rows else 0
        if index not in self._scored:
            self._scored[index] = ScoredRow(self._rows[index] if self._rows else [0.0] * self._tokenizer.vocab_size)
        return self._scored[index]


def _fail(message: str) -> TokenEvent:
    raise BackendError(message)


def create(options: Mapping[str, str]) -> MockBackend:
    """The backend factory. Options: `script`, a file; `model`, the id that it is served as. Raises BackendError."""
    reject_unknown(NAME, options, ("script", "model"))
    path = options.get("script")
    return MockBackend(load(path) if path else None, model_id=options.get("model", NAME))
