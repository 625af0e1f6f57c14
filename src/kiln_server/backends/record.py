"""Record whatever a backend does, to replay it without the backend."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from time import monotonic_ns
from typing import Final

from msgspec.structs import replace

from kiln_server import registry
from kiln_server.backend import (
    Adapter,
    Backend,
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
    TokenGate,
)
from kiln_server.backends import recording
from kiln_server.backends.options import require
from kiln_server.backends.recording_tokenizer import RenderedTokenizer, recording_tokenizer

NAME: Final = "record"

_NS_PER_MS: Final = 1e6


class RecordingGate:
    """Passes a gate's decisions through and keeps the candidates that it was asked about."""

    def __init__(self, gate: TokenGate) -> None:
        self._gate = gate
        self.candidates: list[int] = []

    def accept(self, candidate: int, now_ns: int) -> tuple[int, bool]:
        self.candidates.append(candidate)
        return self._gate.accept(candidate, now_ns)


class RecordingBackend:
    """Any backend, unchanged, with everything that it answers written to a new file."""

    def __init__(self, backend: Backend, path: str | Path) -> None:
        self._backend = backend
        self._path = Path(path)

    @property
    def description(self) -> str:
        return f"{self._backend.description}, recorded in {self._path}"

    @property
    def capabilities(self) -> Capabilities:
        return self._backend.capabilities

    @property
    def identity(self) -> Identity:
        return self._backend.identity

    @property
    def text(self) -> TextAssets:
        return self._text

    async def start(self, progress: Callable[[Progress], None]) -> None:
        recording.require_new(self._path)  # before a model loads for minutes
        await self._backend.start(progress)
        text = self._backend.text
        self._text = replace(text, tokenizer=recording_tokenizer(text.tokenizer, self._write))
        recording.create(self._path, self._header())

    async def close(self) -> None:
        await self._backend.close()

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        gate = None if job.gate is None else RecordingGate(job.gate)
        # Called here, not at the first token: a backend may go by the order of the calls.
        return self._recorded(job, gate, self._backend.generate(replace(job, gate=gate)))

    async def score(self, job: Scoring) -> Scores:
        scores = await self._backend.score(job)
        positions = tuple(
            tuple(recording.Scored(c.token_id, c.logprob if c.logprob > -math.inf else None, c.rank) for c in position)
            for position in scores.positions
        )
        self._write(recording.Scoring(prompt_ids=job.prompt_ids, top_k=job.top_k, positions=positions))
        return scores

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:
        return self._backend.spans(request_id, first)

    def adapters(self) -> Sequence[Adapter]:
        return self._backend.adapters()

    def stats(self) -> Stats:
        return self._backend.stats()

    async def _recorded(
        self, job: Generation, gate: RecordingGate | None, batches: AsyncGenerator[Sequence[TokenEvent], None]
    ) -> AsyncGenerator[Sequence[TokenEvent], None]:
        started_ns = monotonic_ns()
        events: list[TokenEvent] = []
        error = None
        try:
            async with aclosing(batches):
                async for batch in batches:
                    events += batch
                    yield batch
        except BackendError as failure:
            error = str(failure)
            raise
        finally:
            candidates = [event.token_id for event in events] if gate is None else gate.candidates
            steps = tuple(
                recording.Step(candidate, max(0, event.ready_ns - started_ns) / _NS_PER_MS, event.logprob)
                for candidate, event in zip(candidates, events, strict=False)
            )
            self._write(
                recording.Answer(
                    prompt_ids=job.prompt_ids,
                    choice=job.choice,
                    seed=job.seed,
                    adapters=job.adapters,
                    steps=steps,
                    finish=events[-1].finish if events else None,
                    error=error,
                )
            )

    def _write(self, record: recording.Record) -> None:
        recording.append(self._path, record)

    def _header(self) -> recording.Header:
        text = self._text
        return recording.Header(
            capabilities=self.capabilities,
            identity=self.identity,
            adapters=tuple(self.adapters()),
            eos_ids=text.tokenizer.eos_ids,
            special_ids=dict(text.tokenizer.special_ids),
            leading_space=text.tokenizer.leading_space,
            encodes_rendered=isinstance(text.tokenizer, RenderedTokenizer),
            chat_template=text.chat_template,
            bos_token=text.bos_token,
            eos_token=text.eos_token,
        )


def create(options: Mapping[str, str]) -> RecordingBackend:
    """The backend factory. Options: `backend` and `file`; all others are those of the backend that is recorded.

    Raises BackendError, also when there is no such backend.
    """
    inner = registry.create_backend(require(NAME, options, "backend"), _without(options, "backend", "file"))
    return RecordingBackend(inner, require(NAME, options, "file"))


def _without(options: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in options.items() if name not in names}
