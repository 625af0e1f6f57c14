"""What the engine refuses to do, for the operator to read."""

from __future__ import annotations


class EngineError(Exception):
    """Something that was asked of the engine cannot be done. The message says what, and what to do."""
