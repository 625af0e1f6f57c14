"""Check the Triton kernels on the NVIDIA GPU of this machine: `python tests/gpu/check.py --out FOLDER`.

Compares every operation with float64 and with itself in other batches, then times it beside torch and a copy of memory.
Ends with status 1 when a comparison does not hold. With --interpret it runs small cases in Triton's interpreter,
without a GPU and without timing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

_ROOT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from tests.gpu.finding import Finding
    from tests.gpu.report import Report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks; returns the exit status."""
    started = time.monotonic()
    options = _parser().parse_args(arguments)
    if options.interpret:
        os.environ["TRITON_INTERPRET"] = "1"  # read when Triton is imported, which is below
    sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]
    if not options.interpret:
        _require_gpu()
    from tests.gpu.report import Report

    report = Report(_machine(interpreted=options.interpret))
    try:
        _run(report, interpret=options.interpret, deadline=started + options.minutes * 60)
    finally:
        report.seconds = time.monotonic() - started
        report.write(options.out)
    print(report.text())
    return 1 if report.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = Path(os.environ.get("OUT", "."))
    parser.add_argument("--out", type=Path, default=folder, help="where the report goes (default: $OUT, or here)")
    parser.add_argument("--interpret", action="store_true", help="small cases in Triton's interpreter, on the CPU")
    parser.add_argument("--minutes", type=float, default=7, help="when to start no further timing (default: 7)")
    return parser


def _require_gpu() -> None:
    import torch

    if not torch.cuda.is_available():
        raise SystemExit(
            f"torch {torch.__version__} finds no CUDA device; use --interpret to try the checks without one"
        )


def _machine(*, interpreted: bool) -> dict[str, str]:
    import torch
    import triton

    device = "Triton's interpreter" if interpreted else torch.cuda.get_device_name()
    return {"device": device, "torch": torch.__version__, "triton": triton.__version__}


def _run(report: Report, *, interpret: bool, deadline: float) -> None:
    import torch

    from kiln_engine.kernels.triton.cuda_graph import CudaGraphs
    from kiln_engine.kernels.triton.kernels import TritonKernels
    from tests.gpu.again import AgainRecorder
    from tests.gpu.exactness import exactness
    from tests.gpu.graphs import graphs
    from tests.gpu.parity import parity
    from tests.gpu.ragged import Place
    from tests.gpu.workload import FULL, SMALL

    kernels, workload = TritonKernels(), SMALL if interpret else FULL
    places = [Place(torch.device("cpu" if interpret else "cuda"), dtype) for dtype in (torch.bfloat16, torch.float32)]
    with ExitStack() as stack:
        if interpret:
            from tests.gpu.ordered_dot import ordered_dot

            stack.enter_context(ordered_dot())
        for place in places:
            _collect(report.parity, parity(kernels, place, workload))
            _collect(report.exactness, exactness(kernels, place, workload))
            _collect(report.exactness, graphs(kernels, place, workload, AgainRecorder() if interpret else CudaGraphs()))
    if not interpret:
        _measure(report, deadline)


def _measure(report: Report, deadline: float) -> None:
    import torch

    from kiln_engine.kernels.triton.cuda_graph import CudaGraphs
    from kiln_engine.kernels.triton.kernels import TritonKernels
    from tests.gpu.graphs import graph_timing
    from tests.gpu.probe import row_tiles
    from tests.gpu.ragged import Place
    from tests.gpu.timing import Stopwatch, timings
    from tests.gpu.workload import FULL

    place, watch = Place(torch.device("cuda"), torch.bfloat16), Stopwatch()
    report.copy_gigabytes_per_s = watch.copy_gigabytes_per_s()
    _collect(report.probes, row_tiles(place))
    kernels = TritonKernels()
    report.timings.append(graph_timing(kernels, place, FULL, CudaGraphs(), watch))
    for timing in timings(kernels, place, watch):
        report.timings.append(timing)
        if time.monotonic() > deadline:
            report.left_out.append(f"out of time after {timing.operation}, {timing.case}: the rest was not timed")
            return


def _collect(into: list[Finding], found: Iterator[Finding]) -> None:
    for finding in found:
        into.append(finding)
        print(".", end="", flush=True, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
