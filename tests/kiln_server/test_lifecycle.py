from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from kiln_server.backend import Progress
from kiln_server.errors import ApiError
from kiln_server.lifecycle import Lifecycle


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def refusal(lifecycle: Lifecycle) -> ApiError:
    with pytest.raises(ApiError) as caught:
        lifecycle.require_ready()
    return caught.value


class TestStates:
    def test_loads_is_ready_and_drains(self) -> None:
        lifecycle = Lifecycle()
        states = [lifecycle.state]
        lifecycle.loaded()
        states.append(lifecycle.state)
        lifecycle.require_ready()
        lifecycle.begin_drain()
        states.append(lifecycle.state)
        assert states == ["loading", "ready", "draining"]

    def test_a_backend_that_is_ready_too_late_does_not_end_a_drain(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.begin_drain()
        lifecycle.loaded()
        assert lifecycle.state == "draining"

    def test_a_failure_stays_one(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.fail()
        lifecycle.begin_drain()
        lifecycle.loaded()
        assert lifecycle.state == "failed"

    @pytest.mark.parametrize("end", [Lifecycle.begin_drain, Lifecycle.loaded])
    def test_the_backend_stays_loaded(self, end: Callable[[Lifecycle], None]) -> None:
        lifecycle = Lifecycle()
        before = lifecycle.has_loaded
        end(lifecycle)
        lifecycle.loaded()
        lifecycle.begin_drain()
        assert (before, lifecycle.has_loaded) == (False, True)


class TestRefusal:
    @pytest.mark.parametrize(
        ("progress", "message"),
        [
            (None, "The model is loading."),
            (Progress("reading weights"), "The model is loading (reading weights)."),
            (Progress("reading weights", 0.414), "The model is loading (reading weights, 41%)."),
        ],
    )
    def test_says_how_far_loading_has_come(self, progress: Progress | None, message: str) -> None:
        lifecycle = Lifecycle()
        if progress is not None:
            lifecycle.report(progress)
        error = refusal(lifecycle)
        assert (error.code, error.message, error.headers["retry-after"]) == ("loading", message, "5")

    @pytest.mark.parametrize("end", [Lifecycle.begin_drain, Lifecycle.fail])
    def test_says_that_the_server_ends(self, end: Callable[[Lifecycle], None]) -> None:
        lifecycle = Lifecycle()
        end(lifecycle)
        assert refusal(lifecycle).code == "draining"


class TestCuttingOff:
    def test_work_learns_why(self) -> None:
        lifecycle, errors = Lifecycle(), list[ApiError]()
        lifecycle.loaded()
        with lifecycle.work(errors.append), lifecycle.work():
            lifecycle.begin_drain()
            assert errors == []
            lifecycle.cut_off()
            assert [error.code for error in errors] == ["draining"]
        lifecycle.cut_off()
        assert len(errors) == 1

    def test_how_may_change_while_it_runs(self) -> None:
        lifecycle, early, late = Lifecycle(), list[ApiError](), list[ApiError]()
        lifecycle.loaded()
        with lifecycle.work(early.append) as work:
            work.cut = late.append
            lifecycle.cut_off()
        assert (len(early), len(late)) == (0, 1)

    def test_who_is_no_work_yet_is_refused_when_the_drain_begins(self) -> None:
        lifecycle, stays, left, comes = Lifecycle(), list[ApiError](), list[ApiError](), list[ApiError]()
        lifecycle.loaded()
        lifecycle.on_drain(stays.append)
        lifecycle.on_drain(cut := left.append)
        lifecycle.off_drain(cut)
        lifecycle.off_drain(cut)
        lifecycle.begin_drain()
        lifecycle.on_drain(comes.append)
        assert [len(each) for each in (stays, left, comes)] == [1, 0, 1]
        assert lifecycle.num_waiting == 0


class TestWork:
    def test_counts_what_is_in_flight(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.loaded()
        with lifecycle.work(), lifecycle.work():
            assert lifecycle.in_flight == 2
        assert lifecycle.in_flight == 0

    def test_counts_down_after_an_error(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.loaded()
        with pytest.raises(ZeroDivisionError), lifecycle.work():
            raise ZeroDivisionError
        assert lifecycle.in_flight == 0

    def test_takes_no_work_unless_ready(self) -> None:
        lifecycle = Lifecycle()
        with pytest.raises(ApiError), lifecycle.work():
            pass
        assert lifecycle.in_flight == 0

    @pytest.mark.anyio
    async def test_idle_waits_for_the_last_one(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.loaded()
        await lifecycle.idle()  # nothing to wait for
        order: list[str] = []

        async def work(name: str, seconds: float) -> None:
            with lifecycle.work():
                await anyio.sleep(seconds)
                order.append(name)

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(work, "short", 0.01)
                tasks.start_soon(work, "long", 0.03)
                await anyio.lowlevel.checkpoint()
                lifecycle.begin_drain()
                await lifecycle.idle()
                order.append("idle")
        assert order == ["short", "long", "idle"]

    @pytest.mark.anyio
    async def test_idle_waits_on_when_new_work_begins_at_once(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.loaded()
        done: list[str] = []

        async def wait() -> None:
            await lifecycle.idle()
            done.append("idle")

        async with anyio.create_task_group() as tasks:
            with lifecycle.work():
                tasks.start_soon(wait)
                await anyio.sleep(0.01)
            with lifecycle.work():
                await anyio.sleep(0.01)
                assert not done

    @pytest.mark.anyio
    async def test_idle_can_be_waited_for_twice(self) -> None:
        lifecycle = Lifecycle()
        lifecycle.loaded()
        for _ in range(2):
            async with anyio.create_task_group() as tasks:
                with lifecycle.work():
                    tasks.start_soon(lifecycle.idle)
                    await anyio.sleep(0.01)
