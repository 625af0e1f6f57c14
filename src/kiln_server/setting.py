"""One setting as its field describes it: names in every source, text for people, and how its values are read."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from kiln_server.settings import Doc, Settings, spelled

PREFIX: Final = "KILN_"


class Setting(NamedTuple):
    """What there is to know about one field of `Settings`."""

    name: str
    doc: Doc
    default: Any
    optional: bool
    """Whether it may be unset; an empty text then unsets it."""
    type: Any
    """The type of a value that is set, with its range."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def kind(self) -> inspect.Type:
        """The type of a value without its range."""
        info = inspect.type_info(self.type)
        return info.type if isinstance(info, inspect.Metadata) else info

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of a closed set in the order of the field; empty for any other kind."""
        return get_args(get_args(self.type)[0]) if isinstance(self.kind, inspect.LiteralType) else ()

    @property
    def expects(self) -> str:
        """What a value must be, as the end of the sentence `port must be …`."""
        match self.kind:
            case inspect.IntType() as whole:
                return f"a whole number {_range(whole)}"
            case inspect.FloatType() as number:
                return f"a number {_range(number)}"
            case inspect.BoolType():
                return "true or false"
            case inspect.LiteralType():
                return f"one of {', '.join(self.choices)}"
            case inspect.VarTupleType(item_type=inspect.Metadata(extra_json_schema={"description": item})):
                return f"a list, each item {item}"
            case inspect.DictType():
                return "a table of text; in one line KEY=VALUE,KEY=VALUE"
            case _:
                return "text" if self.optional else "text that is not empty"

    @property
    def shows_value(self) -> bool:
        """Whether an error may repeat a wrong value. A table may hold a secret under any name."""
        return not isinstance(self.kind, inspect.DictType)

    def from_text(self, text: str) -> Any:
        """The value that a flag or variable spells. Raises ValueError when it spells none."""
        if not text and self.optional:
            return None
        return msgspec.convert(self._parts(text), self.type, strict=False)

    def from_toml(self, value: Any) -> Any:
        """The value that a TOML file holds. Raises ValueError when it is of the wrong type or out of range."""
        if value == "" and self.optional:
            return None
        if isinstance(self.kind, inspect.DictType) and isinstance(value, Mapping):
            value = {key: _plain(item) for key, item in value.items()}
        return msgspec.convert(value, self.type)

    def _parts(self, text: str) -> Any:
        if isinstance(self.kind, inspect.VarTupleType):
            return text.split(",") if text else []
        if isinstance(self.kind, inspect.DictType):
            return dict(_pair(part) for part in text.split(",")) if text else {}
        return text


def suggestion(name: str, known: list[str]) -> str:
    """The end of a sentence about an unknown name: the known one that looks most like it, if any does."""
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _describe(name: str, hint: Any) -> Setting:
    bare, *notes = get_args(hint)
    doc = next(note for note in notes if isinstance(note, Doc))
    optional = get_origin(bare) in (Union, UnionType)
    core = next(option for option in get_args(bare) if option is not NoneType) if optional else hint
    return Setting(name, doc, getattr(Settings(), name), optional, core)


def _range(info: inspect.IntType | inspect.FloatType) -> str:
    if info.gt is not None:
        return f"above {info.gt:.0f} and at most {info.le:.0f}"
    return f"from {info.ge:.0f} to {info.le:.0f}"


def _pair(part: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if not equals:
        raise ValueError("not KEY=VALUE")
    return key, value


def _plain(item: Any) -> Any:
    """An option's text: TOML's own spelling of a boolean or number, so that quotes are needed for text only."""
    return spelled(item) if isinstance(item, int | float) else item


SETTINGS: Final[Mapping[str, Setting]] = {
    name: _describe(name, hint)
    for name, hint in get_type_hints(Settings, include_extras=True).items()
    if get_origin(hint) is Annotated
}
"""Every setting by its name, in the order of the type."""
