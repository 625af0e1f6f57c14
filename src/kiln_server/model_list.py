"""The models found on this machine, as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TextIO

from rich.console import Console
from rich.table import Table

from kiln_server.backend import Offer


def write_models(offers: Sequence[Offer], out: TextIO) -> None:
    """Write one line a model."""
    table = Table("name", "family", "parameters", "size", "note", "location", box=None, pad_edge=False)
    for offer in offers:
        size, parameters = f"{offer.num_bytes / 1e6:,.0f} MB", f"{offer.num_parameters / 1e6:,.1f} M"
        table.add_row(offer.name, offer.family, parameters, size, offer.note, offer.location)
    drawn = StringIO()
    # As wide as it needs: a path that is cut or folded cannot be copied.
    Console(file=drawn, width=1000, soft_wrap=True).print(table)
    out.writelines(f"{line.rstrip()}\n" for line in drawn.getvalue().splitlines())  # the last column is padded too
