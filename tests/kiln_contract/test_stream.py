"""The stream grammar: a good and a broken stream for every rule, then laws over generated streams.

The schemas are not under test here: `check` reads JSON strictly and takes every shape but one that says it is bad.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_contract.errors import MAX_MESSAGE, Violation
from kiln_contract.reader import read
from kiln_contract.sse import Decoder, Event, encode, encode_comment, encode_data
from kiln_contract.stream import DONE, RULES, StreamChecker, StreamResult, validate_stream

Sent = dict[str, Any] | str | bytes
Json = dict[str, Any]

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
UNLIMITED = {"configured": False, "tokens_source": "unlimited", "time_source": "unlimited"}
METADATA = {"thinking_budget": UNLIMITED | {"applied": False, "triggered": False}}
FAILURE = {"message": "no memory", "type": "server_error", "code": "stalled", "hint": "retry", "param": None}
ASKS_ALL = {"include_performance": True, "stream_options": {"include_usage": True}}
ASKS_NONE: Json = {"include_performance": None, "stream_options": None}


def chunk(*choices: Json, **members: Any) -> Json:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}
    return head | {"choices": list(choices)} | members


def delta(**members: Any) -> Json:
    return chunk({"index": 0, "delta": members})


def finish(reason: str = "stop", **fields: Any) -> Json:
    return chunk({"index": 0, "delta": fields, "finish_reason": reason}, metadata=METADATA)


def timing(index: object) -> Json:
    times = ("ready_ms", "producer_delivered_ms", "handler_received_ms", "body_enqueued_ms", "response_delivery_ms")
    delays = ("handler_queue_ms", "queue_delay_ms", "client_delivery_ms")
    blocking = {"blocking_phase": None, "blocking_phase_ms": None}
    head = {"object": "kiln.token_timing", "source": "direct", "token_index": index, "token_id": 42}
    return head | dict.fromkeys((*times, *delays), 0) | blocking


def error(**changes: Any) -> Json:
    return {"error": FAILURE | changes}


def without(value: Json, *names: str) -> Json:
    return {name: member for name, member in value.items() if name not in names}


ROLE = delta(role="assistant")
TEXT = delta(content="Blue")
FINISH = finish()
METER = chunk(usage=USAGE)
ANSWER: tuple[Sent, ...] = (ROLE, TEXT, FINISH, DONE)
METERED: tuple[Sent, ...] = (ROLE, FINISH, METER, DONE)
TIMED: tuple[Sent, ...] = (ROLE, timing(0), timing(1), FINISH, DONE)
FAILING: tuple[Sent, ...] = (ROLE, error(), DONE)


def wire(*events: Sent) -> bytes:
    """The body that sends these events; bytes go out as they are."""
    return b"".join(event if isinstance(event, bytes) else encode_data(text_of(event)) for event in events)


def text_of(event: Any) -> str | bytes:
    return event if isinstance(event, str) else msgspec.json.encode(event)


def check(_: str, text: str) -> tuple[object, list[Violation]]:
    document = read(text)
    if document.violations:
        return None, document.violations
    is_bad = isinstance(document.value, dict) and "bad" in document.value
    return document.value, [BAD] if is_bad else []


BAD = Violation(pointer="/bad", rule="stub", keyword="k", schema_ref="#", message="m", expected="e", got="g")


def judge(*events: Sent, request: Any = None, **options: Any) -> StreamResult:
    return validate_stream(wire(*events), request, check=check, **options)


def broken(result: StreamResult) -> list[tuple[str, int | None, str]]:
    return [(violation.rule, violation.event, violation.pointer) for violation in result.violations]


# --- one good and one broken stream for every rule ---


class Vector(NamedTuple):
    """A broken stream differs from the good one in one thing; the rule is named at `event`, with `pointer`."""

    good: tuple[Sent, ...]
    bad: tuple[Sent, ...]
    event: int
    pointer: str = ""
    request: Json | None = None
    outcome: str = "completed"


ACCENT = wire(delta(content="é"))
TWO_CHOICES = chunk({"index": 0, "delta": {"content": "a"}}, {"index": 1, "delta": {"content": "b"}})

VECTORS = {
    "stream.utf8": Vector((ROLE, ACCENT, FINISH, DONE), (ROLE, ACCENT.replace(b"\xa9", b""), FINISH, DONE), 1),
    "stream.unnamed": Vector(
        (b"event: message\n" + wire(ROLE), FINISH, DONE), (b"event: a\n" + wire(ROLE), FINISH, DONE), 0
    ),
    "stream.event-kind": Vector(ANSWER, (ROLE, {"object": "ping"}, FINISH, DONE), 1),
    "stream.one-choice": Vector(ANSWER, (ROLE, TWO_CHOICES, FINISH, DONE), 1, "/choices"),
    "stream.one-delta": Vector(ANSWER, (delta(role="assistant", content=""), FINISH, DONE), 0, "/choices/0/delta"),
    "stream.role-assistant": Vector(ANSWER, (delta(role="user"), TEXT, FINISH, DONE), 0, "/choices/0/delta/role"),
    "stream.finish-delta": Vector(ANSWER, (ROLE, finish(content="!"), DONE), 1, "/choices/0/delta"),
    "stream.finish-reason": Vector(
        ANSWER, (ROLE, finish("error"), DONE), 1, "/choices/0/finish_reason", outcome="failed"
    ),
    "stream.metadata-on-finish": Vector(ANSWER, (ROLE, TEXT, without(FINISH, "metadata"), DONE), 2),
    "stream.usage-choices": Vector(METERED, (ROLE, TEXT | {"usage": USAGE}, FINISH, DONE), 1, "/usage"),
    "stream.error-shape": Vector(
        FAILING, (ROLE, {"error": without(FAILURE, "hint")}, DONE), 1, "/error", outcome="failed"
    ),
    "stream.done-text": Vector(ANSWER, (ROLE, FINISH, '"[DONE]"'), 2),
    "stream.role-first": Vector(ANSWER, (TEXT, TEXT, FINISH, DONE), 0),
    "stream.role-once": Vector(ANSWER, (ROLE, TEXT, ROLE, TEXT, FINISH, DONE), 2),
    "stream.after-finish": Vector(ANSWER, (ROLE, FINISH, TEXT, DONE), 2),
    "stream.finish-once": Vector(ANSWER, (ROLE, FINISH, finish("length"), DONE), 2),
    "stream.finish-missing": Vector(ANSWER, (ROLE, TEXT, DONE), 2, outcome="failed"),
    "stream.usage-after-finish": Vector(METERED, (ROLE, METER, FINISH, DONE), 1),
    "stream.usage-once": Vector(METERED, (ROLE, FINISH, METER, METER, DONE), 3),
    "stream.error-after-finish": Vector(FAILING, (ROLE, FINISH, error(), DONE), 2, outcome="failed"),
    "stream.error-then-done": Vector((error(), DONE), (error(), TEXT, DONE), 1, outcome="failed"),
    "stream.done-once": Vector(ANSWER, (*ANSWER, DONE), 4),
    "stream.done-last": Vector((*ANSWER, b": bye\n\n"), (*ANSWER, TEXT), 4),
    "stream.done-missing": Vector(ANSWER, (ROLE, TEXT, FINISH), 3, outcome="failed"),
    "stream.truncated": Vector(ANSWER, (ROLE, TEXT, FINISH, b"data: [DONE]\n"), 3, outcome="failed"),
    "stream.identity": Vector(ANSWER, (ROLE, TEXT | {"id": "chatcmpl-2"}, FINISH, DONE), 1, "/id"),
    "stream.token-index": Vector(TIMED, (ROLE, timing(1), timing(2), FINISH, DONE), 1, "/token_index"),
    "stream.timing-opt-in": Vector(ANSWER, TIMED, 1, request=ASKS_NONE),
    "stream.usage-opt-in": Vector(ANSWER, METERED, 2, request=ASKS_NONE),
    "stream.usage-missing": Vector(METERED, (ROLE, FINISH, DONE), 2, request=ASKS_ALL),
}


# What the violation of each vector says belongs there, and what it says is there.
SAYS = {
    "stream.utf8": ("UTF-8 text", "other bytes"),
    "stream.unnamed": ("an unnamed event", "a named event"),
    "stream.event-kind": ("a chunk, a token timing or an error event", "object"),
    "stream.one-choice": ("one choice with index 0", "array"),
    "stream.one-delta": ("an object with one member", "object"),
    "stream.role-assistant": ("assistant", "string"),
    "stream.finish-delta": ("an empty object", "object"),
    "stream.finish-reason": ("stop, length or tool_calls", "string"),
    "stream.metadata-on-finish": ("metadata", "object"),
    "stream.usage-choices": ("no usage beside a choice", "object"),
    "stream.error-shape": ("hint", "object"),
    "stream.done-text": ("[DONE]", "string"),
    "stream.role-first": ("role, error", "delta"),
    "stream.role-once": ("delta, timing, finish, error", "role"),
    "stream.after-finish": ("usage, done", "delta"),
    "stream.finish-once": ("usage, done", "finish"),
    "stream.finish-missing": ("delta, timing, finish, error", "done"),
    "stream.usage-after-finish": ("delta, timing, finish, error", "usage"),
    "stream.usage-once": ("done", "usage"),
    "stream.error-after-finish": ("usage, done", "error"),
    "stream.error-then-done": ("done", "delta"),
    "stream.done-once": ("end of the body", "done"),
    "stream.done-last": ("end of the body", "delta"),
    "stream.done-missing": ("[DONE]", "end of the body"),
    "stream.truncated": ("a blank line", "end of the body"),
    "stream.identity": ("the id of the first chunk", "string"),
    "stream.token-index": ("0", "integer"),
    "stream.timing-opt-in": ("no token timing", "timing"),
    "stream.usage-opt-in": ("no usage chunk", "usage"),
    "stream.usage-missing": ("usage", "done"),
}


def test_every_rule_has_a_vector() -> None:
    assert set(VECTORS) == set(SAYS) == set(RULES)
    assert all(rule.startswith("stream.") for rule in RULES)


@pytest.mark.parametrize("rule", VECTORS)
def test_vector(rule: str) -> None:
    vector = VECTORS[rule]
    assert broken(judge(*vector.good, request=vector.request)) == []
    result = judge(*vector.bad, request=vector.request)
    assert broken(result) == [(rule, vector.event, vector.pointer)]
    assert result.outcome == vector.outcome
    (violation,) = result.violations
    assert (violation.keyword, violation.schema_ref, violation.message) == ("stream", "", RULES[rule])
    assert len(violation.message) <= MAX_MESSAGE
    assert (violation.expected, violation.got) == SAYS[rule]


# --- what a stream comes to ---


def test_a_completed_stream_is_summed_up() -> None:
    answer = (delta(reasoning_content="hm"), timing(0), TEXT, timing(1))
    events = (ROLE, b": ping\n\n", *answer, finish("length"), METER, DONE)
    assert judge(*events, request=ASKS_ALL) == StreamResult(
        violations=[], outcome="completed", events=8, comments=1, tokens=2, finish_reason="length", usage=USAGE
    )


def test_a_well_reported_failure_is_no_violation() -> None:
    assert judge(ROLE, TEXT, timing(0), error(), DONE, request=ASKS_ALL) == StreamResult(
        violations=[], outcome="failed", events=5, comments=0, tokens=1, finish_reason=None, usage=None
    )


def test_the_first_end_counts() -> None:
    later = (timing(0), finish("length"), chunk(usage=USAGE | {"total_tokens": 9}))
    result = judge(ROLE, FINISH, METER, *later, DONE, *later)
    assert (result.tokens, result.finish_reason, result.usage) == (1, "stop", USAGE)
    result = judge(ROLE, error(), *later, DONE, *later)
    assert (result.tokens, result.finish_reason, result.usage) == (0, None, None)


@pytest.mark.parametrize("usage", [[5], None])
def test_what_is_misshapen_is_not_summed_up(usage: Any) -> None:
    end = chunk({"index": 0, "delta": {}, "finish_reason": 5}, bad=1)
    result = judge(ROLE, end, chunk(usage=usage, bad=1), DONE, request=ASKS_ALL)
    assert broken(result) == [("stub", 1, "/bad"), ("stub", 2, "/bad")]
    assert (result.outcome, result.finish_reason, result.usage) == ("completed", None, None)


def test_text_and_bytes_are_the_same_body() -> None:
    body = wire(*ANSWER)
    assert validate_stream(body.decode(), check=check) == validate_stream(body, check=check)


def test_a_lone_surrogate_is_broken_utf8() -> None:
    body = wire(*ANSWER).decode().replace("Blue", "\ud800")
    assert broken(validate_stream(body, check=check)) == [("stream.utf8", 1, "")]


def test_a_body_that_is_no_stream_fails() -> None:
    assert broken(judge(b"")) == [("stream.done-missing", 0, "")]
    assert broken(judge(b'{"error": {"code": "loading"}}')) == [("stream.truncated", 0, "")]


def test_large_events_are_read() -> None:
    assert broken(judge(ROLE, delta(content="x" * 20_000_000), FINISH, DONE)) == []


# --- one event ---


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (chunk(), [("stream.one-choice", 1, "/choices")]),
        (chunk({"index": 1, "delta": {"content": "b"}}), [("stream.one-choice", 1, "/choices")]),
        (chunk({"index": 1, "delta": {}, "finish_reason": "stop"}), [("stream.one-choice", 1, "/choices")]),
        (delta(), [("stream.one-delta", 1, "/choices/0/delta")]),
        (delta(content="a", reasoning_content="b"), [("stream.one-delta", 1, "/choices/0/delta")]),
        (delta(content="a", tool_calls=[]), [("stream.one-delta", 1, "/choices/0/delta")]),
        (TEXT | {"metadata": METADATA}, [("stream.metadata-on-finish", 1, "/metadata")]),
        (METER | {"metadata": METADATA}, [("stream.metadata-on-finish", 1, "/metadata")]),
        ([], [("stream.event-kind", 1, "")]),
        ("null", [("stream.event-kind", 1, "")]),
        ({}, [("stream.event-kind", 1, "")]),
        ({"object": "error", "message": "no"}, [("stream.event-kind", 1, "")]),
        (TEXT | {"bad": 1}, [("stub", 1, "/bad")]),
        ({"object": "kiln.token_timing", "bad": 1}, [("stub", 1, "/bad")]),
        ({"object": "ping", "bad": 1}, [("stream.event-kind", 1, "")]),
        ({"object": "chat.completion.chunk", "bad": 1}, [("stub", 1, "/bad")]),
        (without(TEXT, "object") | {"bad": 1}, [("stub", 1, "/bad")]),
        (TEXT | {"id": "chatcmpl-2"}, [("stream.identity", 1, "/id")]),
        (TEXT | {"created": 1}, [("stream.identity", 1, "/created")]),
        (TEXT | {"model": "x"}, [("stream.identity", 1, "/model")]),
        (b"data: {\xff\n\n", [("stream.utf8", 1, "")]),
        ("[DONE", [("json.syntax", 1, "")]),
        ("", [("json.syntax", 1, "")]),
        ('{"object":"ping","object":"ping"}', [("json.duplicate-key", 1, "/object")]),
        ("[" * 100_000, [("json.depth", 1, "")]),
        (delta(tool_calls=[{"index": 0}]), []),
        (timing(0) | {"choices": None}, []),
        (
            b'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000.0,\n'
            b'data:  "model": "m", "choices": [{"index": 0.0, "delta": {"content": "x"}}]}\n\n',
            [],
        ),
    ],
)
def test_an_event_is_judged_alone(event: Any, found: list[tuple[str, int, str]]) -> None:
    result = judge(ROLE, event, TEXT, FINISH, DONE)
    assert broken(result) == found
    assert result.outcome == "completed"


def test_each_fault_of_one_event_is_named() -> None:
    event = without(finish("error", content="x"), "metadata") | {"usage": USAGE}
    assert [rule for rule, _, _ in broken(judge(ROLE, event, DONE))] == [
        "stream.usage-choices",
        "stream.metadata-on-finish",
        "stream.finish-delta",
        "stream.finish-reason",
    ]


@pytest.mark.parametrize(
    ("event", "pointers"),
    [
        (error() | {"object": "error"}, [""]),
        ({"error": "engine failed"}, ["/error"]),
        ({"error": {}}, ["/error"]),
        (error(message=None), ["/error/message"]),
        (error(type="invalid_request_error"), ["/error/type"]),
        (error(code=500), ["/error/code"]),
        (error(hint=None), ["/error/hint"]),
        (error(param="null"), ["/error/param"]),
        (error(status=500), ["/error/status"]),
        (error(**{"a/b" + "x" * 100: 1}), ["/error/a~1b" + "x" * 60 + "…"]),
        (error(code=500, param="x"), ["/error/code", "/error/param"]),
    ],
)
def test_an_error_event_has_one_shape(event: Json, pointers: list[str]) -> None:
    result = judge(ROLE, event, DONE)
    assert broken(result) == [("stream.error-shape", 1, pointer) for pointer in pointers]
    assert result.outcome == "failed"


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (error() | {"object": "error"}, ("error alone", "object")),
        ({"error": "engine failed"}, ("object", "string")),
        (error(message=None), ("string", "null")),
        (error(type="invalid_request_error"), ("server_error", "string")),
        (error(status=500), ("no such member", "integer")),
        (TEXT | {"metadata": METADATA}, ("no metadata", "object")),
    ],
)
def test_an_event_is_told_its_shape(event: Json, says: tuple[str, str]) -> None:
    end = (DONE,) if "error" in event else (FINISH, DONE)
    (violation,) = judge(ROLE, event, *end).violations
    assert (violation.expected, violation.got) == says


def test_an_error_event_names_what_it_lacks() -> None:
    (violation,) = judge({"error": {"message": "", "code": "", "param": None}}, DONE).violations
    assert violation.expected == "hint, type"


def test_an_error_event_is_read_strictly() -> None:
    body = wire(ROLE, error(), DONE).replace(b'"error":{', b'"error":{"code":"stalled",')
    assert broken(validate_stream(body, check=check)) == [("json.duplicate-key", 1, "/error/code")]


def test_events_are_checked_against_their_definitions() -> None:
    names = []

    def record(name: str, text: str) -> tuple[object, list[Violation]]:
        names.append((name, "kiln.token_timing" in text))
        return check(name, text)

    validate_stream(wire(ROLE, timing(0), FINISH, METER, DONE), check=record)
    chunk_name, timing_name = ("ChatCompletionChunk", False), ("StreamingTokenTiming", True)
    assert names == [chunk_name, timing_name, chunk_name, chunk_name]
    names.clear()
    validate_stream(wire(TEXT, TEXT, FINISH, DONE), max_errors=1, check=record)
    assert names == [chunk_name]


@pytest.mark.parametrize("text", [" [DONE]", "[DONE] ", '"[DONE]"', "[done]"])
def test_a_mangled_sentinel_still_ends_the_stream(text: str) -> None:
    result = judge(ROLE, FINISH, text, TEXT)
    assert broken(result) == [("stream.done-text", 2, ""), ("stream.done-last", 3, "")]
    assert result.outcome == "completed"
    assert broken(judge(error(), text)) == [("stream.done-text", 1, "")]


# --- one cause, one violation ---


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ((TEXT, timing(0), TEXT, FINISH, DONE), [("stream.role-first", 0)]),
        ((timing(0), timing(1), FINISH, DONE), [("stream.role-first", 0)]),
        ((TEXT, ROLE, TEXT, FINISH, DONE), [("stream.role-first", 0)]),
        ((TEXT, ROLE, ROLE, FINISH, DONE), [("stream.role-first", 0), ("stream.role-once", 2)]),
        ((TEXT, TEXT, ROLE, DONE), [("stream.role-first", 0), ("stream.finish-missing", 3)]),
        ((TEXT, timing(0), ROLE, FINISH, DONE), [("stream.role-first", 0)]),
        ((TEXT, ROLE, METER, FINISH, DONE), [("stream.role-first", 0), ("stream.usage-after-finish", 2)]),
        ((TEXT, error(), TEXT, DONE), [("stream.role-first", 0), ("stream.error-then-done", 2)]),
        ((ROLE, timing(0), ROLE, FINISH, DONE), [("stream.role-once", 2)]),
        ((ROLE, METER, TEXT, DONE), [("stream.usage-after-finish", 1)]),
        ((FINISH, METER, DONE), [("stream.role-first", 0)]),
        ((DONE,), [("stream.finish-missing", 0)]),
        ((TEXT, DONE), [("stream.role-first", 0), ("stream.finish-missing", 1)]),
        ((TEXT, METER, FINISH, DONE), [("stream.role-first", 0), ("stream.usage-after-finish", 1)]),
        ((METER, ROLE, FINISH, DONE), [("stream.usage-after-finish", 0)]),
        ((ROLE, METER, DONE), [("stream.usage-after-finish", 1)]),
        ((ROLE, METER, TEXT, FINISH, DONE), [("stream.usage-after-finish", 1)]),
        ((ROLE, METER, timing(0), ROLE, FINISH, DONE), [("stream.usage-after-finish", 1), ("stream.role-once", 3)]),
        ((ROLE, METER, FINISH, METER, DONE), [("stream.usage-after-finish", 1), ("stream.usage-once", 3)]),
        ((ROLE, METER, METER, FINISH, DONE), [("stream.usage-after-finish", 1), ("stream.usage-once", 2)]),
        ((ROLE, METER, error(), DONE), [("stream.usage-after-finish", 1)]),
        ((ROLE, FINISH, TEXT, ROLE, METER, TEXT, DONE), [("stream.after-finish", 2), ("stream.after-finish", 5)]),
        ((ROLE, FINISH, METER, FINISH, DONE), [("stream.finish-once", 3)]),
        ((ROLE, FINISH, METER, timing(0), ROLE, DONE), [("stream.after-finish", 3)]),
        ((ROLE, FINISH, METER, error(), DONE), [("stream.error-after-finish", 3)]),
        ((ROLE, FINISH, error(), TEXT, DONE), [("stream.error-after-finish", 2), ("stream.error-then-done", 3)]),
        ((error(), error(), FINISH, METER, {"bad": 1}, "not JSON", DONE), [("stream.error-then-done", 1)]),
        ((*ANSWER, *ANSWER), [("stream.done-last", 4), ("stream.done-once", 7)]),
        ((*ANSWER, {"bad": 1}, "not JSON", METER, timing(9), error(), FINISH), [("stream.done-last", 4)]),
        ((*ANSWER, DONE, DONE), [("stream.done-once", 4)]),
        ((ROLE, TEXT | {"id": "x"}, TEXT | {"id": "y"}, TEXT, FINISH, DONE), [("stream.identity", 1)]),
        ((ROLE, TEXT | {"model": "x"}, FINISH | {"id": "x"}, DONE), [("stream.identity", 1), ("stream.identity", 2)]),
        ((ROLE, METER, FINISH | {"id": "x"}, DONE), [("stream.usage-after-finish", 1), ("stream.identity", 2)]),
        ((ROLE, timing(0), timing(2), timing(3), FINISH, DONE), [("stream.token-index", 2)]),
        ((ROLE, timing(0), timing(0), timing(1), FINISH, DONE), [("stream.token-index", 2)]),
        ((ROLE, timing(0), timing(1) | {"bad": 1}, timing(2), FINISH, DONE), [("stub", 2)]),
        ((ROLE, timing(0), timing("1") | {"bad": 1}, timing(2), FINISH, DONE), [("stub", 2)]),
        ((ROLE, timing(0.0), timing(1), FINISH, DONE), []),
        ((ROLE | {"bad": 1}, TEXT, FINISH, DONE), [("stub", 0)]),
        ((chunk({"delta": {"role": "assistant"}}, bad=1), TEXT, FINISH, DONE), [("stub", 0)]),
        ((ROLE, chunk({"index": 0, "delta": {}, "finish_reason": None}, bad=1), *ANSWER[1:]), [("stub", 1)]),
        ((ROLE, chunk({"index": 0, "delta": None}, bad=1), *ANSWER[1:]), [("stub", 1)]),
        ((ROLE, chunk(None, bad=1), *ANSWER[1:]), [("stub", 1)]),
        ((ROLE, chunk(bad=1) | {"choices": None}, *ANSWER[1:]), [("stub", 1)]),
        ((ROLE, TEXT, FINISH | {"bad": 1}, METER, DONE), [("stub", 2)]),
        ((ROLE, FINISH, chunk(usage=None, bad=1), DONE), [("stub", 2)]),
        ((ROLE, TEXT | {"bad": 1, "id": "x"}, FINISH, DONE), [("stub", 1)]),
        ((b"event: a\n" + wire(ROLE), b"event: b\n" + wire(FINISH), DONE), [("stream.unnamed", 0)]),
        ((ROLE, FINISH, chunk(usage=USAGE, id="x"), DONE), [("stream.identity", 2)]),
        ((ACCENT.replace(b"\xa9", b""), ROLE, FINISH, DONE), [("stream.utf8", 0)]),
        ((ROLE, wire(FINISH).replace(b'"model"', b'"model":"m","model"'), DONE), [("json.duplicate-key", 1)]),
        ((ROLE, FINISH, "X[DONE]", DONE), [("json.syntax", 2)]),
    ],
)  # fmt: skip
def test_one_cause_gives_one_violation(events: tuple[Sent, ...], found: list[tuple[str, int]]) -> None:
    assert [(rule, event) for rule, event, _ in broken(judge(*events))] == found


def test_the_order_says_what_it_waits_for() -> None:
    waiting = [(v.expected, v.got) for v in judge(DONE, ROLE).violations]
    assert waiting == [("role, error", "done"), ("end of the body", "role")]


# --- the request ---


class Options(msgspec.Struct):
    include_usage: bool | msgspec.UnsetType = msgspec.UNSET


class Request(msgspec.Struct):
    include_performance: bool | msgspec.UnsetType | None = msgspec.UNSET
    stream_options: Options | msgspec.UnsetType | None = msgspec.UNSET


FULL = (ROLE, timing(0), FINISH, METER, DONE)


@pytest.mark.parametrize(
    ("request_", "rules"),
    [
        (None, []),
        (ASKS_ALL, []),
        (Request(include_performance=True, stream_options=Options(include_usage=True)), []),
        ({}, ["stream.timing-opt-in", "stream.usage-opt-in"]),
        (Request(), ["stream.timing-opt-in", "stream.usage-opt-in"]),
        (Request(include_performance=False, stream_options=None), ["stream.timing-opt-in", "stream.usage-opt-in"]),
        (Request(include_performance=True, stream_options=Options()), ["stream.usage-opt-in"]),
        ({"stream_options": {"include_usage": True}}, ["stream.timing-opt-in"]),
        (
            {"include_performance": 1, "stream_options": {"include_usage": 1}},
            ["stream.timing-opt-in", "stream.usage-opt-in"],
        ),
    ],
)
def test_optional_events_need_the_request(request_: Any, rules: list[str]) -> None:
    assert [rule for rule, _, _ in broken(judge(*FULL, request=request_))] == rules


@pytest.mark.parametrize("events", [(ROLE, FINISH), (ROLE, error(), DONE), (ROLE, METER, FINISH, DONE), (ROLE, DONE)])
def test_usage_is_missed_only_in_a_whole_answer(events: tuple[Sent, ...]) -> None:
    assert "stream.usage-missing" not in [rule for rule, _, _ in broken(judge(*events, request=ASKS_ALL))]


@pytest.mark.parametrize("early", [(METER, ROLE), (ROLE, METER)])
def test_early_usage_is_not_missed_too(early: tuple[Sent, ...]) -> None:
    result = judge(*early, FINISH, DONE, request=ASKS_ALL)
    assert [rule for rule, _, _ in broken(result)] == ["stream.usage-after-finish"]
    assert result.usage == USAGE


def test_a_request_as_text_is_refused() -> None:
    with pytest.raises(TypeError, match="decoded JSON object or a Struct, not bytes"):
        judge(*FULL, request=b"{}")


# --- bounds and privacy ---


def test_violations_are_bounded() -> None:
    events = [ROLE, TEXT] * 20
    every = judge(*events, FINISH, DONE).violations
    assert len(every) == 19
    for limit in (1, 7, 19, 20):
        assert judge(*events, FINISH, DONE, max_errors=limit).violations == every[:limit]
    with pytest.raises(ValueError, match="at least 1"):
        judge(DONE, max_errors=0)


def test_a_bounded_report_still_tells_the_outcome() -> None:
    assert judge(ROLE, ROLE, TEXT, ROLE, FINISH, DONE, max_errors=1).outcome == "completed"


LEAKY = (
    delta(role="SECRET"),
    TEXT | {"id": "SECRET", "model": "SECRET", "created": "SECRET"},
    delta(content="SECRET", reasoning_content="SECRET"),
    timing("SECRET"),
    {"object": "SECRET"},
    finish("stop", content="SECRET"),
    b"event: SECRET\n" + wire(METER),
    error(message="SECRET", code=["SECRET"], type="SECRET"),
    "SECRET",
)


def test_content_is_not_shown() -> None:
    found = judge(ROLE, *LEAKY).violations + judge(error(type="SECRET"), DONE).violations
    assert len(found) > 8
    assert "SECRET" not in repr(found)
    assert {v.got for v in found if v.pointer == "/token_index"} == {"string"}


@pytest.mark.parametrize(
    ("event", "got"),
    [
        (timing("0"), "string '0'"),
        (timing(7), "integer 7"),
        (error(code=["x", "y"]), "array of 2"),
        (delta(role="x" * 200), "string 'xxx"),
        (delta(role="a", content="b"), "object of 2"),
        (finish("error"), "string 'error'"),
    ],
)
def test_values_are_shown_on_request_shortened(event: Json, got: str) -> None:
    shown = judge(ROLE, event, show_values=True).violations[0].got
    assert shown.startswith(got)
    assert len(shown) <= 90


def test_the_schemas_follow_the_same_options() -> None:
    body = wire(chunk({"index": 0, "delta": {"role": "assistant"}}, created="SECRET"))
    assert validate_stream(body).violations[0].got == "string"
    assert "SECRET" in validate_stream(body, show_values=True).violations[0].got


def test_a_checker_of_its_own_defaults_to_a_whole_stream_and_shows_nothing() -> None:
    checker = StreamChecker(check=check)
    checker.feed(Event(msgspec.json.encode(delta(role="SECRET")).decode()))
    result = checker.finish()
    assert [(v.rule, v.got) for v in result.violations] == [
        ("stream.role-assistant", "string"),
        ("stream.done-missing", "end of the body"),
    ]
    assert result.comments == 0


# --- laws ---

LETTERS: dict[str, Sent] = {"R": ROLE, "D": TEXT, "F": FINISH, "U": METER, "E": error(), "X": DONE}
COMPLETED, FAILED = re.compile("R[DT]*FU?X"), re.compile("(R[DT]*)?EX")

plain_streams = st.builds("R{}{}X".format, st.text("DT", max_size=6), st.sampled_from(["F", "FU", "E"])) | st.just("EX")


def spell(letters: str) -> list[Sent]:
    """The events that the letters stand for, token timings numbered in turn."""
    indices = iter(range(len(letters)))
    return [timing(next(indices)) if letter == "T" else LETTERS[letter] for letter in letters]


@given(st.text("RDTFUEX", max_size=8) | plain_streams)
def test_the_table_takes_exactly_the_grammar(letters: str) -> None:
    result = judge(*spell(letters))
    is_good = bool(COMPLETED.fullmatch(letters) or FAILED.fullmatch(letters))
    assert (result.violations == []) is is_good
    if is_good:
        assert result.outcome == ("completed" if "F" in letters else "failed")
    assert result.events == len(letters)


@given(plain_streams, st.data())
def test_a_cut_gives_one_violation(letters: str, data: st.DataObject) -> None:
    body = wire(b"\xef\xbb\xbf: hi\n\n", *spell(letters)).replace(
        b"\n", data.draw(st.sampled_from([b"\n", b"\r", b"\r\n"]))
    )
    whole = body.removesuffix(b"\n") if body.endswith(b"\r\n") else body
    end = data.draw(st.integers(0, len(whole) - 1))
    result = validate_stream(body[:end], ASKS_ALL, check=check)
    assert [rule for rule, _, _ in broken(result)] in (["stream.truncated"], ["stream.done-missing"])
    assert result.outcome == "failed"
    assert result.violations[0].event == result.events


LOST = {"R": "role-first", "F": "finish-missing", "U": "usage-missing", "E": "finish-missing", "X": "done-missing"}
TWICE = {"R": "role-once", "F": "finish-once", "U": "usage-once", "E": "error-then-done", "X": "done-once"}


@given(plain_streams, st.data())
def test_a_lost_event_gives_one_violation(letters: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(letters) - 1))
    events = spell(letters)
    letter = letters[place]
    del events[place]
    expected = [f"stream.{LOST[letter]}"] if letter in LOST else []
    if letter == "T" and "T" in letters[place + 1 :]:
        expected = ["stream.token-index"]
    if letter == "R" and events[0] == LETTERS["E"]:
        expected = []
    if letter == "F" and METER in events:
        expected = ["stream.usage-after-finish"]
    request = ASKS_ALL if "U" in letters else None
    assert [rule for rule, _, _ in broken(judge(*events, request=request))] == expected


@given(plain_streams, st.data())
def test_a_repeated_event_gives_one_violation(letters: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(letters) - 1))
    events = spell(letters)
    events.insert(place, events[place])
    twice = TWICE | {"T": "token-index"}
    expected = [f"stream.{twice[letters[place]]}"] if letters[place] in twice else []
    assert [rule for rule, _, _ in broken(judge(*events))] == expected


@given(plain_streams.filter(lambda letters: "E" not in letters), st.data())
def test_a_misshapen_event_gives_its_own_violations_only(letters: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(letters) - 2))
    events = spell(letters)
    events[place] = events[place] | {"bad": 1}  # type: ignore[operator]
    assert broken(judge(*events)) == [("stub", place, "/bad")]


@given(st.lists(st.sampled_from([*LETTERS.values(), timing(0), timing(3), *LEAKY]), max_size=8), st.data())
def test_chunks_and_comments_do_not_matter(sent: list[Sent], data: st.DataObject) -> None:
    body = wire(*sent)
    cuts = sorted({0, len(body), *data.draw(st.lists(st.integers(0, len(body)), max_size=5))})
    decoder, checker = Decoder(), StreamChecker(check=check)
    for start, end in pairwise(cuts):
        for event in decoder.feed(body[start:end]):
            checker.feed(event)
    assert checker.finish(truncated=decoder.close()) == validate_stream(body, check=check)
    noisy = encode_comment("ping").join([b"", *(wire(event) for event in sent), b""])
    assert broken(validate_stream(noisy, check=check)) == broken(validate_stream(body, check=check))


MEMBERS = st.sampled_from([*chunk(metadata=1, usage=1), "index", "delta", "role", "content", "finish_reason", *FAILURE])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | MEMBERS, inner, max_size=4),
    max_leaves=8,
)
odd_events = st.builds(
    lambda base, changes: base | changes,
    st.sampled_from([ROLE, TEXT, FINISH, METER, timing(0), error(), {}]),
    st.dictionaries(MEMBERS, json_values, max_size=3),
)


@given(st.lists(odd_events | json_values, max_size=6), st.booleans())
def test_any_json_gives_a_result(values: Iterable[Any], show_values: bool) -> None:
    events = [Event(msgspec.json.encode(value).decode()) for value in values]
    result = validate_stream(
        b"".join(map(encode, events)), ASKS_ALL, check=lambda _, text: (text, []), show_values=show_values
    )
    assert all(0 <= (v.event or 0) <= result.events and v.rule in RULES for v in result.violations)
    assert result.violations


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b"data: ", b"{", b'"', b"\n", b"\r", b"[DONE]", b"\xff"])).map(b"".join)
)
def test_any_bytes_give_a_result(body: bytes) -> None:
    assert validate_stream(body, check=check).violations
