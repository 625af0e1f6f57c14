"""Functions, filters and tags that chat templates expect beside Jinja's own, as Hugging Face provides them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any, ClassVar, NoReturn

from jinja2 import Environment, TemplateError, nodes, pass_environment
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.filters import make_attrgetter
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment, SandboxedFormatter
from jinja2.utils import Namespace

from kiln_server.text.trusted import TrustedText, concat, spans, trusted
from kiln_server.text.trusted import join as join_trusted


class Raised(TemplateError):  # noqa: N818 - named for what happened
    """The template refused its input by calling `raise_exception`."""


def raise_exception(message: str) -> NoReturn:
    """What a template calls to refuse its input. Only its own words are kept, not those of the request."""
    raise Raised(_own_words(message))


def strftime_now(now: Callable[[], datetime]) -> Callable[[str], str]:
    """The function of that name, for a clock."""
    return lambda form: now().strftime(form)


def to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The `tojson` filter: JSON as Python writes it, with nothing escaped for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


@pass_environment
def join(
    environment: Environment, values: Iterable[Any], separator: str = "", attribute: str | int | None = None
) -> str:
    """The `join` filter, keeping trust."""
    if attribute is not None:
        values = map(make_attrgetter(environment, attribute), values)
    return join_trusted(str(separator), map(str, values))


def make_dict(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """The `dict` function: the type itself would show templates its attributes."""
    return dict(*args, **kwargs)


class PlainNamespace(Namespace):
    """The `namespace` type, without names that Python could take for its own."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # Every name is free for an attribute, `self` too.
        self, *rest = args
        values = dict(*rest, **kwargs)
        for name in values:
            _refuse_private(name)
        Namespace.__init__(self, values)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_private(name)
        super().__setitem__(name, value)


class GenerationTag(Extension):
    """`{% generation %}` marks what a model wrote, for training; here it only groups."""

    tags: ClassVar[set[str]] = {"generation"}  # type: ignore[misc]

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the block as a scope of its own."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class TrustingFormatter(SandboxedFormatter):
    """`str.format` for a text that is wholly trusted: its literal text stays trusted, and so do trusted values."""

    def __init__(self, environment: SandboxedEnvironment, pattern: TrustedText) -> None:
        super().__init__(environment)
        self._pattern = pattern

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        """Format with these values. Raises what `str.format` raises."""
        fields = list(self.parse(self._pattern))
        if any("{" in (spec or "") for _, _, spec, _ in fields):
            return self.vformat(self._pattern, args, kwargs)
        numbers = count()
        pieces: list[str] = []
        for literal, name, spec, conversion in fields:
            pieces.append(trusted(literal))
            if name is not None:
                numbered = f"{next(numbers)}{name}" if not name or name[0] in ".[" else name
                pieces.append(self._value(numbered, spec, conversion, args, kwargs))
        return concat(pieces)

    def _value(
        self, name: str, spec: str | None, conversion: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> str:
        value = self.convert_field(self.get_field(name, args, kwargs)[0], conversion)
        return value if isinstance(value, str) and not spec else str(self.format_field(value, spec or ""))


def _own_words(message: str) -> str:
    shown, position = "", 0
    for start, stop in spans(message):
        shown += ("…" if start > position else "") + str.__getitem__(message, slice(start, stop))
        position = stop
    return shown + ("…" if position < len(message) else "")


def _refuse_private(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError("a namespace holds no names that begin with an underscore")
