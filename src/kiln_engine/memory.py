"""How much memory there is, and how much of it a cache takes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import torch

from kiln_engine.cache import Cache, CachedLayer, CacheShape

HOST_SHARE: Final = 0.25
"""Share of the machine's memory that a cache takes by default: the rest is for the weights and for others."""

DEVICE_SHARE: Final = 0.85
"""Share of an accelerator's free memory, once the weights are there."""

_CGROUP_LIMIT: Final = Path("/sys/fs/cgroup/memory.max")


def bytes_per_block(layers: Sequence[CachedLayer], shape: CacheShape) -> int:
    """Memory of one block in every layer. Allocates nothing."""
    one = replace(shape, num_blocks=1, num_state_slots=0, device=torch.device("meta"))
    return Cache(layers, one).num_bytes


def default_cache_bytes(device: torch.device) -> int:
    """What a cache may take on a device when nobody says how much."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free * DEVICE_SHARE)
    return int(_host_bytes() * HOST_SHARE)


def _host_bytes() -> int:
    """Memory of the machine, or of the container that this process is in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _CGROUP_LIMIT.read_text().strip() if _CGROUP_LIMIT.is_file() else "max"
    return physical if limit == "max" else min(physical, int(limit))
