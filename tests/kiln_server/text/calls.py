"""What some work costs, counted: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def num_calls(work: Callable[[], object]) -> int:
    """How many calls, of Python's or C's functions, some work takes."""
    calls = 0

    def count_one(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count_one)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls
