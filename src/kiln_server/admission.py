"""Who runs and who waits: a bounded number of running requests, and a bounded waiting room in order of arrival."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from math import ceil
from types import TracebackType
from typing import Final

from kiln_server.errors import ApiError

MAX_RETRY_S: Final = 60
"""The longest wait that a client is asked for; OpenAI's clients take longer ones for a mistake. Seconds."""


class Admission:
    """A running place for every admitted request, at most `max_running_requests` of them.

    Whoever finds none waits, first come first served, unless the waiting room is full: in requests, or in the prompt
    tokens of all that wait. Nobody overtakes. For one event loop.
    """

    def __init__(
        self,
        *,
        max_running_requests: int,
        max_waiting_requests: int,
        max_waiting_tokens: int,
        queue_timeout_s: float,
    ) -> None:
        self.running = 0
        """Admitted requests."""
        self.running_answers = 0
        """Answers of admitted requests: what a batching backend sees."""
        self.waiting_tokens = 0
        """Prompt tokens of all waiting requests."""
        self._max_running = max_running_requests
        self._max_waiting = max_waiting_requests
        self._max_waiting_tokens = max_waiting_tokens
        self._timeout_s = queue_timeout_s
        self._queue: deque[Ticket] = deque()
        self._pace = _Pace()

    @property
    def waiting(self) -> int:
        """Requests in the waiting room."""
        return len(self._queue)

    def admit(self, num_tokens: int, answers: int = 1) -> Ticket:
        """A context in which a request runs: `async with admission.admit(num_tokens) as ticket`.

        `num_tokens` are its prompt tokens. Entering waits for a place; it raises ApiError `queue_full` at once or
        `queue_timeout` after `queue_timeout_s`. A request that is cancelled while it waits leaves the room at once.
        """
        return Ticket(self, num_tokens, answers)

    def take(self, ticket: Ticket) -> bool:
        """Take a place if there is one; returns whether there was."""
        if not self._has_place:
            return False
        self.running += 1
        self.running_answers += ticket.answers
        return True

    def leave(self, ticket: Ticket) -> None:
        """Give a place back: to the longest waiting request, if there is one."""
        self.running_answers -= ticket.answers
        self._pass_on()

    async def wait(self, ticket: Ticket) -> None:
        """Take a place as soon as one is passed on. Raises as `admit` says."""
        if (refusal := self.refusal(ticket.num_tokens)) is not None:
            raise refusal
        if not self._queue:
            self._pace.begin()
        ticket.granted = asyncio.get_running_loop().create_future()
        self._queue.append(ticket)
        self.waiting_tokens += ticket.num_tokens
        began_ns = time.monotonic_ns()
        try:
            async with asyncio.timeout(self._timeout_s):
                await ticket.granted
        except BaseException as error:
            self._give_up(ticket)
            if isinstance(error, TimeoutError):
                message = f"No place became free in {self._timeout_s:g} s."
                raise ApiError("queue_timeout", message, retry_after_s=self._retry_after_s()) from None
            raise
        ticket.waited_ns = time.monotonic_ns() - began_ns
        self.running_answers += ticket.answers

    def refusal(self, num_tokens: int = 0) -> ApiError | None:
        """Why a request with such a prompt would be refused at once, or None."""
        if self._has_place:
            return None
        if self.waiting >= self._max_waiting:
            message = f"{self.waiting} requests are waiting already, and no more may."
        elif num_tokens > self._max_waiting_tokens:
            message = (
                f"All places are taken, and a prompt of {num_tokens} tokens may not wait: "
                f"{self._max_waiting_tokens} may wait in all."
            )
        elif self.waiting_tokens + num_tokens > self._max_waiting_tokens:
            message = f"{self.waiting_tokens} prompt tokens are waiting already; this request's do not fit in."
        else:
            return None
        return ApiError("queue_full", message, retry_after_s=self._retry_after_s())

    @property
    def _has_place(self) -> bool:
        # A place that becomes free is handed on, so while there is one nobody waits.
        return self.running < self._max_running

    def _give_up(self, ticket: Ticket) -> None:
        """Leave the waiting room, or give back a place that was granted in this very moment."""
        if ticket in self._queue:
            self._queue.remove(ticket)
            self.waiting_tokens -= ticket.num_tokens
        elif ticket.granted is not None and not ticket.granted.cancelled():
            self._pass_on()

    def _pass_on(self) -> None:
        while self._queue:
            ticket = self._queue.popleft()
            self.waiting_tokens -= ticket.num_tokens
            # A request that was cancelled, but has not run since, wants its place no more.
            if ticket.granted is not None and not ticket.granted.done():
                self._pace.advance()
                ticket.granted.set_result(None)
                return
        self.running -= 1

    def _retry_after_s(self) -> int:
        """When the requests that wait now will have been served, at the recent pace. Whole seconds."""
        return max(1, min(MAX_RETRY_S, ceil((self.waiting + 1) * self._pace.seconds_per_place())))


class Ticket:
    """One request's way through the admission; holds a running place between entry and exit."""

    def __init__(self, admission: Admission, num_tokens: int, answers: int) -> None:
        self.num_tokens = num_tokens
        self.answers = answers
        self.waited_ns = 0
        """How long it waited, on the monotonic clock in nanoseconds."""
        self.granted: asyncio.Future[None] | None = None
        """Set while it waits; done when it may run."""
        self._admission = admission

    async def __aenter__(self) -> Ticket:
        if not self._admission.take(self):
            await self._admission.wait(self)
        return self

    async def __aexit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._admission.leave(self)


class _Pace:
    """How fast the waiting room has moved of late. Times when nobody waits do not count."""

    def __init__(self) -> None:
        self._last_s = 0.0
        self._steps: deque[float] = deque(maxlen=32)

    def begin(self) -> None:
        """Someone waits, and nobody did."""
        self._last_s = time.monotonic()

    def advance(self) -> None:
        """The room has moved on by one."""
        now = time.monotonic()
        self._steps.append(now - self._last_s)
        self._last_s = now

    def seconds_per_place(self) -> float:
        """The mean of recent steps; before there was any, or when the present one takes longer, how long that is."""
        standing = time.monotonic() - self._last_s if self._last_s else 0.0
        return max(standing, sum(self._steps) / len(self._steps)) if self._steps else standing
