"""Work on an NVIDIA GPU that was recorded as a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from torch import Tensor


class CudaGraphs:
    """Implements `kernels.recording.Recorder` with graphs that share one pool of memory."""

    padded: Final = True

    def __init__(self) -> None:
        self._pool = torch.cuda.graph_pool_handle()

    def record(self, work: Callable[[], Tensor]) -> CudaGraph:
        """Do the work once, so that all its kernels are compiled, and once more as a recording."""
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            work()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        # Other threads may go on using the GPU: only this one must not wait for it meanwhile.
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            result = work()
        return CudaGraph(graph, result)


class CudaGraph:
    """Implements `kernels.recording.Recording`."""

    def __init__(self, graph: torch.cuda.CUDAGraph, result: Tensor) -> None:
        self._graph = graph
        self._result = result

    def replay(self) -> Tensor:
        """Queue it on the current stream."""
        self._graph.replay()
        return self._result
