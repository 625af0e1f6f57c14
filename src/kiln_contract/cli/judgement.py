"""What the command found out about one document."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kiln_contract.cli.exits import Exit
from kiln_contract.cli.locate import Position
from kiln_contract.errors import Violation


class Placed(NamedTuple):
    """A violation with its place in the file, where that is known."""

    violation: Violation
    position: Position | None = None


class StreamSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A stream in numbers, free of its content. `tokens` counts token timings."""

    outcome: str
    events: int
    comments: int
    tokens: int


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one document, with its violations and with the `problem` that kept (the rest of) it unchecked.

    `line` is set for a document of a JSON Lines file. `definition` is None where nothing tells it. `is_cut` says that
    as many violations were found as were asked for, so there may be more.
    """

    path: str
    exit: Exit
    line: int | None = None
    definition: str | None = None
    problem: str | None = None
    violations: list[Placed] = []
    is_cut: bool = False
    stream: StreamSummary | None = None
