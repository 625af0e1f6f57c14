"""Blocks that are ended from outside."""

from __future__ import annotations

import asyncio

import pytest

from kiln_server.edge.interrupt import Interruptible


class StopError(Exception):
    pass


def test_an_interrupt_ends_the_block_with_its_error() -> None:
    async def run() -> str:
        cleaned = []

        async def work() -> None:
            with Interruptible() as block:
                asyncio.get_running_loop().call_soon(block.interrupt, StopError())
                try:
                    await asyncio.sleep(10)
                finally:
                    cleaned.append(True)

        with pytest.raises(StopError):
            await work()
        assert cleaned
        await asyncio.sleep(0)  # the task itself goes on, and is not cancelled any more
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        return "went on"

    assert asyncio.run(run()) == "went on"


def test_a_block_that_ends_by_itself() -> None:
    async def run() -> int:
        with Interruptible() as block:
            value = 1
        block.interrupt(StopError())  # too late
        await asyncio.sleep(0)
        return value

    assert asyncio.run(run()) == 1


def test_the_blocks_own_error_passes_through() -> None:
    async def run() -> None:
        with Interruptible() as block:
            asyncio.get_running_loop().call_soon(block.interrupt, StopError())
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                raise ValueError from None

    with pytest.raises(ValueError):  # noqa: PT011 - a bare one
        asyncio.run(run())


def test_a_cancellation_from_elsewhere_passes_through() -> None:
    async def run() -> None:
        async def work() -> None:
            with Interruptible() as block:
                blocks.append(block)
                await asyncio.sleep(10)

        blocks: list[Interruptible] = []
        for and_interrupted in (False, True):
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            task.cancel()
            if and_interrupted:
                blocks[-1].interrupt(StopError())
            with pytest.raises(asyncio.CancelledError):
                await task
            assert task.cancelled()

    asyncio.run(run())


def test_only_the_first_interrupt_counts() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        with Interruptible() as block:
            loop.call_soon(block.interrupt, StopError("first"))
            loop.call_soon(block.interrupt, StopError("second"))
            await asyncio.sleep(10)

    with pytest.raises(StopError, match="first"):
        asyncio.run(run())


def test_blocks_nest() -> None:
    async def run() -> None:
        with Interruptible() as outer, Interruptible():
            asyncio.get_running_loop().call_soon(outer.interrupt, StopError("outer"))
            await asyncio.sleep(10)

    with pytest.raises(StopError, match="outer"):
        asyncio.run(run())


def test_a_task_is_needed() -> None:
    async def inside() -> None:
        loop = asyncio.get_running_loop()
        failure = loop.create_future()

        def callback() -> None:
            try:
                Interruptible().__enter__()
            except RuntimeError as error:
                failure.set_result(error)

        loop.call_soon(callback)
        assert "task" in str(await failure)

    asyncio.run(inside())
