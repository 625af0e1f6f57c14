"""What happened in a soak, and whether that is good enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import linear_regression, median
from typing import Final

WARM_UP: Final = 0.2
"""The first part of the run, in which caches and pools may still fill."""

MAX_GROWTH: Final = 0.05
"""How much more memory the end of the run may need than its beginning after the warm-up, as a fraction."""

_MB: Final = 1e6
_BLOCKS: Final = "▁▂▃▄▅▆▇█"


@dataclass
class Soak:
    """What has happened so far. Times are seconds since the start, memory is bytes of the server process."""

    stayed: int = 0
    left: int = 0
    wrong: list[str] = field(default_factory=list)
    samples: list[tuple[float, int]] = field(default_factory=list)

    def growth(self) -> float:
        """Growth over the run after its warm-up, from a straight line through all samples, as a fraction."""
        counted = self.samples[int(len(self.samples) * WARM_UP) :]
        line = linear_regression(*zip(*counted, strict=True))
        return line.slope * (counted[-1][0] - counted[0][0]) / median(rss for _, rss in counted)

    def curve(self, width: int = 60) -> str:
        """Memory over time as a line of blocks, from zero to the most there was."""
        sizes = [rss for _, rss in self.samples]
        picked = sizes[:: max(1, len(sizes) // width)]
        return "".join(_BLOCKS[round(rss / max(sizes) * (len(_BLOCKS) - 1))] for rss in picked)

    def show(self) -> None:
        """Print how things stand."""
        at, rss = self.samples[-1]
        print(f"{at:6.0f} s  {rss / _MB:7.1f} MB  {self.stayed} answered  {self.left} left  {len(self.wrong)} wrong")

    def verdict(self) -> int:
        """Print the result; 0 when memory stayed flat and nothing was wrong, else 1."""
        flat = self.growth() <= MAX_GROWTH
        print(f"memory: {self.curve()}")
        told = "flat" if flat else "GROWS"
        print(f"growth after the warm-up: {self.growth():+.1%} (at most {MAX_GROWTH:.0%}): {told}")
        print(f"clients: {self.stayed} answered, {self.left} left early, {len(self.wrong)} wrong answers")
        for problem in self.wrong[:5]:
            print(f"  {problem}")
        return 0 if flat and not self.wrong else 1
