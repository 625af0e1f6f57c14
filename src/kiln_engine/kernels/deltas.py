"""What adapters add to a product, for every implementation that does not fuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kiln_engine.batch import Segment
    from kiln_engine.weights import Linear


def add_deltas(y: Tensor, x: Tensor, weight: Linear, segments: Sequence[Segment]) -> None:
    """Add to y [N, out] what each segment's adapter makes of its own rows of x [N, in]; slot 0 adds nothing."""
    for start, stop, slot in segments:
        for part in weight.parts if slot else ():
            delta = weight.deltas.get((slot, part.name))
            if delta is not None:
                y[start:stop, part.start : part.stop] += delta(x[start:stop])
