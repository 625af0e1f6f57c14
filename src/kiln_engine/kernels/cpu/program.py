"""Recorded work of the CPU kernels: one call of the library does all of it, without Python in between."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final

import torch

from kiln_engine.kernels.cpu.library import CallStruct
from kiln_engine.kernels.cpu.lifetimes import Lifetime, Placement, place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from kiln_engine.kernels.cpu.kernels import CpuKernels
    from kiln_engine.kernels.cpu.tape import Tape


class CpuRecorder:
    """Implements `kernels.recording.Recorder`. All its programs share the memory of what passes between their calls."""

    padded: Final = False

    def __init__(self, kernels: CpuKernels) -> None:
        self._kernels = kernels
        self._memory = torch.empty(0, dtype=torch.uint8)

    def record(self, work: Callable[[], Tensor]) -> Program:
        """Do the work once, and keep its calls. Its result must be an output of one of them."""
        with self._kernels.taped() as tape:
            result = work()
        buffers = _Buffers(tape)
        placement = place(buffers.lifetimes(result))
        if placement.num_bytes > self._memory.nbytes:
            # Earlier programs keep the smaller one: each time it at least doubles, so all of them together are no more.
            self._memory = torch.empty(max(placement.num_bytes, 2 * self._memory.nbytes), dtype=torch.uint8)
        return Program(self._kernels, tape, buffers, result, placement, self._memory)


class Program:
    """Implements `kernels.recording.Recording`."""

    def __init__(
        self, kernels: CpuKernels, tape: Tape, buffers: _Buffers, result: Tensor, placement: Placement, memory: Tensor
    ) -> None:
        self._kernels = kernels
        self._indices = tuple(tape.indices)
        places = [memory.data_ptr() + offset for offset in placement.offsets]
        start = placement.offsets[buffers.number(result)]
        self._result = memory[start : start + result.nbytes].view(result.dtype).view(result.shape)
        self._calls = (CallStruct * len(tape.calls))(
            *(
                CallStruct.of(function, [buffers.moved(value, places) for value in arguments])
                for function, arguments in tape.calls
            )
        )

    def replay(self) -> Tensor:
        for indices in self._indices:
            indices.check()
        self._kernels.run(self._calls)
        return self._result


class _Buffers:
    """The buffers of a tape by address, and when its calls use them."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._by_address = sorted((buffer.data_ptr(), number) for number, buffer in enumerate(tape.buffers))

    def number(self, result: Tensor) -> int:
        """Which buffer a result is. Raises ValueError when it is none."""
        found = self._find(result.data_ptr())
        if found is None or self._tape.buffers[found[0]].nbytes != result.nbytes:
            raise ValueError("what was recorded gives a result that no kernel made")
        return found[0]

    def lifetimes(self, result: Tensor) -> list[Lifetime]:
        """From the first call that has a buffer's address to the last; a result is in use to the end."""
        calls = self._tape.calls
        used: list[list[int]] = [[] for _ in self._tape.buffers]
        for moment, (_, arguments) in enumerate(calls):
            for found in filter(None, map(self._find, arguments)):
                used[found[0]].append(moment)
        used[self.number(result)].append(len(calls))
        return [
            Lifetime(buffer.nbytes, min(moments, default=0), max(moments, default=0))
            for buffer, moments in zip(self._tape.buffers, used, strict=True)
        ]

    def moved(self, value: Any, places: Sequence[int]) -> Any:
        """An argument as it is once each buffer is at its new place."""
        found = self._find(value)
        return value if found is None else places[found[0]] + found[1]

    def _find(self, value: object) -> tuple[int, int] | None:
        """Which buffer an argument lies in, and how far from its beginning."""
        if not isinstance(value, int):
            return None
        index = bisect_right(self._by_address, (value, len(self._by_address))) - 1
        if index < 0:
            return None
        address, number = self._by_address[index]
        inside = value - address < max(self._tape.buffers[number].nbytes, 1)
        return (number, value - address) if inside else None
