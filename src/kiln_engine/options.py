"""What an operator can set about the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kiln_engine.errors import EngineError

NAME: Final = "engine"
"""What the backend is called in settings and identities."""

_UNITS: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)

Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class EngineOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option with its default. `None` means that the engine works the value out, and says what it took."""

    model: str | None = None
    """A name that `kiln-server models` lists, a Hugging Face folder, or a GGUF file."""
    device: Annotated[str, Meta(pattern=r"\A(auto|cpu|cuda(:\d+)?)\Z")] = "auto"
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    kernels: str = "auto"
    kv_cache_bytes: Annotated[int, Meta(ge=1)] | None = None
    """Memory of the paged cache, in bytes."""
    max_model_len: Count | None = None
    """Longest context of one answer, in tokens."""
    max_num_seqs: Count = 64
    """Answers that are computed side by side."""
    block_size: Annotated[int, Meta(ge=1, le=1024)] = 16
    """Positions in a block of the cache."""
    prefix_cache: bool = True
    threads: Annotated[int, Meta(ge=1, le=4096)] | None = None
    prefill_chunk: Count | None = None
    """Prompt rows in a step while others decode; unset, as many as `max_step_ms` leaves time for."""
    graphs: bool = True
    """Whether decode steps are recorded once for each size and run as one from then on, where kernels allow it."""
    max_step_ms: Annotated[float, Meta(gt=0)] = 200.0


OPTION_NAMES: Final = tuple(
    "kv_cache_memory" if name == "kv_cache_bytes" else name for name in EngineOptions.__struct_fields__
)
"""What the options are called as text; the cache's size is written with its unit there."""


def read_options(options: Mapping[str, str]) -> EngineOptions:
    """Options from text, as the command line gives it. Raises EngineError, naming the option."""
    values: dict[str, Any] = dict(options)
    if "kv_cache_memory" in values:
        values["kv_cache_bytes"] = num_bytes(values.pop("kv_cache_memory"))
    try:
        return msgspec.convert(values, EngineOptions, strict=False)
    except msgspec.ValidationError as error:
        raise EngineError(f"the engine cannot be set like this: {_told(error)}") from error


def _told(error: msgspec.ValidationError) -> str:
    """An error with the option first, as it is called, instead of a JSON path."""
    message, _, name = str(error).rpartition(" - at `$.")
    return f"{name.rstrip('`')}: {message[0].lower()}{message[1:].replace('`', '')}" if message else str(error)


def num_bytes(text: str) -> int:
    """A size such as `512MiB`, `2g` or `1000000`. Raises EngineError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise EngineError(f"kv_cache_memory: {text!r} is no size; write one like 512MiB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2].lower()])
