"""Why a checkpoint cannot be loaded."""

from __future__ import annotations

from kiln_engine.errors import EngineError


class LoadError(EngineError):
    """A checkpoint is damaged, incomplete or of a kind that is not supported. Says which file, what, and what is."""
