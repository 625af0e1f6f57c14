"""Run one answer: tokens from the backend, text from the pipeline, time from the clock."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from kiln_contract import thinking
from kiln_server.backend import Backend, BackendError, FinishCause, Generation, TokenEvent
from kiln_server.deadline import MovingDeadline
from kiln_server.errors import ApiError
from kiln_server.plan import Plan
from kiln_server.text.answer import Answer, Delta, FinishedAnswer, FinishReason
from kiln_server.timing import Interval, Timing


class Step(NamedTuple):
    """One token and the text that it made certain; `handled_ns` is when the server received it."""

    event: TokenEvent
    deltas: Sequence[Delta]
    handled_ns: int


def new_call_id() -> str:
    """An id for a tool call."""
    return "call_" + uuid.uuid4().hex


class Run:
    """One answer, from its first token to its finish reason.

    Iterate `steps` once; `text`, `finish_reason`, `events` and `timing` are complete after that, and hold what there
    was when it failed.
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
        self.is_complete = False
        """Whether the answer came to its own end."""
        self.text = FinishedAnswer()
        self.events: list[TokenEvent] = []
        self.timing = Timing(received_ns, backend.capabilities.phases)
        self.finish_reason: FinishReason = "length"
        self._backend = backend
        self._batches: AsyncGenerator[Sequence[TokenEvent], None] | None = None
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

    def begin(self) -> None:
        """Hand the job to the backend. Answers of one request begin in order, whichever is awaited first."""
        if self.task.limit:
            self._batches = self._backend.generate(self._job)

    async def steps(self, *, stall_timeout_s: float) -> AsyncGenerator[Sequence[Step], None]:
        """Tokens as they come, after `begin`, those together that came together; call `flush` after the last.

        Raises ApiError when the backend fails or gives nothing for too long.
        """
        if self._batches is None:
            self.is_complete = True  # no tokens were asked for
            return
        cause: FinishCause | None = None
        patience = MovingDeadline(stall_timeout_s, lambda: _stalled(stall_timeout_s))
        async with aclosing(self._batches) as batches:
            with patience:
                while cause is None and not self._answer.stopped:
                    batch = await _next(batches, patience)
                    handled_ns = time.monotonic_ns()
                    steps = []
                    for event in batch:
                        self.events.append(event)
                        cause = event.finish
                        deltas = self._keep(self._answer.feed(event.token_id, is_end=cause == "eos"))
                        steps.append(Step(event, deltas, handled_ns))
                        if cause is not None or self._answer.stopped:
                            # What the backend made beyond this token does not exist for anyone.
                            break
                    yield steps
        for span in self._backend.spans(self._job.request_id):
            self.timing.add(Interval(span.phase, span.start_ns, span.end_ns))
        self.finish_reason = self._answer.finish_reason(cause)
        self.is_complete = True

    def flush(self) -> Sequence[Delta]:
        """Text that was held back until the end was certain."""
        return self._keep(self._answer.flush())

    def _keep(self, deltas: Sequence[Delta]) -> Sequence[Delta]:
        self.text.add(deltas)
        return deltas

    async def complete(self, *, stall_timeout_s: float, on_tokens: Callable[[int], Any]) -> None:
        """Run to the end without streaming. `on_tokens` is told how many tokens have come, each time some do."""
        async with aclosing(self.steps(stall_timeout_s=stall_timeout_s)) as batches:
            async for steps in batches:
                for step in steps:
                    self.timing.token(step.event, step.handled_ns, step.handled_ns)
                on_tokens(len(steps))
        self.flush()


async def _next(batches: AsyncGenerator[Sequence[TokenEvent], None], patience: MovingDeadline) -> Sequence[TokenEvent]:
    patience.expect()
    try:
        return await anext(batches)
    except StopAsyncIteration:
        raise ApiError("generation_error", "the backend ended an answer without saying why") from None
    except BackendError as error:
        raise ApiError("generation_error", str(error)) from error
    finally:
        patience.arrived()


def _stalled(after_s: float) -> ApiError:
    return ApiError("stalled", f"the model gave no token for {after_s:g} seconds")
