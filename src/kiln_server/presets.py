"""Sampling values: named presets, and what a request overrides."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from kiln_server.backend import Sampling

PRESETS: Final[dict[str, Sampling]] = {
    "qwen3-thinking-general": Sampling(temperature=1.0, top_p=0.95, top_k=20, presence_penalty=1.5),
    "qwen3-thinking-coding": Sampling(temperature=0.6, top_p=0.95, top_k=20),
    "qwen3-non-thinking-general": Sampling(temperature=0.7, top_p=0.8, top_k=20, presence_penalty=1.5),
    "qwen3-non-thinking-reasoning": Sampling(temperature=1.0, top_p=0.95, top_k=20, presence_penalty=1.5),
    "greedy": Sampling(temperature=0.0),
}
"""Values that are not named are off: top_p 1, top_k 0, min_p 0, no penalties."""

FALLBACK: Final = "qwen3-thinking-general"
TOOLS: Final = "qwen3-thinking-coding"

PENALTIES: Final = ("presence_penalty", "frequency_penalty", "repetition_penalty")
VALUES: Final = ("temperature", "top_p", "top_k", "min_p", *PENALTIES)

_NO_PENALTIES: Final = {name: getattr(Sampling(temperature=0.0), name) for name in PENALTIES}
_VALUES_OF: Final = attrgetter(*VALUES)


def resolve_sampling(request: Any, *, has_tools: bool) -> Sampling:
    """The values a request samples with: its preset's, each replaced by what the request sets itself (not null).

    Without a preset, requests with tools get the coding values and all others the general ones.
    """
    preset = PRESETS[_preset_name(request.sampling_preset, has_tools=has_tools)]
    explicit = {
        name: value
        for name, value in zip(VALUES, _VALUES_OF(request), strict=True)
        if value is not UNSET and value is not None
    }
    sampling = replace(preset, **explicit, penalise_greedy=not explicit.keys().isdisjoint(PENALTIES))
    if not sampling.is_greedy:
        return sampling
    # A greedy choice knows no penalties but those that the request sets: what is recorded of it must say so.
    return replace(sampling, **{name: value for name, value in _NO_PENALTIES.items() if name not in explicit})


def _preset_name(name: Any, *, has_tools: bool) -> str:
    if name is UNSET or name is None:
        return TOOLS if has_tools else FALLBACK
    normal = name.strip().lower()
    # The later model generation's spelling names the same profile.
    normal = "qwen3-" + normal.removeprefix("qwen3.5-") if normal.startswith("qwen3.5-") else normal
    return normal if normal in PRESETS else FALLBACK
