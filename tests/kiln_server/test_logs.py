"""Log lines, as they are written."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
import structlog

from kiln_server import logs
from kiln_server.logs import configure_logs

SECRET = "the user's prompt"  # noqa: S105 - not a password

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def fail() -> None:
    raise ValueError(SECRET)


def log_failures() -> None:
    """One failure through each of the two libraries, in every way to say so."""
    try:
        fail()
    except ValueError as error:
        structlog.get_logger().error("ours", exc_info=error)
        structlog.get_logger().exception("also ours")
        logging.getLogger("uvicorn.error").exception("theirs")


def test_both_libraries_write_the_same_form() -> None:
    configure_logs("json", "info", stream := io.StringIO())
    structlog.get_logger().info("ours", count=1)
    logging.getLogger("uvicorn.error").warning("theirs %d", 2)
    ours, theirs = lines(stream)
    assert (ours.pop("event"), ours.pop("level"), ours.pop("count")) == ("ours", "info", 1)
    assert (theirs.pop("event"), theirs.pop("level")) == ("theirs 2", "warning")
    assert set(ours) == set(theirs) == {"timestamp"}


def test_a_line_is_the_same_by_every_way_to_write_it() -> None:
    """Of `info` there is a quick form and the library's own; what they write must not tell them apart."""
    configure_logs("json", "info", stream := io.StringIO())
    logger = structlog.get_logger()
    logger.info("ours 2", count=1)
    logger.info("ours %d", 2, count=1)
    logger.bind(count=1).info("ours 2")
    logger.warning("ours 2", count=1)
    written = lines(stream)
    for line in written:
        del line["timestamp"]
    assert written == [{"count": 1, "event": "ours 2", "level": level} for level in ("info",) * 3 + ("warning",)]


def test_a_level_that_is_not_wanted_writes_nothing() -> None:
    configure_logs("json", "warning", stream := io.StringIO())
    structlog.get_logger().info("ours", count=1)
    assert lines(stream) == []


def test_captured_lines_are_not_written() -> None:
    configure_logs("json", "info", stream := io.StringIO())
    with structlog.testing.capture_logs() as captured:
        structlog.get_logger().info("ours", count=1)
    assert (captured, lines(stream)) == ([{"count": 1, "event": "ours", "log_level": "info"}], [])


def test_times_are_those_of_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = [0, 999_999, 1_000_000, 1_700_000_000_999_000_000, 1_700_000_000_999_999_999, 1_700_000_001_000_000_000]
    configure_logs("json", "info", stream := io.StringIO())
    for moment in moments:
        monkeypatch.setattr(logs, "time_ns", lambda moment=moment: moment)
        structlog.get_logger().info("now")
    assert [line["timestamp"] for line in lines(stream)] == [
        (EPOCH + timedelta(milliseconds=moment // 1_000_000)).isoformat(timespec="milliseconds") for moment in moments
    ]


def test_an_exception_is_told_without_its_message() -> None:
    configure_logs("json", "info", stream := io.StringIO())
    log_failures()
    assert SECRET not in stream.getvalue()
    assert len(lines(stream)) == 3
    for line in lines(stream):
        assert line["exception"] == "ValueError"
        assert line["frames"][-1].endswith(" fail")


def test_the_message_is_there_for_whoever_debugs() -> None:
    configure_logs("json", "debug", stream := io.StringIO())
    log_failures()
    assert [line["exception_message"] for line in lines(stream)] == [SECRET] * 3


class Grouped(NamedTuple):
    """A failure as groups bring it, and what is told of it."""

    make: Callable[[list[Exception]], BaseException]
    num_exceptions: int | None


GROUPED = [
    Grouped(lambda inner: ExceptionGroup("tasks", inner[:1]), None),
    Grouped(lambda inner: ExceptionGroup("tasks", [ExceptionGroup("tasks of tasks", inner[:1])]), None),
    Grouped(lambda inner: BaseExceptionGroup("tasks", [*inner[:1], KeyboardInterrupt()]), 2),
    Grouped(lambda inner: ExceptionGroup("tasks", [ExceptionGroup("tasks of tasks", inner), OSError()]), 4),
]


@pytest.mark.parametrize("level", ["info", "debug"])
@pytest.mark.parametrize("grouped", GROUPED)
def test_a_group_is_told_by_what_is_in_it(grouped: Grouped, level: Any) -> None:
    configure_logs("json", level, stream := io.StringIO())
    inner: list[Exception] = [caught(fail), OSError("second"), OSError("third")]
    try:
        raise grouped.make(inner)
    except BaseExceptionGroup as error:
        structlog.get_logger().error("ours", exc_info=error)
        logging.getLogger("anyio").exception("theirs")
    for line in lines(stream):
        assert line["exception"] == "ValueError"
        assert line["frames"][-1].endswith(" fail")
        assert line.get("num_exceptions") == grouped.num_exceptions
        assert line.get("exception_message") == (SECRET if level == "debug" else None)
    assert len(lines(stream)) == 2


def caught(call: Callable[[], None]) -> Exception:
    """What it raises, with the places that it passed."""
    with pytest.raises(ValueError, match=SECRET) as failure:
        call()
    return failure.value


@pytest.mark.parametrize(("stream", "form"), [(io.StringIO(), "json"), (Terminal(), "text")])
def test_auto_follows_the_stream(stream: io.StringIO, form: str) -> None:
    configure_logs("auto", "info", stream)
    structlog.get_logger().info("hello", count=1)
    assert stream.getvalue().startswith("{") == (form == "json")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": ""}, True),  # as no-color.org has it
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm"}, True),
    ],
)
def test_a_terminal_gets_colours_unless_they_are_declined(
    variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    configure_logs("text", "info", stream := Terminal())
    structlog.get_logger().info("hello")
    logging.getLogger("uvicorn.error").warning("theirs")
    assert [("\x1b" in line) for line in stream.getvalue().splitlines()] == [coloured] * 2


def test_text_has_no_colours_outside_a_terminal() -> None:
    configure_logs("text", "info", stream := io.StringIO())
    structlog.get_logger().info("hello")
    log_failures()
    assert "hello" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
    assert SECRET not in stream.getvalue()


@pytest.mark.parametrize(("level", "expected"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_lines_below_the_level_are_dropped(level: Any, expected: int) -> None:
    configure_logs("json", level, stream := io.StringIO())
    for logger in (structlog.get_logger(), logging.getLogger("x")):
        stream.truncate(0)
        stream.seek(0)
        for write in (logger.debug, logger.info, logger.warning, logger.error):
            write("line")
        assert len(lines(stream)) == expected


def test_what_json_cannot_hold_is_written_all_the_same() -> None:
    configure_logs("json", "info", stream := io.StringIO())
    structlog.get_logger().info("odd", path="\udcff", thing=object())
    (line,) = lines(stream)
    assert line["path"] == "\udcff"
    assert line["thing"].startswith("<object")
