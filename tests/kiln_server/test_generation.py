"""One answer, read whole and read for a stream."""

from __future__ import annotations

from typing import Any

import pytest

from kiln_contract import ChatCompletionRequest
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse
from kiln_server.generation import Run
from kiln_server.text.answer import FinishedAnswer
from tests.kiln_server.services import new_service

pytestmark = pytest.mark.anyio

CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def run_of(pieces: list[str], **members: Any) -> Run:
    """A run that has begun: the answer's pieces, and members of the request."""
    backend = MockBackend(parse({"answers": [pieces]}))
    request = ChatCompletionRequest(**{"messages": [{"role": "user", "content": "hi"}], **members})
    plan = new_service(backend).planner.chat(_converted(request))
    run = Run(backend, plan, 0, choice=0, request_id="r", received_ns=1)
    run.begin()
    return run


def _converted(request: ChatCompletionRequest) -> ChatCompletionRequest:
    from kiln_contract import decode, encode

    return decode(ChatCompletionRequest, encode(request))


async def completed(run: Run) -> FinishedAnswer:
    counts: list[int] = []
    await run.complete(stall_timeout_s=10, on_tokens=counts.append)
    assert sum(counts) == run.num_tokens == run.timing.num_tokens
    return run.text


async def streamed(run: Run) -> FinishedAnswer:
    text = FinishedAnswer()
    async with run.arrivals(10) as arrivals:
        while not run.has_ended:
            _, deltas = run.read_each(await arrivals.next())
            text.add(deltas)
    text.add(run.end())
    return text


@pytest.mark.parametrize("read", [completed, streamed])
@pytest.mark.parametrize(
    ("pieces", "members", "content", "num_tokens", "reason"),
    [
        (["a", "b"], {}, "ab", 3, "stop"),
        (["a", "b", "c"], {"max_tokens": 2}, "ab", 2, "length"),
        (["a", "STO", "P", "c"], {"stop": "STOP"}, "a", 3, "stop"),
        (["a", "STO"], {"stop": "STOP"}, "aSTO", 3, "stop"),
        (["a"], {"max_tokens": 0}, "", 0, "length"),
        ([CALL], {"tools": TOOLS}, "", 2, "tool_calls"),
        # The end of the call may begin a stop string, so it is a call only once nothing follows.
        ([CALL], {"tools": TOOLS, "stop": "</tool_call>!"}, "", 2, "tool_calls"),
    ],
)
async def test_both_ways_of_reading_see_the_same(
    read: Any, pieces: list[str], members: dict[str, Any], content: str, num_tokens: int, reason: str
) -> None:
    run = run_of(pieces, **members)
    text = await read(run)
    assert (text.content, run.num_tokens, run.finish_reason) == (content, num_tokens, reason)
    assert len(text.tool_calls) == (reason == "tool_calls")
    assert run.is_complete
    assert run.has_ended
