"""The contract class catches backends that break their promises, each by the test that is about it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any
from unittest import SkipTest

import anyio
import pytest
from msgspec.structs import replace

from kiln_server.backend import (
    Adapter,
    Backend,
    BackendError,
    Capabilities,
    Generation,
    Progress,
    Scores,
    Scoring,
    Span,
    TokenEvent,
)
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.testing import BackendContract

QUICK = {"timeout_s": 3.0, "settle_s": 0.2}
Batches = AsyncGenerator[Sequence[TokenEvent], None]


class Honest(MockBackend):
    """The mock, with places to break it."""

    def __init__(self, **script: Any) -> None:
        super().__init__(parse(script or {"answers": [["a"] * 4]}))

    def generate(self, job: Generation) -> Batches:
        return self.changed(super().generate(job), job)

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        try:
            async for batch in batches:
                yield [self.event(event, job) for event in batch]
        finally:
            await batches.aclose()

    def event(self, event: TokenEvent, job: Generation) -> TokenEvent:  # noqa: ARG002 - for those that override it
        return event


def failed(backend: Callable[[], Backend], **attributes: Any) -> dict[str, str]:
    """The contract's tests that a backend fails, with what they say."""
    contract = type("Contract", (BackendContract,), {"create": lambda _: backend(), **QUICK, **attributes})()
    failures = {}
    for name in dir(contract):
        if name.startswith("test_"):
            try:
                getattr(contract, name)()
            except SkipTest as skipped:
                failures[name] = f"skipped: {skipped}"
            except (Exception, BaseExceptionGroup) as error:
                failures[name] = repr(error)
    return failures


def test_an_honest_backend_passes() -> None:
    assert failed(Honest) == {}
    assert failed(lambda: Honest(logits=[[0.0] * 256])) == {}


class Silent(Honest):
    """Says nothing of why it ended."""

    def event(self, event: TokenEvent, job: Generation) -> TokenEvent:  # noqa: ARG002
        return replace(event, finish=None)


class Talkative(Honest):
    """Goes on after the end."""

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        async for batch in super().changed(batches, job):
            yield batch
        yield [TokenEvent(1, 1)]


class Backwards(Honest):
    def event(self, event: TokenEvent, job: Generation) -> TokenEvent:  # noqa: ARG002
        return replace(event, ready_ns=-event.step)


class Ungated(Honest):
    def generate(self, job: Generation) -> Batches:
        return super().generate(replace(job, gate=None))


class Confessing(Honest):
    """Reports log-probabilities that nobody asked for."""

    def event(self, event: TokenEvent, job: Generation) -> TokenEvent:  # noqa: ARG002
        return replace(event, logprob=-1.0)


class Moody(Honest):
    """Answers depend on how many came before."""

    def __init__(self) -> None:
        super().__init__(answers=[["a"], ["b"], ["c"], ["d"], ["e"]])


class Limitless(Honest):
    def generate(self, job: Generation) -> Batches:
        return super().generate(replace(job, max_tokens=job.max_tokens + 1))


class Deaf(Honest):
    """Ends at an EOS even when told not to."""

    def __init__(self) -> None:
        super().__init__(answers=[["a"]])

    def generate(self, job: Generation) -> Batches:
        return super().generate(replace(job, ignore_eos=False))


class Stubborn(Honest):
    """Never ends at an EOS."""

    def __init__(self) -> None:
        super().__init__(answers=[["a"]])

    def generate(self, job: Generation) -> Batches:
        return super().generate(replace(job, ignore_eos=True))


class Leaking(Honest):
    """Forgets to free what a cancelled answer held."""

    async def changed(self, batches: Batches, job: Generation) -> Batches:  # noqa: ARG002
        self._player.num_running += 1
        async for batch in batches:
            yield batch
        self._player.num_running -= 1


class Overrunning(Honest):
    """Goes on working after its reader has left."""

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        try:
            async for batch in batches:
                yield batch
        finally:
            if job.gate is not None:
                for _ in range(5):
                    job.gate.accept(1, 1)


class Contagious(Honest):
    """One failure closes everything."""

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        try:
            async for batch in super().changed(batches, job):
                yield batch
        except RuntimeError:
            await self.close()
            raise


class Swallowing(Honest):
    """Hides a failure."""

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        try:
            async for batch in super().changed(batches, job):
                yield batch
        except RuntimeError:
            return


