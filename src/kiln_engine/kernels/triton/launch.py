"""A kernel with everything that it is started with, so that the same thing can be run, and compiled ahead of time."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import triton
from torch import Tensor

INTERPRETED: Final[bool] = triton.knobs.runtime.interpret
"""Whether kernels run in Triton's interpreter, on the CPU: TRITON_INTERPRET was set when Triton was imported."""


class Launch(NamedTuple):
    """One start of a kernel. `args` and `constants` are by parameter name; constants are compiled in."""

    kernel: Any
    grid: tuple[int, ...]
    args: dict[str, Tensor | int | float]
    constants: dict[str, int | bool]
    num_warps: int = 4
    num_stages: int = 2

    @property
    def options(self) -> dict[str, int | bool]:
        """How to compile. A product is never fused with a sum: where a compiler does that changes bits."""
        return {"num_warps": self.num_warps, "num_stages": self.num_stages, "enable_fp_fusion": False}

    def run(self) -> None:
        """Queue it on the current stream of the arguments' GPU, or run it in the interpreter."""
        self.kernel[self.grid](**self.args, **self.constants, **self.options)


def padded(size: int, least: int = 1) -> int:
    """The smallest power of two that holds `size` elements, and at least `least`: Triton's tiles have such sides."""
    return max(least, int(triton.next_power_of_2(size)))
