"""Check that a backend keeps the port's promises: subclass `BackendContract` in its tests.

    class TestMyBackend(BackendContract):
        def create(self) -> Backend:
            return MyBackend()

Needs no pytest plugin; unittest-style runners that call `test_*` methods work too.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from itertools import pairwise
from typing import Any, TypeVar
from unittest import SkipTest

import anyio
from msgspec.structs import replace

from kiln_server.backend import (
    Backend,
    BackendError,
    Candidate,
    Generation,
    Progress,
    Sampling,
    Scoring,
    Stats,
    TokenEvent,
)

S = TypeVar("S", bound="BackendContract")


async def collect(backend: Backend, job: Generation) -> list[TokenEvent]:
    """All events of one answer, read to the end. Raises AssertionError for an empty item."""
    events: list[TokenEvent] = []
    async with aclosing(backend.generate(job)) as batches:
        async for batch in batches:
            _expect(len(batch) > 0, "an item of generate() holds at least one event")
            events += batch
    return events


class CountingGate:
    """Lets every candidate through, except that it forces `forced_id` at the steps named, and counts."""

    def __init__(self, forced_id: int = 0, forced_steps: frozenset[int] = frozenset()) -> None:
        self._forced_id = forced_id
        self._forced_steps = forced_steps
        self.taken: list[int] = []
        self.times_ns: list[int] = []

    def accept(self, candidate: int, now_ns: int) -> tuple[int, bool]:
        forced = len(self.taken) in self._forced_steps
        self.taken.append(self._forced_id if forced else candidate)
        self.times_ns.append(now_ns)
        return self.taken[-1], forced


class FailingGate:
    """Raises at its second candidate."""

    def __init__(self) -> None:
        self._num_seen = 0

    def accept(self, candidate: int, now_ns: int) -> tuple[int, bool]:  # noqa: ARG002 - the protocol's
        self._num_seen += 1
        if self._num_seen > 1:
            raise RuntimeError("this gate fails on purpose")
        return candidate, False


def fresh(check: Callable[[S, Backend], Awaitable[None]]) -> Callable[[S], None]:
    """Make a test of a check: it gets a backend of its own, started before and closed after."""

    def test(self: S) -> None:
        anyio.run(_checked, self, check)

    # Not functools.wraps: pytest would look through it and take `backend` for a fixture.
    test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
    return test


class BackendContract:
    """Tests that every backend passes. Each runs against a backend of its own, on asyncio."""

    prompt: str = "Say hello."
    """Plain text that the backend can answer with a few tokens."""
    num_tokens: int = 8
    """How long the answers of these tests are."""
    timeout_s: float = 60.0
    """How long one test may take, loading included."""
    settle_s: float = 5.0
    """How long it may take until all that an answer held is free."""

    def create(self) -> Backend:
        """A new backend, not started."""
        raise NotImplementedError("return a new backend, not started")

    def job(self, backend: Backend, **changes: Any) -> Generation:
        """A seeded answer of `num_tokens` tokens, whatever the model would like to end with."""
        job = Generation(
            request_id="contract-0",
            group="contract",
            prompt_ids=tuple(backend.text.tokenizer.encode(self.prompt)),
            choice=0,
            max_tokens=self.num_tokens,
            seed=42,
            sampling=Sampling(temperature=1.0),
            ignore_eos=True,
        )
        return replace(job, **changes)

    def test_says_what_will_answer_before_it_starts(self) -> None:
        _expect(bool(self.create().description), "description tells an operator what will answer")

    @fresh
    async def test_says_what_it_can_do(self, backend: Backend) -> None:
        can = backend.capabilities
        _expect(can.context_length > self.num_tokens, "capabilities.context_length has room for an answer")
        _expect(can.vocab_size > 0, "capabilities.vocab_size counts the ids that can be scored")
        _expect(bool(backend.identity.served_model_id), "identity.served_model_id names the model")
        names = [adapter.name for adapter in backend.adapters()]
        _expect(len(set(names)) == len(names), "adapters() names each adapter once")
        _expect(can.adapters or not names, "adapters() is empty where capabilities.adapters is false")

    @fresh
    async def test_tokenizer_keeps_control_tokens_apart(self, backend: Backend) -> None:
        tokenizer = backend.text.tokenizer
        _expect(len(tokenizer.eos_ids) > 0, "some token ends an answer")
        text = b"".join(map(tokenizer.token_bytes, tokenizer.encode(self.prompt))).decode()
        shown = text.removeprefix(" ") if tokenizer.leading_space else text
        _expect(shown == self.prompt, "token_bytes() gives back the text that encode() was given")
        for special, token_id in tokenizer.special_ids.items():
            _expect(tokenizer.token_bytes(token_id) == b"", f"control token {special!r} adds no bytes to a text")
            _expect(token_id not in tokenizer.encode(special), f"text that spells {special!r} is encoded as text")

    @fresh
    async def test_events_are_in_order_and_finish_once(self, backend: Backend) -> None:
        events = await collect(backend, self.job(backend))
        _expect(len(events) == self.num_tokens, f"max_tokens {self.num_tokens} gave {len(events)} events")
        finishes = [event.finish for event in events]
        _expect(finishes == [None] * (len(events) - 1) + ["length"], f"one finish, on the last event: {finishes}")
        _expect(_ascending([event.ready_ns for event in events]), "ready_ns never goes back")
        _expect(_ascending([event.step for event in events]), "step never goes back")
        _expect(not any(event.forced for event in events), "without a gate nothing is forced")

    @fresh
    async def test_one_token_is_enough(self, backend: Backend) -> None:
        events = await collect(backend, self.job(backend, max_tokens=1))
        _expect([event.finish for event in events] == ["length"], "max_tokens 1 gives one event, which finishes")

    @fresh
    async def test_eos_ends_an_answer_unless_ignored(self, backend: Backend) -> None:
        events = await collect(backend, self.job(backend, ignore_eos=False))
        ends = [event.token_id in backend.text.tokenizer.eos_ids for event in events]
        _expect(not any(ends[:-1]), "no event follows an EOS")
        _expect((events[-1].finish == "eos") == ends[-1], "finish is eos exactly when the last token is an EOS")

    @fresh
    async def test_logprobs_only_when_asked_for(self, backend: Backend) -> None:
        silent = await collect(backend, self.job(backend))
        _expect(all(event.logprob is None for event in silent), "without logprobs=True there are none")
        drawn = await collect(backend, self.job(backend, logprobs=True))
        values = [event.logprob for event in drawn]
        _expect(all(value is not None and -math.inf < value <= 0 for value in values), f"logs of chances: {values}")
        greedy = await collect(backend, self.job(backend, logprobs=True, sampling=Sampling(temperature=0.0)))
        _expect(all(event.logprob == 0 for event in greedy), "the log-probability of a greedy choice is 0.0")

    @fresh
    async def test_a_seed_decides_the_answer(self, backend: Backend) -> None:
        first = await collect(backend, self.job(backend))
        second = await collect(backend, self.job(backend, request_id="contract-1", group="other"))
        _expect(_ids(first) == _ids(second), "the same seed and choice give the same tokens")

    @fresh
    async def test_answers_run_side_by_side(self, backend: Backend) -> None:
        jobs = [self.job(backend, request_id=f"contract-{index}", choice=index, seed=index) for index in range(6)]
        alone = [_ids(await collect(backend, job)) for job in jobs]
        together: dict[str, list[int]] = {}

        async def run(job: Generation) -> None:
            together[job.request_id] = _ids(await collect(backend, job))

        async with anyio.create_task_group() as tasks:
            for job in jobs:
                tasks.start_soon(run, job)
        _expect([together[job.request_id] for job in jobs] == alone, "neighbours change nothing about an answer")

    @fresh
    async def test_a_gate_decides_over_every_token(self, backend: Backend) -> None:
        tokenizer = backend.text.tokenizer
        forced_id = next(token_id for token_id in tokenizer.encode(self.prompt) if token_id not in tokenizer.eos_ids)
        gate = CountingGate(forced_id, frozenset({1, 2}))
        events = await collect(backend, self.job(backend, gate=gate, logprobs=True))
        _expect(len(events) == self.num_tokens, "forced tokens count")
        _expect(_ids(events) == gate.taken[: len(events)], "each event has the token that the gate gave")
        _expect([i for i, event in enumerate(events) if event.forced] == [1, 2], "forced marks what the gate forced")
        _expect(events[1].logprob is None, "a forced token has no log-probability")
        _expect(_ascending(gate.times_ns), "the gate's clock never goes back")

    @fresh
    async def test_closing_the_iterator_stops_the_work(self, backend: Backend) -> None:
        before = backend.stats()
        gate = CountingGate()
        job = self._long_job(backend, gate=gate)
        async with aclosing(backend.generate(job)) as batches:
            await anext(batches)
            num_seen = len(gate.taken)
        await self._settled(backend, before)
        await anyio.sleep(0.05)  # time for work that should not be
        _expect(len(gate.taken) <= num_seen + 2, "work stops within two steps of aclose()")

    @fresh
    async def test_cancelling_the_reader_frees_everything(self, backend: Backend) -> None:
        before = backend.stats()
        started = anyio.Event()

        async def read() -> None:
            async with aclosing(backend.generate(self._long_job(backend))) as batches:
                async for _ in batches:
                    started.set()
                    await anyio.sleep(0)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await started.wait()
            tasks.cancel_scope.cancel()
        await self._settled(backend, before)

    @fresh
    async def test_an_answer_that_nobody_reads_holds_nothing(self, backend: Backend) -> None:
        before = backend.stats()
        await backend.generate(self.job(backend)).aclose()
        await self._settled(backend, before)

    @fresh
    async def test_a_slow_reader_holds_back_only_itself(self, backend: Backend) -> None:
        async with aclosing(backend.generate(self._long_job(backend))) as slow:
            await anext(slow)
            await collect(backend, self.job(backend, request_id="contract-1", group="other"))

    @fresh
    async def test_a_failing_answer_fails_alone(self, backend: Backend) -> None:
        before = backend.stats()
        failures: list[Exception] = []

        async def fail() -> None:
            try:
                await collect(backend, self.job(backend, request_id="contract-1", group="other", gate=FailingGate()))
            except Exception as error:
                failures.append(error)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fail)
            events = await collect(backend, self.job(backend))
        _expect(len(failures) == 1, "an exception of the gate fails its answer")
        _expect(len(events) == self.num_tokens, "and no other")
        await self._settled(backend, before)
        _expect(len(await collect(backend, self.job(backend))) == self.num_tokens, "and the backend goes on")

    @fresh
    async def test_scores_every_token_after_the_first(self, backend: Backend) -> None:
        if not backend.capabilities.scoring:
            raise SkipTest("this backend does not score")
        vocab_size = backend.capabilities.vocab_size
        prompt_ids = tuple(token_id % vocab_size for token_id in backend.text.tokenizer.encode(self.prompt))
        top_k = min(3, vocab_size)
        for k in (0, top_k):
            scores = await backend.score(Scoring(request_id="contract-0", prompt_ids=prompt_ids, top_k=k))
            _expect(len(scores.positions) == len(prompt_ids) - 1, "one entry for each token after the first")
            for observed, candidates in zip(prompt_ids[1:], scores.positions, strict=True):
                _expect_candidates(candidates, observed, k)

    @fresh
    async def test_spans_are_in_order_and_declared(self, backend: Backend) -> None:
        await collect(backend, self.job(backend))
        spans = backend.spans("contract-0")
        _expect(_ascending([span.start_ns for span in spans]), "spans() is in order of time")
        _expect(all(span.start_ns <= span.end_ns for span in spans), "no span ends before it starts")
        _expect(list(backend.spans("contract-0", 1)) == list(spans[1:]), "spans() leaves out as many as it is told to")
        _expect({span.phase for span in spans} <= backend.capabilities.phases, "every phase is in capabilities.phases")

    @fresh
    async def test_close_ends_running_answers_and_may_be_repeated(self, backend: Backend) -> None:
        async with aclosing(backend.generate(self._long_job(backend))) as batches:
            await anext(batches)
            await backend.close()
            try:
                async for _ in batches:
                    pass
            except BackendError as error:
                _expect(bool(str(error)), "an answer that close() ends says why")
        await backend.close()
        _expect(backend.stats().running == 0, "nothing runs after close()")

    def _long_job(self, backend: Backend, **changes: Any) -> Generation:
        job = self.job(backend, **changes)
        room = backend.capabilities.context_length - len(job.prompt_ids)
        return replace(job, max_tokens=min(room, 64 * self.num_tokens))

    async def _settled(self, backend: Backend, before: Stats) -> None:
        """Wait until nothing is held any more that was not held before."""
        with anyio.move_on_after(self.settle_s):
            while _held(backend.stats()) != _held(before):
                await anyio.sleep(0.01)
            return
        raise AssertionError(f"all is freed within {self.settle_s:g} s; before: {before}; now: {backend.stats()}")


async def _checked(contract: S, check: Callable[[S, Backend], Awaitable[None]]) -> None:
    backend = contract.create()
    fractions: list[float] = []

    def progress(reached: Progress) -> None:
        if reached.fraction is not None:
            fractions.append(reached.fraction)

    with anyio.fail_after(contract.timeout_s):
        await backend.start(progress)
        try:
            _expect(_ascending(fractions), f"progress never goes back: {fractions}")
            _expect(all(0 <= fraction <= 1 for fraction in fractions), f"progress is from 0 to 1: {fractions}")
            await check(contract, backend)
        finally:
            await backend.close()


def _held(stats: Stats) -> tuple[int, ...]:
    return stats.running, stats.queue_depth, stats.blocks_used


def _expect_candidates(candidates: tuple[Candidate, ...], observed: int, top_k: int) -> None:
    ids = [candidate.token_id for candidate in candidates]
    _expect(ids[:1] == [observed], f"the observed token {observed} is the first candidate: {ids}")
    _expect(len(set(ids)) == len(ids), f"each candidate once: {ids}")
    _expect(len(ids) <= top_k + 1, f"the observed token and at most {top_k} others: {ids}")
    first, *others = candidates
    # Candidates of probability zero are left out, and those have the last ranks.
    ranks = [rank for rank in range(1, top_k + 1) if rank != first.rank]
    _expect([other.rank for other in others] == ranks[: len(others)], f"the others are the likeliest: {candidates}")
    by_rank = sorted(candidates, key=lambda candidate: candidate.rank)
    _expect(_ascending([-candidate.logprob for candidate in by_rank]), f"a better rank is likelier: {candidates}")
    _expect(all(other.logprob > -math.inf for other in others), "only the observed token may have probability zero")
    total = math.fsum(math.exp(candidate.logprob) for candidate in candidates)
    _expect(total <= 1 + 1e-3, f"probabilities sum to at most 1, not {total}")


def _ids(events: list[TokenEvent]) -> list[int]:
    return [event.token_id for event in events]


def _ascending(values: list[Any]) -> bool:
    return all(earlier <= later for earlier, later in pairwise(values))


def _expect(holds: bool, promise: str) -> None:
    """Fail with the promise that was broken."""
    if not holds:
        raise AssertionError(promise)
