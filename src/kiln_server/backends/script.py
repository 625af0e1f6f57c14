"""The script that the mock backend plays: a JSON file of a fixed shape, or the same value made in Python."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from kiln_server.backend import BackendError
from kiln_server.backends.bytes_tokenizer import BytesTokenizer
from kiln_server.backends.entries import Entry, Piece, answer_ids

_UNKNOWN: Final = re.compile(r"unknown field `([^`]*)`")

Logit: TypeAlias = float | str | None
"""A number; a string that spells NaN or an infinity; or null, which is -inf: a token without any probability."""


class ScriptError(BackendError):
    """A script cannot be played. The message names the script and the place in it."""


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the mock backend does. One that cannot be played cannot be made: ValueError says why.

    With `logits`, tokens are really sampled and `answers` is not used. With neither, every answer is an echo.
    """

    context_length: Annotated[int, Meta(ge=1)] = 4096
    prompt_tail: str = ""
    """What the rendered prompt ends with."""
    special: dict[str, int] = {}
    """Control tokens and their ids, from 257."""
    answers: Annotated[Sequence[Sequence[Entry]], Meta(min_length=1)] | None = None
    """Answer i modulo their number goes to generation i; the end of each is an EOS."""
    delay_ms: Annotated[float, Meta(ge=0, le=86_400_000)] = 0.0
    """Time before each token."""
    fail_after: Annotated[int, Meta(ge=0)] | None = None
    """How many tokens of each answer come before it fails."""
    logits: Annotated[Sequence[Annotated[Sequence[Logit], Meta(min_length=1)]], Meta(min_length=1)] | None = None
    """Rows of equal length, by position, the last one repeating: the answer's first token is drawn from the first; in
    scoring, the first is about the prompt's second token."""

    def __post_init__(self) -> None:
        self.vocabulary()
        self.rows()

    def vocabulary(self) -> tuple[BytesTokenizer, list[tuple[int, ...]]]:
        """A tokenizer that has every token of the script, and the answers in its ids."""
        tokenizer = BytesTokenizer(self.special)
        return tokenizer, answer_ids(self.answers or (), tokenizer)

    def rows(self) -> list[list[float]]:
        """The logits, if any, as floats."""
        rows = [[_logit(logit, index) for logit in row] for index, row in enumerate(self.logits or ())]
        odd = next((index for index, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if odd is not None:
            raise ValueError(f"logits[{odd}]: {len(rows[odd])} values, but logits[0] has {len(rows[0])}")
        return rows


def load(path: str | Path) -> Script:
    """Read a script file. Raises ScriptError."""
    try:
        # Not msgspec: scripts written by Python spell NaN and Infinity as bare words, which only this reader takes.
        document = json.loads(Path(path).read_bytes(), object_pairs_hook=_object)
    except OSError as error:
        raise ScriptError(f"mock script {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ScriptError(f"mock script {path}: cannot be read as JSON: {error}") from error
    return parse(document, name=str(path))


def parse(document: Mapping[str, Any], *, name: str = "(in Python)") -> Script:
    """Make a script of decoded JSON; `name` is for the message. Raises ScriptError."""
    try:
        return msgspec.convert(document, Script)
    except msgspec.ValidationError as error:
        raise ScriptError(f"mock script {name}: {error}{_suggestion(str(error))}") from error


def _logit(logit: Logit, row: int) -> float:
    if logit is None:
        return -math.inf
    try:
        return float(logit)
    except ValueError:
        raise ValueError(f"logits[{row}]: {logit!r} is no logit; give a number, null, NaN or -Infinity") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} appears twice in one object")
    return found


def _suggestion(message: str) -> str:
    """What may have been meant by a field that does not exist."""
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    fields = Piece.__struct_fields__ if "answers" in message else Script.__struct_fields__
    near = difflib.get_close_matches(unknown[1], fields, n=1)
    return f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(fields)}"
