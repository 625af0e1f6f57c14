"""Tokens as a backend gives them, awaited with patience."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from operator import attrgetter
from types import TracebackType
from typing import Final, Literal, Self

import structlog

from kiln_server.backend import BackendError, TokenEvent
from kiln_server.deadline import MovingDeadline
from kiln_server.errors import ApiError

_log: Final = structlog.get_logger()

Late = Literal["stalled", "generation_error"]
"""How a stall is called: by a name of its own in a stream, elsewhere as any failure of the model."""

_FINISH: Final = attrgetter("finish")


class Arrivals:
    """The batches of one answer, whose work is cancelled when this context ends; None when there are none.

    Raises ApiError `generation_error` when the backend fails, or `late` when it gives nothing for `stall_timeout_s`.
    """

    def __init__(
        self,
        batches: AsyncGenerator[Sequence[TokenEvent], None] | None,
        stall_timeout_s: float,
        *,
        request_id: str,
        late: Late = "stalled",
    ) -> None:
        self._batches = batches
        self._request_id = request_id
        message = f"the model gave no token for {stall_timeout_s:g} seconds"
        self._patience = MovingDeadline(stall_timeout_s, lambda: ApiError(late, message))

    async def __aenter__(self) -> Self:
        self._patience.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            self._patience.__exit__(kind, error, at)
        finally:
            if self._batches is not None:
                await self._batches.aclose()

    async def next(self) -> Sequence[TokenEvent]:
        """The next batch: at least one event, and none after one with a finish."""
        if self._batches is None:
            raise ValueError("there is nothing to wait for")
        patience = self._patience
        patience.expect()
        try:
            events = await anext(self._batches)
        except StopAsyncIteration:
            raise ApiError("generation_error", "the backend ended an answer without saying why") from None
        except BackendError as error:
            raise ApiError("generation_error", str(error)) from error
        except Exception as error:
            # A fault of the backend's own, which tells a client nothing: it fails this answer, and no other.
            _log.error("backend_failed", request_id=self._request_id, exc_info=error)
            raise ApiError("generation_error", "the backend failed while it ran this answer") from error
        finally:
            patience.arrived()
        return events if len(events) == 1 else _up_to_finish(events)


def _up_to_finish(events: Sequence[TokenEvent]) -> Sequence[TokenEvent]:
    """What a backend made beyond the last token does not exist for anyone."""
    if any(map(_FINISH, events[:-1])):
        return events[: 1 + next(index for index, event in enumerate(events) if event.finish is not None)]
    return events
