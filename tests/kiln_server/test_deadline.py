"""A deadline that moves, and does not run while nothing is awaited."""

from __future__ import annotations

import asyncio

import pytest

from kiln_server.deadline import MovingDeadline

LIMIT_S = 0.05


class LateError(Exception):
    pass


async def _steps(expected: list[float], pauses: list[float]) -> None:
    with MovingDeadline(LIMIT_S, LateError) as deadline:
        for expected_s, pause_s in zip(expected, pauses, strict=True):
            deadline.expect()
            await asyncio.sleep(expected_s)
            deadline.arrived()
            await asyncio.sleep(pause_s)


def test_what_comes_in_time_may_take_long_in_all() -> None:
    asyncio.run(_steps([LIMIT_S / 5] * 20, [0.0] * 20))


def test_pauses_do_not_count() -> None:
    asyncio.run(_steps([0.0, 0.0], [3 * LIMIT_S, 3 * LIMIT_S]))


@pytest.mark.parametrize("before", [0, 7])
def test_what_is_late_ends_the_block(before: int) -> None:
    with pytest.raises(LateError):
        asyncio.run(asyncio.wait_for(_steps([*[LIMIT_S / 5] * before, 60.0], [0.0] * (before + 1)), 5))
