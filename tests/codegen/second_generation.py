"""The contract generated a second time, by datamodel-code-generator, and both generations in one notation."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from tests.oracles.contract_schema import CONTRACTS, ecma

FLAGS: Final = (
    "--input-file-type=jsonschema",
    "--output-model-type=msgspec.Struct",
    "--enum-field-as-literal=all",
    "--use-msgspec-nullable-enum-alias",
    "--use-tag-as-union-variant-name",
    "--skip-root-model",
    "--disable-timestamp",
    "--target-python-version=3.11",
    "--formatters=builtin",
)
CONSTRAINTS: Final = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


def generate(folder: Path) -> ModuleType:
    """Run datamodel-code-generator over both schemas and import what it writes into `folder`."""
    output = folder / "second_generation.py"
    source = CONTRACTS / "kiln-inference-v1.schema.json"
    command = [sys.executable, "-m", "datamodel_code_generator", f"--input={source}", f"--output={output}", *FLAGS]
    subprocess.run(command, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("second_generation", output)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def is_struct(type_: Any) -> bool:
    """Whether a generated type is a Struct, not an alias."""
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


def counterpart(module: ModuleType, name: str) -> Any:
    """What the second generation made of a definition."""
    short = name.rpartition(".")[2]
    return getattr(module, short[0].upper() + short[1:])


class Member(NamedTuple):
    """One member of an object: whether it may be absent, what an absent one reads as, and the type of a present one."""

    optional: bool
    default: Any
    type: str


def members(struct: type[msgspec.Struct]) -> dict[str, Member]:
    """The members of a Struct, in its order."""
    return {
        field.encode_name: Member(not field.required, field.default, notation(field.type))
        for field in msgspec.structs.fields(struct)
    }


def notation(type_: Any) -> str:
    """A type and its bounds, written alike for both generations: unions sorted, UNSET and descriptions left out."""
    return " | ".join(sorted(_alternatives(type_, {})))


def _alternatives(type_: Any, bounds: dict[str, Any]) -> set[str]:
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _alternatives(arguments[0], reduce(_with_meta, arguments[1:], bounds))
    if origin in (Union, UnionType):
        present = [part for part in arguments if part is not msgspec.UnsetType]
        return set().union(*(_alternatives(part, bounds) for part in present))
    if origin is Literal:
        return {"null" if value is None else repr(value) for value in arguments}
    return {_name(type_, origin, arguments) + "".join(f" {key}={value!r}" for key, value in sorted(bounds.items()))}


def _with_meta(bounds: dict[str, Any], meta: msgspec.Meta) -> dict[str, Any]:
    return bounds | {key: _bound(value) for key in CONSTRAINTS if (value := getattr(meta, key)) is not None}


def _bound(value: str | float) -> str | float:
    if isinstance(value, str):
        return ecma(value)
    return int(value) if value == int(value) else value


def _name(type_: Any, origin: Any, arguments: tuple[Any, ...]) -> str:
    if origin in (list, dict):
        return f"{origin.__name__}[{', '.join(map(notation, arguments))}]"
    if type_ is NoneType or type_ is None:
        return "null"
    return "Any" if type_ is Any else str(type_.__name__).removeprefix("ThinkingBudget")
