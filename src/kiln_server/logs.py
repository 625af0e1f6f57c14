"""How log lines are written: one JSON object or one line of text each, for structlog and the standard library alike.

No line holds what a client wrote, nor a key. An exception is told by its type and the places it passed; its message,
which may quote a prompt, only at level `debug`. Of a group, the first exception in it is told, and how many
there are.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from time import time_ns
from typing import Any, Final, Literal, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

Level = Literal["debug", "info", "warning", "error"]

_MAX_FRAMES: Final = 20

_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode


def configure_logs(form: Literal["auto", "json", "text"], level: Level, stream: TextIO) -> None:
    """Send everything that is logged to `stream`; `auto` is text on a terminal and JSON anywhere else.

    For the start of a process: loggers keep the first configuration that they meet.
    """
    as_json = form == "json" or (form == "auto" and not stream.isatty())
    number: int = getattr(logging, level.upper())
    complete = _Completion(with_message=number <= logging.DEBUG)
    render: Processor = _json if as_json else structlog.dev.ConsoleRenderer(colors=_wants_colour(stream))
    structlog.configure(
        processors=[complete, render],
        wrapper_class=_logger_class(number),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    plain = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=[plain, complete, render]))
    logging.basicConfig(handlers=[handler], level=number, force=True)


def _wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colour, and NO_COLOR (no-color.org) does not ask for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _logger_class(lowest: int) -> type[Any]:
    """structlog's own logger, but for a quicker `info`: every request writes such a line.

    More than half of that line's time went into values that are bound, arguments that the event is formatted with, and
    results that are no text, none of which it has.
    """
    full: type[Any] = structlog.make_filtering_bound_logger(lowest)
    if lowest > logging.INFO:
        return full

    def info(self: Any, event: str, *args: Any, **fields: Any) -> None:
        if args or self._context:
            full.info(self, event, *args, **fields)
            return
        fields["event"] = event
        line: Any = fields
        try:
            for processor in self._processors:
                line = processor(self._logger, "info", line)
        except structlog.DropEvent:
            return
        self._logger.msg(line)

    return type("Logger", (full,), {"info": info})


class _Completion:
    """Adds the time and the level, and replaces `exc_info` by what may be told of an exception."""

    def __init__(self, *, with_message: bool) -> None:
        self._with_message = with_message
        self._timestamp = _Timestamp()

    def __call__(self, _: WrappedLogger, level: str, event: EventDict) -> EventDict:
        event["level"] = level
        event["timestamp"] = self._timestamp.now()
        if "exc_info" in event:
            failure = _exception(event.pop("exc_info"))
            if failure is not None:
                self._tell(failure, event)
        return event

    def _tell(self, failure: BaseException, event: EventDict) -> None:
        first, *others = _leaves(failure)
        event["exception"] = type(first).__name__
        event["frames"] = _frames(first)
        if others:
            event["num_exceptions"] = 1 + len(others)
        if self._with_message:
            event["exception_message"] = str(first)


class _Timestamp:
    """The time in ISO 8601, in UTC to the millisecond; what a second's lines have in common is spelled once."""

    def __init__(self) -> None:
        self._second = (-1, "")

    def now(self) -> str:
        """The present moment."""
        seconds, milliseconds = divmod(time_ns() // 1_000_000, 1000)
        second, text = self._second
        if second != seconds:
            text = datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
            self._second = (seconds, text)
        return f"{text}.{milliseconds:03}+00:00"


def _exception(exc_info: object) -> BaseException | None:
    """The exception that an `exc_info` of any form means."""
    if exc_info is True:
        return sys.exc_info()[1]
    if isinstance(exc_info, tuple):
        exc_info = exc_info[1]
    return exc_info if isinstance(exc_info, BaseException) else None


def _leaves(failure: BaseException) -> Iterator[BaseException]:
    """What a group holds, and the groups in it: a group itself only says that tasks ran side by side."""
    if isinstance(failure, BaseExceptionGroup):
        for inner in failure.exceptions:
            yield from _leaves(inner)
    else:
        yield failure


def _frames(failure: BaseException) -> list[str]:
    """Where an exception passed, innermost last: file, line and function, of the deepest frames."""
    places = traceback.extract_tb(failure.__traceback__)[-_MAX_FRAMES:]
    return [f"{place.filename}:{place.lineno} {place.name}" for place in places]


def _json(_: WrappedLogger, __: str, event: EventDict) -> str:
    try:
        return _encode(event).decode()
    except UnicodeEncodeError:  # a file name, say, that is no Unicode
        return json.dumps(event, default=repr)
