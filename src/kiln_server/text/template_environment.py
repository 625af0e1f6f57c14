"""The Jinja environment of chat templates: what Hugging Face's offers, plus trust and bounds.

Templates are code that comes with a model. They run in Jinja's immutable sandbox, within limits of time and size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from datetime import datetime
from time import monotonic
from typing import Any, Final

from jinja2.ext import LoopControlExtension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from kiln_server.text.template_compiler import TrustingCodeGenerator
from kiln_server.text.template_globals import (
    GenerationTag,
    PlainNamespace,
    TrustingFormatter,
    join,
    make_dict,
    raise_exception,
    strftime_now,
    to_json,
)
from kiln_server.text.trusted import TrustedText, concat, is_trusted

MAX_INTEGER_BITS: Final = 4096
"""Size of the integers that a template may compute."""

_NO_ITEMS: Final = frozenset(dir(dict))
"""Names that mean an attribute of a mapping, not an item; every other one has none there."""

_SIZED: Final = (str, list, tuple)
_TEXTS: Final = (str, TrustedText)

_deadline: ContextVar[float] = ContextVar("deadline")
"""When the rendering of this thread or task must have ended, on the monotonic clock in seconds."""


class Overrun(Exception):  # noqa: N818 - named for what happened
    """A template went past one of its limits; the message says which."""


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Compiles one template, and is what the compiled code calls while it runs. Renderings may run at the same time.

    `max_chars` bounds the output and every string or list on the way to it, `max_seconds` each rendering.
    """

    code_generator_class = TrustingCodeGenerator
    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, *, max_chars: int, max_seconds: float, now: Callable[[], datetime]) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,  # folding constants is the code generator's, which knows that they are trusted
            finalize=_shown,
            extensions=[GenerationTag, LoopControlExtension],
        )
        self.constants: list[TrustedText] = []
        self._max_chars = max_chars
        self._max_seconds = max_seconds
        self.filters |= {"tojson": to_json, "join": join}
        self.globals |= {
            "raise_exception": raise_exception,
            "strftime_now": strftime_now(now),
            "namespace": PlainNamespace,
            "dict": make_dict,
        }

    def start_clock(self) -> None:
        """Begin the time of one rendering, in this thread or task."""
        _deadline.set(monotonic() + self._max_seconds)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`, as Jinja has it; for an item of a mapping without looking for the attribute first."""
        if type(obj) is not dict or attribute in _NO_ITEMS:
            return super().getattr(obj, attribute)
        if attribute in obj:
            return obj[attribute]
        return self.undefined(obj=obj, name=attribute)

    def tick(self) -> None:
        """The compiled code calls this wherever it may repeat itself. Raises Overrun when time is up."""
        if monotonic() > _deadline.get():
            raise Overrun(f"it ran longer than {self._max_seconds:g} s")

    def concat(self, pieces: Iterable[str]) -> TrustedText:
        """Put together what the compiled code wrote: plain strings are the template's text, the others are values."""
        return concat(pieces, plain_is_trusted=True, limit=self._max_chars)

    def join(self, values: Iterable[Any]) -> TrustedText:
        """The `~` operator, over all of its operands."""
        return concat(map(str, values), limit=self._max_chars)

    def add(self, values: Sequence[Any]) -> Any:
        """The `+` operator, over all of its operands from left to right."""
        if all(type(value) in _TEXTS for value in values):
            return concat(values, limit=self._max_chars)
        total = values[0]
        for value in values[1:]:
            total = total + value
            if isinstance(total, _SIZED):
                self._check_size(len(total))
        return total

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """The other operators by which a value can outgrow what it is made of. Raises Overrun when one would."""
        if operator == "*":
            self._check_product(left, right)
        elif isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() * right)
        return super().call_binop(context, operator, left, right)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format`, keeping the trust of a pattern that is the template's own."""
        wrapper = super().wrap_str_format(value)
        pattern = getattr(value, "__self__", None)
        if wrapper is not None and isinstance(pattern, TrustedText) and value.__name__ == "format":
            return TrustingFormatter(self, pattern) if is_trusted(pattern) else wrapper
        return wrapper

    def _check_product(self, left: Any, right: Any) -> None:
        for value, times in ((left, right), (right, left)):
            if isinstance(times, int):
                if isinstance(value, _SIZED):
                    self._check_size(len(value) * times)
                elif isinstance(value, int):
                    _check_bits(value.bit_length() + times.bit_length())

    def _check_size(self, size: int) -> None:
        if size > self._max_chars:
            raise Overrun(f"it makes a text or list of more than {self._max_chars} characters or items")


def _check_bits(bits: int) -> None:
    if bits > MAX_INTEGER_BITS:
        raise Overrun(f"it computes an integer of more than {MAX_INTEGER_BITS} bits")


def _shown(value: Any) -> TrustedText:
    """A value as it is written out."""
    return value if type(value) is TrustedText else TrustedText(value)
