"""Files in, documents out, one at a time: a file of any length takes the memory of one document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple, TypeAlias

from kiln_contract.cli.forms import Form, form_of_name, form_of_start

STDIN: Final = "-"

MAX_DOCUMENT_BYTES: Final = 256 * 1024 * 1024
"""The largest JSON document, and the longest line, that is read."""

CHUNK_BYTES: Final = 64 * 1024


class Text(NamedTuple):
    """One JSON document as bytes. `line` is where it stands in a file of JSON Lines, counted from 1."""

    body: bytes
    line: int | None = None


class EventStream(NamedTuple):
    """The bytes of one event stream, in pieces that can be walked once."""

    chunks: Iterator[bytes]
    line: None = None


Record: TypeAlias = Text | EventStream


class Unreadable(Exception):  # noqa: N818 - named for what the file is
    """A file, or what starts at `line` of it, cannot be read; the text says why."""

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.path = path
        self.line = line


def records(path: str, form: Form | None) -> Iterator[Record]:
    """The documents in a file (`-` is standard input); none when it is blank. Without `form`, the file tells its own.

    Raises Unreadable when the file cannot be opened or read, or holds a document past `MAX_DOCUMENT_BYTES`.
    """
    with _readable(path), _open(path) as file:
        source = _Input(path, file)
        start = source.first_line()
        if not start:
            return
        form = form or form_of_name(path) or form_of_start(start)
        if form == "sse":
            yield EventStream(source.chunks())
        elif form == "json":
            yield Text(source.rest())
        else:
            yield from source.lines()


def _open(path: str) -> BinaryIO:
    # The descriptor rather than sys.stdin, which is None where the caller has closed it.
    return open(0, "rb", closefd=False) if path == STDIN else open(path, "rb")


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unreadable(path, f"cannot be read: {error.strerror or error}") from error


class _Input:
    """An open file whose first lines are looked at before it is decided how to read it."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._head: list[bytes] = []

    def first_line(self) -> bytes:
        """The first line that is not blank, or nothing; it will be read again."""
        size = 0
        while line := self._line():
            self._head.append(line)
            size += len(line)
            self._bound(size, None)
            if not _is_blank(line):
                break
        return line

    def rest(self) -> bytes:
        """Everything, as one document."""
        body = b"".join(self._head) + self._file.read(MAX_DOCUMENT_BYTES + 1)
        self._bound(len(body), None)
        return body

    def lines(self) -> Iterator[Text]:
        """Every line that is not blank, as a document of its own."""
        number = 0
        for number, line in enumerate(self._head, start=1):
            if not _is_blank(line):
                yield Text(line.rstrip(b"\r\n"), number)
        while line := self._line():
            number += 1
            self._bound(len(line), number)
            if not _is_blank(line):
                yield Text(line.rstrip(b"\r\n"), number)

    def chunks(self) -> Iterator[bytes]:
        """Everything, in pieces."""
        yield from self._head
        with _readable(self._path):
            while chunk := self._file.read(CHUNK_BYTES):
                yield chunk

    def _line(self) -> bytes:
        return self._file.readline(MAX_DOCUMENT_BYTES + 1)

    def _bound(self, size: int, line: int | None) -> None:
        if size > MAX_DOCUMENT_BYTES:
            reason = f"holds a document of more than {MAX_DOCUMENT_BYTES // 1024**2} MiB; check it in smaller parts"
            raise Unreadable(self._path, reason, line)


def _is_blank(line: bytes) -> bool:
    return not line.strip(b" \t\r\n")
