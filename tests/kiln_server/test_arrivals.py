"""What comes of a backend's batches while they are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
import structlog

from kiln_server.arrivals import Arrivals
from kiln_server.backend import BackendError, TokenEvent
from kiln_server.errors import ApiError

pytestmark = pytest.mark.anyio

FIRST = TokenEvent(1, 1)
LAST = TokenEvent(2, 2, finish="eos")


class Source:
    """A backend's answer that yields these batches, and then does as it is told."""

    def __init__(self, *batches: Sequence[TokenEvent], then: BaseException | float | None = None) -> None:
        self._batches = batches
        self._then = then
        self.closed = False

    async def answer(self) -> AsyncGenerator[Sequence[TokenEvent], None]:
        try:
            for batch in self._batches:
                yield batch
            if isinstance(self._then, BaseException):
                raise self._then
            if self._then is not None:
                await asyncio.sleep(self._then)
        finally:
            self.closed = True


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_what_follows_the_last_token_does_not_exist() -> None:
    async with Arrivals(Source([FIRST], [FIRST, LAST, FIRST], [LAST]).answer(), 10, request_id="r") as arrivals:
        assert await arrivals.next() == [FIRST]
        assert await arrivals.next() == [FIRST, LAST]
        assert await arrivals.next() == [LAST]


async def test_the_work_is_cancelled_with_the_context() -> None:
    source = Source([FIRST], then=60)
    async with Arrivals(source.answer(), 10, request_id="r") as arrivals:
        await arrivals.next()
        assert not source.closed
    assert source.closed


@pytest.mark.parametrize(
    ("then", "code", "words"),
    [
        (BackendError("out of memory"), "generation_error", "out of memory"),
        (None, "generation_error", "without saying why"),
        (60.0, "stalled", "no token for 0.02 seconds"),
        (ZeroDivisionError("layers"), "generation_error", "^the backend failed while it ran this answer$"),
    ],
)
async def test_a_failure_is_told_in_the_servers_words(
    then: BaseException | float | None, code: str, words: str
) -> None:
    source = Source([FIRST], then=then)

    async def wait() -> None:
        async with Arrivals(source.answer(), 0.02, request_id="r") as arrivals:
            await arrivals.next()
            await arrivals.next()

    with pytest.raises(ApiError, match=words) as caught:
        await wait()
    assert caught.value.code == code
    assert source.closed


async def test_a_stall_is_called_as_the_caller_asks() -> None:
    async def wait() -> None:
        async with Arrivals(Source(then=60).answer(), 0.02, request_id="r", late="generation_error") as arrivals:
            await arrivals.next()

    with pytest.raises(ApiError, match=r"no token for 0.02 seconds") as caught:
        await wait()
    assert caught.value.code == "generation_error"


async def test_a_fault_of_the_backend_is_logged_with_the_request() -> None:
    with structlog.testing.capture_logs() as logs:
        async with Arrivals(Source(then=ZeroDivisionError("layers")).answer(), 10, request_id="r-1") as arrivals:
            with pytest.raises(ApiError):
                await arrivals.next()
    (line,) = logs
    assert (line["event"], line["request_id"]) == ("backend_failed", "r-1")
    assert isinstance(line["exc_info"], ZeroDivisionError)


async def test_an_answer_of_no_tokens_has_nothing_to_wait_for() -> None:
    async with Arrivals(None, 10, request_id="r") as arrivals:
        with pytest.raises(ValueError, match="nothing to wait for"):
            await arrivals.next()
