"""A Hugging Face checkpoint: a folder with config.json, *.safetensors and a tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from kiln_engine.config import ModelConfig
from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.hf_config import read_config
from kiln_engine.loading.hf_text import read_text
from kiln_engine.loading.json_file import read_json, read_json_if_there
from kiln_engine.loading.safetensors_file import DTYPES, SafetensorsFile
from kiln_server.backend import TextAssets

SINGLE: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
SAMPLING: Final = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


class HfFolder:
    """A TensorSource over a folder. Raises LoadError for what is missing, damaged or not supported."""

    def __init__(self, path: Path) -> None:
        self.path = path
        config = read_json(path / "config.json")
        self._files = _tensor_files(path)
        self._generation = read_json_if_there(path / "generation_config.json")
        stored = next(str(DTYPES[file.tensors[name].kind]) for name, file in self._files.items())
        self.config: ModelConfig = read_config(config, str(path / "config.json"), stored=stored.removeprefix("torch."))

    @cached_property
    def text(self) -> TextAssets:
        return read_text(self.path, self.config.source, self._generation)

    @property
    def shards(self) -> tuple[Path, ...]:
        return tuple(sorted({file.path for file in self._files.values()}))

    @property
    def sampling(self) -> Mapping[str, Any]:
        values = self._generation or {}
        return {name: values[name] for name in SAMPLING if values.get(name) is not None}

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: file.tensors[name].shape for name, file in self._files.items()}

    def spelled(self, name: str) -> str:
        return name

    def pieces(self, name: str) -> Iterator[tuple[int, Tensor]]:
        return self._files[name].pieces(name)


def _tensor_files(folder: Path) -> dict[str, SafetensorsFile]:
    """For each tensor of a checkpoint, the file that holds it."""
    if (folder / SINGLE).is_file():
        file = SafetensorsFile(folder / SINGLE)
        files = dict.fromkeys(file.tensors, file)
    elif (folder / INDEX).is_file():
        files = _sharded(folder)
    else:
        raise LoadError(f"{folder}: has neither {SINGLE} nor {INDEX}; weights in other formats are not supported")
    for name, file in files.items():
        if file.tensors[name].kind not in DTYPES:
            kinds = ", ".join(DTYPES)
            raise LoadError(f"{file.path}: tensor {name} is {file.tensors[name].kind}; supported are {kinds}")
    if not files:
        raise LoadError(f"{folder}: its safetensors hold no tensor")
    return files


def _sharded(folder: Path) -> dict[str, SafetensorsFile]:
    places = read_json(folder / INDEX).get("weight_map")
    if not isinstance(places, dict) or not all(_is_name(place) for place in places.values()):
        raise LoadError(f"{folder / INDEX}: `weight_map` must give for each tensor a file of the same folder")
    missing = sorted({place for place in places.values() if not (folder / place).is_file()})
    if missing:
        raise LoadError(f"{folder}: {', '.join(missing)} of {INDEX} is not there: the checkpoint is not complete")
    files = {place: SafetensorsFile(folder / place) for place in sorted(set(places.values()))}
    for name, place in places.items():
        if name not in files[place].tensors:
            raise LoadError(f"{folder / place}: has no tensor {name}, though {INDEX} says so")
    return {name: files[place] for name, place in places.items()}


def _is_name(place: object) -> bool:
    return isinstance(place, str) and Path(place).name == place
