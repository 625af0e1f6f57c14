"""Server-sent events in both directions, without I/O: bytes to events, events to bytes.

`Decoder` follows the WHATWG event-stream algorithm, so it sees what a browser would see. Two things that a reader
passes over in silence are reported here, because a checker has to name them: text that is not UTF-8
(`Event.malformed`) and an event that the end of the input cut off (`Decoder.close`).
"""

from __future__ import annotations

from typing import Final

import msgspec

DEFAULT_MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
MAX_RETRY_DIGITS: Final = 15

_BOM: Final = b"\xef\xbb\xbf"


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event. Only `data` is required; the other members are as the event's own lines give them.

    `data` has its lines joined by LF. `name` is the `event` field ("" when unnamed), `id` is None when the event sets
    none, `retry` is in milliseconds. `malformed` says that bytes were not UTF-8 and became U+FFFD.
    """

    data: str
    name: str = ""
    id: str | None = None
    retry: int | None = None
    malformed: bool = False


class EventTooLarge(ValueError):  # noqa: N818 - named for what happened
    """An event passes the decoder's limit, so it was not buffered any further."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an event is larger than {limit} bytes; raise max_event_bytes or end the stream")
        self.limit = limit

    def __reduce__(self) -> tuple[type[EventTooLarge], tuple[int]]:
        return type(self), (self.limit,)


class Decoder:
    """Turns the bytes of one event stream into events, whatever the chunks are cut into.

    Lines end in CR, LF or CRLF; a byte order mark counts only at the very start. A block without a data line is no
    event. Comments are counted in `num_comments` and dropped undecoded. Memory is bounded by `max_event_bytes` (the
    lines of one event, line ends not counted).
    """

    def __init__(self, *, max_event_bytes: int = DEFAULT_MAX_EVENT_BYTES) -> None:
        self.num_comments = 0
        self._max_event_bytes = max_event_bytes
        self._head: bytes | None = b""  # the first bytes while they may still become a byte order mark
        self._tail = bytearray()  # the unfinished line
        self._after_cr = False
        self._failure: Exception | None = None
        self._data: list[bytes] = []
        self._name = b""
        self._id: bytes | None = None
        self._retry: int | None = None
        self._size = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """Take the next bytes; return the events they complete.

        Raises `EventTooLarge` once every event before the large one was returned: at once, or on the next call.
        """
        if self._failure is not None:
            raise self._failure
        events: list[Event] = []
        if not chunk:
            return events
        try:
            for line in self._lines(chunk):
                if line:
                    self._take(line)
                else:
                    if self._data:
                        events.append(self._event())
                    self._start_block()
            self._bound(len(self._tail))
        except EventTooLarge as error:
            self._failure = error
            self._tail.clear()
            self._start_block()
            if not events:
                raise
        return events

    def close(self) -> bool:
        """End the input; nothing can be fed afterwards. Return whether it stopped inside an event, now discarded.

        Raises `EventTooLarge` when that is what stopped the decoder.
        """
        if self._failure is not None:
            raise self._failure
        self._failure = ValueError("the decoder is closed; use a new one for each stream")
        line = (self._head or b"") + self._tail
        return self._size > 0 or (line != b"" and not line.startswith(b":"))

    def _lines(self, chunk: bytes) -> list[bytes]:
        """The lines that the chunk completes; what follows the last line end waits in `_tail`."""
        if self._head is not None:
            chunk = self._skip_bom(self._head + chunk)
        if self._after_cr or b"\r" in chunk:
            chunk = self._unify(chunk)
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._tail:
            lines[0] = bytes(self._tail) + lines[0]
            self._tail.clear()
        self._tail += rest
        return lines

    def _skip_bom(self, start: bytes) -> bytes:
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._head = start
            return b""
        self._head = None
        return start.removeprefix(_BOM)

    def _unify(self, chunk: bytes) -> bytes:
        """Make every line end LF. A CR at the end counts at once; the LF that may follow it is then dropped."""
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take(self, line: bytes) -> None:
        self._bound(len(line))
        if line.startswith(b":"):
            self.num_comments += 1
            return
        self._size += len(line)
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value
        elif field == b"id":
            if b"\0" not in value:
                self._id = value
        elif field == b"retry" and value.isdigit() and len(value) <= MAX_RETRY_DIGITS:
            self._retry = int(value)

    def _bound(self, num_more: int) -> None:
        if self._size + num_more > self._max_event_bytes:
            raise EventTooLarge(self._max_event_bytes)

    def _event(self) -> Event:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        try:
            event_id = None if self._id is None else self._id.decode()
            return Event(data.decode(), self._name.decode(), event_id, self._retry)
        except UnicodeDecodeError:
            event_id = None if self._id is None else self._id.decode(errors="replace")
            name = self._name.decode(errors="replace")
            return Event(data.decode(errors="replace"), name, event_id, self._retry, malformed=True)

    def _start_block(self) -> None:
        self._data = []
        self._name = b""
        self._id = None
        self._retry = None
        self._size = 0


def encode(event: Event) -> bytes:
    """The bytes of one event, with the blank line that ends it; `Decoder` reads the same event back.

    Data of several lines goes over several data lines, so it can never start a field or an event of its own; CR and
    CRLF arrive as LF. Raises ValueError for a name, id or retry that the format cannot carry.
    """
    lines = b""
    if event.name:
        lines += b"event: " + _one_line("name", event.name) + b"\n"
    if event.id is not None:
        if "\0" in event.id:
            raise ValueError("the event's id holds a NUL, which readers ignore; choose another id")
        lines += b"id: " + _one_line("id", event.id) + b"\n"
    if event.retry is not None:
        if not 0 <= event.retry < 10**MAX_RETRY_DIGITS:
            raise ValueError(f"the event's retry must be 0 to {MAX_RETRY_DIGITS} digits of milliseconds")
        lines += b"retry: %d\n" % event.retry
    return lines + encode_data(event.data)


def encode_data(data: str | bytes) -> bytes:
    """The bytes of an unnamed event with this data: text, or bytes already in UTF-8. Line breaks as in `encode`."""
    return _lines_of(b"data: ", data)


def encode_comment(text: str) -> bytes:
    """The bytes of a comment, which readers drop: a keep-alive. Line breaks give several comment lines."""
    return _lines_of(b": ", text)


def _lines_of(prefix: bytes, text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    if b"\n" in raw or b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\n" + prefix)
    return prefix + raw + b"\n\n"


def _one_line(member: str, text: str) -> bytes:
    if "\n" in text or "\r" in text:
        raise ValueError(f"the event's {member} holds a line break, which would start a new field; remove it")
    return text.encode()
