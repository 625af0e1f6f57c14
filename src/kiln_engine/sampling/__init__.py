"""Drawing tokens from logits: penalties, temperature, top-k, min-p, top-p, draw.

`Sampler` serves the rows of a step, `SamplerState` is what it knows of one answer. A row's result is the same to the
bit whatever rows stand beside it.
"""

from __future__ import annotations

from kiln_engine.sampling.sampler import Draw, Sampler
from kiln_engine.sampling.state import SamplerState

__all__ = ["Draw", "Sampler", "SamplerState"]
