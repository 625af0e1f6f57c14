"""Run one answer: tokens from the backend, text from the pipeline, time from the clock."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from operator import attrgetter
from time import monotonic_ns
from typing import Any, Final

from kiln_contract import thinking
from kiln_server.arrivals import Arrivals, Late
from kiln_server.backend import Backend, FinishCause, Generation, TokenEvent
from kiln_server.delivery import Interval
from kiln_server.plan import Plan
from kiln_server.text.answer import Answer, Delta, FinishedAnswer, FinishReason
from kiln_server.timing import Timing

_TOKEN_ID: Final = attrgetter("token_id")


def new_call_id() -> str:
    """An id for a tool call."""
    return "call_" + uuid.uuid4().hex


class Run:
    """One answer, from its first token to its finish reason.

    `complete` runs it; a stream reads its `arrivals` itself, and keeps the text. `text`, `finish_reason`, `events` and
    `timing` are complete after `end`, and hold what there was when it failed.
    """

    def __init__(
        self,
        backend: Backend,
        plan: Plan,
        prompt: int,
        *,
        choice: int,
        request_id: str,
        received_ns: int,
        logprobs: bool = False,
    ) -> None:
        """`prompt` is the index of the task in the plan, `choice` the index of the answer in the whole request."""
        task = plan.tasks[prompt]
        self.task = task
        self.has_ended = not task.limit
        """Whether no token follows those that were read."""
        self.is_complete = False
        """Whether the answer came to its own end."""
        self.text = FinishedAnswer()
        self.events: list[TokenEvent] = []
        self.timing = Timing(received_ns, backend.capabilities.phases)
        self.finish_reason: FinishReason = "length"
        self._backend = backend
        self._batches: AsyncGenerator[Sequence[TokenEvent], None] | None = None
        self._num_spans = 0
        self._cause: FinishCause | None = None
        self._final_record: thinking.Record | None = None
        self._controller = task.budget.controller(task.limit)
        self._answer = Answer(
            backend.text.tokenizer,
            inside_thinking=task.prompt.inside_thinking,
            stops=plan.stops,
            tools=plan.tools,
            new_id=new_call_id,
        )
        self._job = Generation(
            request_id=f"{request_id}-{choice}",
            # Answers to one prompt share its work.
            group=f"{request_id}/{prompt}",
            prompt_ids=task.prompt.ids,
            choice=choice,
            max_tokens=max(task.limit, 1),
            seed=plan.seed,
            sampling=plan.sampling,
            ignore_eos=plan.ignore_eos,
            adapters=plan.adapters,
            gate=self._controller,
            logprobs=logprobs,
            received_ns=received_ns,
        )

    @property
    def num_tokens(self) -> int:
        return len(self.events)

    @property
    def outcome(self) -> thinking.Outcome | None:
        """How the thinking budget ended, or None when none applied."""
        return None if self._controller is None else self._controller.outcome

    @property
    def budget_record(self) -> thinking.Record:
        """The limits that it is under, and how its thinking ended, as far as is known."""
        if self._final_record is not None:
            return self._final_record
        budget = self.task.budget
        record = thinking.record(budget.effective, applied=budget.applied, outcome=self.outcome)
        if self.is_complete:
            self._final_record = record
        return record

    def begin(self) -> None:
        """Hand the job to the backend. Answers of one request begin in order, whichever is awaited first."""
        if self.task.limit:
            self._batches = self._backend.generate(self._job)

    def arrivals(self, stall_timeout_s: float, *, late: Late = "stalled") -> Arrivals:
        """The tokens to come, after `begin`: read each batch before the next, until `has_ended`, then `end`."""
        return Arrivals(self._batches, stall_timeout_s, request_id=self._job.request_id, late=late)

    def read(self, events: Sequence[TokenEvent]) -> Sequence[TokenEvent]:
        """Read a batch into `text`. Returns it up to the token that ended the answer."""
        before = self._answer.num_tokens
        cause = events[-1].finish
        self.text.add(self._answer.feed_all(list(map(_TOKEN_ID, events)), is_end=cause == "eos"))
        return self._count(events[: self._answer.num_tokens - before])

    def read_each(self, events: Sequence[TokenEvent]) -> tuple[Sequence[TokenEvent], list[Delta]]:
        """Read a batch for a stream: the batch up to the token that ended the answer, and a delta for each piece."""
        answer = self._answer
        deltas: list[Delta] = []
        for count, event in enumerate(events, 1):
            deltas += answer.feed(event.token_id, is_end=event.finish == "eos")
            if answer.stopped:
                events = events[:count]
                break
        return self._count(events), deltas

    def measure(self) -> None:
        """Take over the phases that the backend has measured since the last time."""
        spans = self._backend.spans(self._job.request_id, self._num_spans) if self._batches else ()
        self._num_spans += len(spans)
        for span in spans:
            self.timing.add(Interval(span.phase, span.start_ns, span.end_ns))

    def flush(self) -> Sequence[Delta]:
        """Text that was held back until the end was certain."""
        deltas = self._answer.flush()
        self.text.add(deltas)
        return deltas

    def end(self) -> Sequence[Delta]:
        """The answer has come to its own end: settle it. Returns as `flush` does."""
        self.measure()
        deltas = self.flush()
        self.finish_reason = self._answer.finish_reason(self._cause or "length")
        self.is_complete = True
        return deltas

    async def complete(self, *, stall_timeout_s: float, on_tokens: Callable[[int], Any]) -> None:
        """Run to the end without streaming. `on_tokens` is told how many tokens have come, each time some do."""
        async with self.arrivals(stall_timeout_s, late="generation_error") as arrivals:
            while not self.has_ended:
                events = await arrivals.next()
                handled_ns = monotonic_ns()
                read = self.read(events)
                self.timing.tokens(read, handled_ns, handled_ns)
                on_tokens(len(read))
        self.end()

    def _count(self, events: Sequence[TokenEvent]) -> Sequence[TokenEvent]:
        self.events += events
        self._cause = events[-1].finish
        self.has_ended = self._cause is not None or self._answer.stopped
        return events