class Serial(Honest):
    """One answer at a time: a reader that stops holds up the others."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = anyio.Semaphore(1)

    async def changed(self, batches: Batches, job: Generation) -> Batches:
        async with self._turn:
            async for batch in super().changed(batches, job):
                yield batch


class Empty(Honest):
    async def changed(self, batches: Batches, job: Generation) -> Batches:
        yield []
        async for batch in super().changed(batches, job):
            yield batch


class Unordered(Honest):
    async def score(self, job: Scoring) -> Scores:
        scores = await super().score(job)
        return Scores(tuple(position[:1] + position[:0:-1] for position in scores.positions))


class Misaligned(Honest):
    async def score(self, job: Scoring) -> Scores:
        return Scores((await super().score(job)).positions[1:])


class Generous(Honest):
    """One candidate more than asked for."""

    async def score(self, job: Scoring) -> Scores:
        return await super().score(replace(job, top_k=job.top_k + 2))


class Boastful(Honest):
    """Measures a phase that it does not declare."""

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:  # noqa: ARG002
        return [Span("sampling", 2, 3)][first:]


class Repeating(Boastful):
    """Tells again what was told before."""

    def spans(self, request_id: str, first: int = 0) -> Sequence[Span]:  # noqa: ARG002
        return [Span("sampling", 2, 3)]


class Undeclared(Honest):
    def adapters(self) -> Sequence[Adapter]:
        return [Adapter("tone", "sha256:00")]


class Regressing(Honest):
    async def start(self, progress: Callable[[Progress], None]) -> None:
        progress(Progress("reading", 0.5))
        progress(Progress("reading", 0.2))


class OnceOnly(Honest):
    """Cannot be closed twice."""

    async def close(self) -> None:
        if self._player._closed:
            raise RuntimeError("already closed")
        await super().close()


@pytest.mark.parametrize(
    ("backend", "test", "promise"),
    [
        (Silent, "test_events_are_in_order_and_finish_once", "one finish, on the last event"),
        (Talkative, "test_events_are_in_order_and_finish_once", "max_tokens 8 gave 9 events"),
        (Talkative, "test_eos_ends_an_answer_unless_ignored", "no event follows an EOS"),
        (Backwards, "test_events_are_in_order_and_finish_once", "ready_ns never goes back"),
        (Ungated, "test_a_gate_decides_over_every_token", "each event has the token that the gate gave"),
        (Ungated, "test_a_failing_answer_fails_alone", "an exception of the gate fails its answer"),
        (Confessing, "test_logprobs_only_when_asked_for", "without logprobs=True there are none"),
        (Moody, "test_a_seed_decides_the_answer", "the same tokens"),
        (Moody, "test_answers_run_side_by_side", "neighbours change nothing"),
        (Limitless, "test_one_token_is_enough", "max_tokens 1 gives one event"),
        (Deaf, "test_events_are_in_order_and_finish_once", "gave 2 events"),
        (Stubborn, "test_eos_ends_an_answer_unless_ignored", "no event follows an EOS"),
        (Leaking, "test_closing_the_iterator_stops_the_work", "all is freed within"),
        (Leaking, "test_cancelling_the_reader_frees_everything", "all is freed within"),
        (Overrunning, "test_closing_the_iterator_stops_the_work", "within two steps"),
        (Contagious, "test_a_failing_answer_fails_alone", "closed"),
        (Swallowing, "test_a_failing_answer_fails_alone", "an exception of the gate fails its answer"),
        (Serial, "test_a_slow_reader_holds_back_only_itself", "Timeout"),
        (Empty, "test_one_token_is_enough", "at least one event"),
        (Unordered, "test_scores_every_token_after_the_first", "the others are the likeliest"),
        (Misaligned, "test_scores_every_token_after_the_first", "one entry for each token"),
        (Generous, "test_scores_every_token_after_the_first", "at most 0 others"),
        (Repeating, "test_spans_are_in_order_and_declared", "leaves out as many as it is told to"),
        (Boastful, "test_spans_are_in_order_and_declared", "every phase is in capabilities.phases"),
        (Undeclared, "test_says_what_it_can_do", "adapters() is empty"),
        (Regressing, "test_says_what_it_can_do", "progress never goes back"),
        (OnceOnly, "test_close_ends_running_answers_and_may_be_repeated", "already closed"),
    ],
)
def test_a_broken_promise_is_found(backend: Callable[[], Backend], test: str, promise: str) -> None:
    contract = type("Contract", (BackendContract,), {"create": lambda _: backend(), **QUICK})()
    with pytest.raises((Exception, BaseExceptionGroup)) as caught:
        getattr(contract, test)()
    assert promise in repr(caught.value)


def test_a_backend_that_does_not_score_may_say_so() -> None:
    def unscored() -> Backend:
        backend = Honest()
        backend.capabilities = Capabilities(context_length=99, vocab_size=9, scoring=False)
        return backend

    assert failed(unscored) == {"test_scores_every_token_after_the_first": "skipped: this backend does not score"}


def test_create_must_be_given() -> None:
    with pytest.raises(NotImplementedError, match="return a new backend"):
        BackendContract().create()


def test_errors_of_loading_come_through() -> None:
    class Absent(Honest):
        async def start(self, progress: Callable[[Progress], None]) -> None:  # noqa: ARG002
            raise BackendError("the model file is gone")

    assert all("the model file is gone" in failure for failure in failed(Absent).values())
