"""Jobs for backends under test, and what comes of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from msgspec.structs import replace

from kiln_server.backend import BackendError, Generation, Sampling, Scoring, TokenEvent
from kiln_server.backends.mock import MockBackend
from kiln_server.backends.script import parse

GREEDY = Sampling(temperature=0.0)
RANDOM = Sampling(temperature=1.0)

JOB = Generation(request_id="r", group="g", prompt_ids=(104, 105), choice=0, max_tokens=64, seed=42, sampling=RANDOM)


def job(**changes: Any) -> Generation:
    return replace(JOB, **changes)


async def read_until_failure(batches: AsyncGenerator[Sequence[TokenEvent], None]) -> tuple[list[int], str]:
    """The tokens that came before an answer failed, and the message it failed with."""
    seen: list[int] = []
    try:
        async for batch in batches:
            seen += [event.token_id for event in batch]
    except BackendError as error:
        return seen, str(error)
    raise AssertionError(f"nothing failed after {seen}")


def scoring(prompt_ids: tuple[int, ...], top_k: int) -> Scoring:
    return Scoring(request_id="r", prompt_ids=prompt_ids, top_k=top_k)


def mock(**script: Any) -> MockBackend:
    """A mock backend of a script as its file spells it."""
    return MockBackend(parse(script))
