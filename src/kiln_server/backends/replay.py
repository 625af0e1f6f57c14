"""Serve what was recorded: the same prompts get the same tokens, without the backend that made them."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import structlog
from msgspec.structs import replace

from kiln_server.backend import (
    Adapter,
    AdapterRef,
    BackendError,
    Candidate,
    Generation,
    Progress,
    Scores,
    Scoring,
    Span,
    Stats,
    TextAssets,
    TokenEvent,
)
from kiln_server.backends import recording
from kiln_server.backends.options import reject_unknown, require
from kiln_server.backends.playback import BATCH, Pace, Player, Proposal, play
from kiln_server.backends.recorded_tokenizer import recorded_tokenizer
from kiln_server.private_file import warn_if_shared

NAME: Final = "replay"

_NS_PER_MS: Final = 1e6

_log = structlog.get_logger(__name__)

Key: TypeAlias = tuple[tuple[int, ...], int, tuple[AdapterRef, ...]]
"""What an answer is looked up by: prompt, choice and adapters."""


class ReplayBackend:
    """Implements the port for one recording.

    An answer is found by prompt, choice and adapters; of several, the one of the same seed counts, else the first, as
    a request without a seed has a random one. Sampling values are not compared. `paced` gives tokens out no sooner
    than they were recorded. Raises BackendError for a file that cannot be read.
    """

    def __init__(self, path: str | Path, *, paced: bool = False) -> None:
        self.description = f"{NAME} of {path}"
        self._paced = paced
        header, records = recording.read(Path(path))
        warn_if_shared(_log, "recording_readable_by_others", str(Path(path)))
        self._tokenizer = recorded_tokenizer(header, records)
        self._answers: dict[Key, list[recording.Answer]] = {}
        self._scorings: dict[tuple[tuple[int, ...], int], recording.Scoring] = {}
        for record in records:
            if isinstance(record, recording.Answer):
                self._answers.setdefault((record.prompt_ids, record.choice, record.adapters), []).append(record)
            elif isinstance(record, recording.Scoring):
                self._scorings[record.prompt_ids, record.top_k] = record
        self._adapters = header.adapters
        self._player = Player()
        # Nothing runs here, so nothing runs together and no phase is measured.
        self.capabilities = replace(header.capabilities, batching=False, phases=frozenset(), choices=())
        self.identity = replace(header.identity, implementation="kiln-replay", generation_backend=NAME)
        self.text = TextAssets(
            tokenizer=self._tokenizer,
            chat_template=header.chat_template,
            bos_token=header.bos_token,
            eos_token=header.eos_token,
        )

    async def start(self, progress: Callable[[Progress], None]) -> None:
        progress(Progress("ready", 1.0))

    async def close(self) -> None:
        self._player.close()

    def generate(self, job: Generation) -> AsyncGenerator[Sequence[TokenEvent], None]:
        answer = self._answer(job)
        if answer is None:
            failure = f"no answer to this prompt of {len(job.prompt_ids)} tokens was recorded"
            return self._player.run(iter(()), batch=1, pace=None, failure=failure)
        proposals = [Proposal(step.candidate_id, step.logprob) for step in answer.steps]
        return self._player.run(
            play(job, proposals, self._tokenizer.eos_ids),
            batch=1 if self._paced or job.gate is not None else BATCH,
            pace=_pace(answer) if self._paced else None,
            failure=answer.error or f"the recording has {len(answer.steps)} tokens of this answer, and it goes on",
        )

    async def score(self, job: Scoring) -> Scores:
        found = self._scorings.get((job.prompt_ids, job.top_k))
        if found is None:
            raise BackendError(
                f"no scores of this prompt of {len(job.prompt_ids)} tokens with top_k {job.top_k} were recorded"
            )
        return Scores(tuple(tuple(map(_candidate, position)) for position in found.positions))

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:  # noqa: ARG002 - the port's
        return ()

    def adapters(self) -> Sequence[Adapter]:
        return self._adapters

    def stats(self) -> Stats:
        return Stats(running=self._player.num_running)

    def _answer(self, job: Generation) -> recording.Answer | None:
        found = self._answers.get((job.prompt_ids, job.choice, job.adapters), [])
        return next((answer for answer in found if answer.seed == job.seed), found[0] if found else None)


def create(options: Mapping[str, str]) -> ReplayBackend:
    """The backend factory. Options: `file`, a recording; `pace`, `none` or `recorded`. Raises BackendError."""
    reject_unknown(NAME, options, ("file", "pace"))
    pace = options.get("pace", "none")
    if pace not in ("none", "recorded"):
        raise BackendError(f"the replay backend's option 'pace' is none or recorded, not {pace!r}")
    return ReplayBackend(require(NAME, options, "file"), paced=pace == "recorded")


def _pace(answer: recording.Answer) -> Pace:
    """The recorded times; what follows the last token, an error say, comes with it."""
    times = [int(step.at_ms * _NS_PER_MS) for step in answer.steps] or [0]
    return lambda index: times[min(index, len(times) - 1)]


def _candidate(scored: recording.Scored) -> Candidate:
    return Candidate(scored.token_id, -math.inf if scored.logprob is None else scored.logprob, scored.rank)
