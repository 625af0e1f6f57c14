"""Whether tiles with other numbers of rows would give the same bits on this GPU: then they could be chosen by batch.

Nothing depends on the answer today. Tiles of 16 rows would spare work in a decode step, those of 128 in a prefill.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from kiln_engine.kernels.triton.linear import linear_launches, product_tile
from tests.gpu.finding import Finding, same
from tests.gpu.ragged import Draw, Place


def row_tiles(place: Place) -> Iterator[Finding]:
    """Compare products by tiles of 16, 32 and 128 rows with those by the tile in use."""
    draw = Draw(0, place)
    x, weight = draw(128, 4096), draw(4096, 4096)
    tile = product_tile(weight)
    results = {}
    for rows in (tile.rows, 16, 32, 128):
        results[rows] = x.new_empty(128, 4096)
        for launch in linear_launches(x, weight, None, results[rows], tile._replace(rows=rows)):
            launch.run()
    torch.cuda.synchronize()
    for rows in (16, 32, 128):
        yield same("linear", f"tiles of {rows} rows for {tile.rows}", results[rows], results[tile.rows])
