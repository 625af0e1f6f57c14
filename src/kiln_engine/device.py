"""Where to compute, and in which number format."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import torch

from kiln_engine.errors import EngineError

_CPUINFO: Final = Path("/proc/cpuinfo")
_DTYPES: Final = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def choose_device(name: str) -> torch.device:
    """The device of a name; `auto` is the first GPU that torch can use, else the CPU. Raises EngineError."""
    if name == "auto":
        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    device = torch.device(name)
    if device.type == "cuda":
        _require_cuda(device)
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """The format of a name; `auto` is bfloat16 where the hardware multiplies it, else float32."""
    if name != "auto":
        return _DTYPES[name]
    return torch.bfloat16 if device.type == "cuda" or _has_bfloat16() else torch.float32


def _require_cuda(device: torch.device) -> None:
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= count:
        raise EngineError(
            f"there is no {device}: torch {torch.__version__} finds {count} CUDA devices; use --device cpu, "
            "or install a torch build and a driver for the GPU"
        )


def _has_bfloat16() -> bool:
    """Whether the processor has products of bfloat16; others would only emulate them."""
    flags = _CPUINFO.read_text() if _CPUINFO.is_file() else ""
    return "avx512_bf16" in flags or "amx_bf16" in flags
