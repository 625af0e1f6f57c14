"""Does this document keep the contract? One record in, one judgement out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kiln_contract.cli.exits import Exit
from kiln_contract.cli.forms import Form
from kiln_contract.cli.judgement import Judgement, Placed, StreamSummary
from kiln_contract.cli.locate import Position, locate
from kiln_contract.cli.names import STREAM, detect
from kiln_contract.cli.readers import MAX_DOCUMENT_BYTES, EventStream, Record, Unreadable
from kiln_contract.errors import DEFAULT_MAX_ERRORS, Violation
from kiln_contract.reader import Document, read
from kiln_contract.validate import check_json, collect

if TYPE_CHECKING:
    from kiln_contract.stream import Check, StreamResult

NOT_JSON: Final = frozenset({"json.syntax", "json.utf8"})
"""Rules whose violation means that there is no document to judge; the other `json` rules judge one that is there."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to check, and how much to tell. Without `definition` or `form`, every document tells its own."""

    definition: str | None = None
    form: Form | None = None
    semantics: bool = True
    max_errors: int = DEFAULT_MAX_ERRORS
    show_values: bool = False

    @property
    def limits(self) -> dict[str, Any]:
        """What every validator of the library takes."""
        return {"max_errors": self.max_errors, "show_values": self.show_values}

    @property
    def check(self) -> Check:
        """How the events of a stream are checked."""
        return partial(check_json, semantics=self.semantics, **self.limits)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A record that was read, and what it is read as. With a `problem` or `violations` its value is of no use."""

    path: str
    record: Record
    definition: str | None
    value: Any = None
    problem: str | None = None
    violations: list[Violation] = []

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing against the document alone."""
        return self.problem is None and not self.violations


def read_record(path: str, record: Record, definition: str | None, options: Options) -> Reading:
    """Read a record as `definition`, or as what it says it is. A stream is only walked when it is judged."""
    if isinstance(record, EventStream):
        definition = definition or STREAM
        problem = None if definition == STREAM else f"is an event stream, and {definition} is JSON"
        return Reading(path=path, record=record, definition=definition, problem=problem)
    document = read(record.body, max_errors=options.max_errors)
    definition = definition or detect(document.value)
    problem = _problem(document, definition)
    return Reading(
        path=path,
        record=record,
        definition=definition,
        value=document.value,
        problem=problem,
        violations=[] if problem else _violations(document, definition, options),
    )


def judge(reading: Reading, options: Options, request: Any = None) -> Judgement:
    """Judge what was read; with a conforming `request`, by the rules that need both as well."""
    if not reading.is_clean:
        return _judgement(reading, reading.violations, options)
    if isinstance(reading.record, EventStream):
        return _judge_stream(reading, reading.record, options, request)
    if reading.definition == STREAM:
        return _judge_kept_stream(reading, options, request)
    return _judgement(reading, _exchange(reading, options, request), options)


def unreadable(error: Unreadable) -> Judgement:
    """The judgement on a file, or on the rest of one, that cannot be read."""
    return Judgement(path=error.path, line=error.line, exit=Exit.UNREADABLE, problem=str(error))


def _problem(document: Document, definition: str | None) -> str | None:
    if document.violations:
        first = document.violations[0]
        return f"is not JSON: {first.message}" if first.rule in NOT_JSON else None
    return None if definition else "does not say what it is (by a known object member); name its definition with --as"


def _violations(document: Document, definition: str | None, options: Options) -> list[Violation]:
    if document.violations or definition is None:
        return document.violations
    return collect(
        definition,
        document.value,
        semantics=options.semantics,
        walk_opaque=document.inexact,
        **options.limits,
    )


def _exchange(reading: Reading, options: Options, request: Any) -> list[Violation]:
    if request is None:
        return []
    from kiln_contract.exchange import validate_exchange

    return validate_exchange(request, reading.value, **options.limits)


def _judge_kept_stream(reading: Reading, options: Options, request: Any) -> Judgement:
    """A stream that was recorded as one JSON string: the schema wants a string, the contract what is in it."""
    from kiln_contract.stream import validate_stream

    result = validate_stream(reading.value, request, check=options.check, **options.limits)
    return _judgement(reading, result.violations, options, result)


def _judge_stream(reading: Reading, record: EventStream, options: Options, request: Any) -> Judgement:
    from kiln_contract.sse import Decoder, EventTooLarge
    from kiln_contract.stream import StreamChecker

    checker = StreamChecker(request, check=options.check, **options.limits)
    decoder = Decoder(max_event_bytes=MAX_DOCUMENT_BYTES)
    try:
        for chunk in record.chunks:
            for event in decoder.feed(chunk):
                checker.feed(event)
        result = checker.finish(truncated=decoder.close(), comments=decoder.num_comments)
    except EventTooLarge as error:
        # What was found so far stays unsaid: without its end, the stream has no verdict.
        raise Unreadable(reading.path, f"holds an event of more than {error.limit // 1024**2} MiB") from error
    return _judgement(reading, result.violations, options, result)


def _judgement(
    reading: Reading, violations: list[Violation], options: Options, stream: StreamResult | None = None
) -> Judgement:
    return Judgement(
        path=reading.path,
        line=reading.record.line,
        definition=reading.definition,
        exit=Exit.UNREADABLE if reading.problem else Exit.VIOLATED if violations else Exit.CONFORMS,
        problem=reading.problem,
        violations=_placed(reading.record, violations),
        is_cut=len(violations) >= options.max_errors,
        stream=None if stream is None else _summary(stream),
    )


def _placed(record: Record, violations: list[Violation]) -> list[Placed]:
    if isinstance(record, EventStream) or not violations:
        return [Placed(violation) for violation in violations]
    first = record.line or 1
    positions = locate(record.body, {violation.pointer for violation in violations if violation.event is None})
    places = {at: Position(first + line - 1, column) for at, (line, column) in positions.items()}
    return [Placed(violation, places.get(violation.pointer)) for violation in violations]


def _summary(result: StreamResult) -> StreamSummary:
    return StreamSummary(outcome=result.outcome, events=result.events, comments=result.comments, tokens=result.tokens)
