"""Recordings of what a backend did: a file of JSON lines, each one record, the first one the header.

A recording holds prompts and answers in full: only its owner may read what is made here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from kiln_server.backend import Adapter, AdapterRef, BackendError, Capabilities, FinishCause, Identity

Way: TypeAlias = Literal["plain", "prompt", "rendered"]

Spans: TypeAlias = tuple[tuple[int, int], ...]


class Header(Struct, frozen=True, kw_only=True, tag_field="record", tag="header"):
    """The backend that was recorded."""

    version: Literal[1] = 1
    capabilities: Capabilities
    identity: Identity
    adapters: tuple[Adapter, ...]
    eos_ids: frozenset[int]
    special_ids: dict[str, int]
    leading_space: bool
    encodes_rendered: bool
    """Whether the tokenizer encodes whole rendered prompts by itself."""
    chat_template: str | None
    bos_token: str
    eos_token: str


class Encoding(Struct, frozen=True, tag_field="record", tag="encoding"):
    """How a text was encoded: as plain text, as a raw prompt, or rendered, with control tokens in the spans."""

    text: str
    ids: tuple[int, ...]
    way: Way = "plain"
    spans: Spans = ()


class Token(Struct, frozen=True, tag_field="record", tag="token"):
    """The bytes of a token, in base 64."""

    id: int
    data: bytes


class Step(Struct, frozen=True, array_like=True):
    """One step of an answer: the candidate, even where another token was forced in its place."""

    candidate_id: int
    at_ms: float
    """When the token was ready, after the answer was first asked for."""
    logprob: float | None = None


class Answer(Struct, frozen=True, kw_only=True, tag_field="record", tag="answer"):
    """One answer. It has neither `finish` nor `error` when its reader left before the end."""

    prompt_ids: tuple[int, ...]
    choice: int
    seed: int
    adapters: tuple[AdapterRef, ...]
    steps: tuple[Step, ...]
    finish: FinishCause | None = None
    error: str | None = None


class Scored(Struct, frozen=True, array_like=True):
    """A candidate of a scored prompt; no `logprob` means probability zero."""

    token_id: int
    logprob: float | None
    rank: int


class Scoring(Struct, frozen=True, kw_only=True, tag_field="record", tag="scoring"):
    """One scored prompt."""

    prompt_ids: tuple[int, ...]
    top_k: int
    positions: tuple[tuple[Scored, ...], ...]


Record: TypeAlias = Encoding | Token | Answer | Scoring

T = TypeVar("T")

_HEADER: Final = msgspec.json.Decoder(Header)
_RECORD: Final[msgspec.json.Decoder[Record]] = msgspec.json.Decoder(Record)


def require_new(path: Path) -> None:
    """Raise BackendError where a recording would replace a file."""
    if path.exists():
        raise BackendError(f"{path} exists; choose a new file for the recording, none is ever replaced")


def create(path: Path, header: Header) -> None:
    """Begin a recording. Raises BackendError where there is a file already, or none can be made."""
    require_new(path)
    try:
        with open(path, "xb", opener=_private) as file:
            file.write(msgspec.json.encode(header) + b"\n")
    except OSError as error:
        raise BackendError(f"cannot make the recording {path}: {error.strerror or error}") from error


def append(path: Path, record: Record) -> None:
    """Add a record to a recording."""
    with open(path, "ab", opener=_private) as file:
        file.write(msgspec.json.encode(record) + b"\n")


def _private(path: str, flags: int) -> int:
    """Open a file; a new one is its owner's alone."""
    return os.open(path, flags, 0o600)


def read(path: Path) -> tuple[Header, list[Record]]:
    """A whole recording. Raises BackendError, naming the file and the line."""
    try:
        first, *others = path.read_bytes().splitlines() or [b""]
    except OSError as error:
        raise BackendError(f"cannot read the recording {path}: {error.strerror or error}") from error
    records = [_decoded(_RECORD, line, f"{path}, line {number}") for number, line in enumerate(others, start=2)]
    return _decoded(_HEADER, first, f"{path}, line 1"), records


def _decoded(decoder: msgspec.json.Decoder[T], line: bytes, where: str) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BackendError(f"recording {where}: {error}") from error
