"""The contract as pydantic models, made in three ways so that the choice of one cannot decide the outcome.

`generated` is what the usual tool writes by default, and so what a team gets. `collapsed` asks that tool for fewer
objects. `from_structs` gives pydantic our own, leaner types: fewer classes, no unions of token kinds, and no check that
a type cannot express.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel, ConfigDict, Field, create_model

SCHEMA: Final = Path(__file__).parents[2] / "contracts" / "kiln-inference-v1.schema.json"

_DEFAULTS: Final = ("--input-file-type=jsonschema", "--output-model-type=pydantic_v2.BaseModel", "--disable-timestamp")
# By default each value of a named scalar type, such as a token id, becomes an object around that scalar.
_COLLAPSED: Final = ("--skip-root-model", "--collapse-root-models", "--enum-field-as-literal=all")
_BOUNDS: Final = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


def generated() -> ModuleType:
    """The models that datamodel-code-generator writes by default. Raises CalledProcessError when it fails."""
    return _written("kiln_bench_models", _DEFAULTS)


def collapsed() -> ModuleType:
    """The models that it writes when asked not to wrap scalars. Raises CalledProcessError when it fails."""
    return _written("kiln_bench_models_collapsed", (*_DEFAULTS, *_COLLAPSED))


@cache
def _written(name: str, options: Sequence[str]) -> ModuleType:
    with TemporaryDirectory(prefix="kiln-bench-") as folder:
        path = Path(folder) / f"{name}.py"
        command = [sys.executable, "-m", "datamodel_code_generator", f"--input={SCHEMA}", f"--output={path}", *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return _imported(path)


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where pydantic looks up names that annotations use before they are defined
    spec.loader.exec_module(module)
    return module


@cache
def from_structs(struct: Any) -> type[BaseModel]:
    """A pydantic model with a Struct's members, types and bounds."""
    closed = bool(struct.__struct_config__.forbid_unknown_fields)
    members: dict[str, Any] = {}
    for field in msgspec.structs.fields(struct):
        name = f"{field.name}_" if field.name in dir(BaseModel) else field.name
        default = Field(alias=field.name) if field.required else Field(default=None, alias=field.name)
        members[name] = (_annotation(field.type), default)
    config = ConfigDict(extra="forbid" if closed else "ignore")
    model: type[BaseModel] = create_model(struct.__name__, __config__=config, **members)
    return model


def _annotation(type_: Any) -> Any:
    arguments = get_args(type_)
    origin: Any = get_origin(type_)
    if origin is Annotated:
        return Annotated[_annotation(arguments[0]), Field(**_bounds(arguments[1]))]
    if origin in (Union, UnionType):
        return Union[tuple(_annotation(part) for part in arguments if part is not msgspec.UnsetType)]  # noqa: UP007
    if origin is list:
        return list[_annotation(arguments[0])]  # type: ignore[misc]
    if origin is dict:
        return dict[_annotation(arguments[0]), _annotation(arguments[1])]  # type: ignore[misc]
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return from_structs(type_)
    return type_


def _bounds(meta: msgspec.Meta) -> dict[str, Any]:
    given = {name: getattr(meta, name) for name in _BOUNDS if getattr(meta, name) is not None}
    if "pattern" in given:
        given["pattern"] = given["pattern"].replace(r"\Z", r"\z")  # the end of the text, in pydantic's dialect
    return given
