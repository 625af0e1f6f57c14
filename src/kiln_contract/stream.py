"""The grammar of a streamed chat completion, as a table-driven state machine over server-sent events.

A stream is one role delta; deltas, with token-timing events between them where the request asked; the finish chunk; a
usage chunk where the request asked; `[DONE]`. A failure puts one error event and `[DONE]` in place of all that is still
missing: that stream is well formed too, and its outcome is "failed". Comments may stand anywhere.

An event is judged in three steps, and the first that finds something ends the judgement, so that one cause gives one
violation: its own shape (the schema, then the rules of a single event); its place in the order; its agreement with the
request and with earlier events. A misshapen event still moves the machine on, as the kind that it most resembles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import msgspec

from kiln_contract.errors import DEFAULT_MAX_ERRORS, MAX_SHOWN_VALUE, Violation, clip, json_type, pointer
from kiln_contract.number import integer_of
from kiln_contract.reader import read
from kiln_contract.sse import Decoder, Event
from kiln_contract.validate import check_json

DONE: Final = "[DONE]"

RULES: Final[dict[str, str]] = {
    # One event.
    "stream.utf8": "Send UTF-8 text; split a character between chunks of the body if need be, but send all of it.",
    "stream.unnamed": "Leave out the event field; a client that reads unnamed events never sees a named one.",
    "stream.event-kind": "Send nothing but chunks, token timings, error events and [DONE].",
    "stream.one-choice": "Put exactly one choice, with index 0, in a chunk; only the usage chunk has none.",
    "stream.one-delta": "Put exactly one of role, content, reasoning_content and tool_calls in the delta of a chunk.",
    "stream.role-assistant": 'Send the role "assistant"; a stream has no other speaker.',
    "stream.finish-delta": "Leave the delta of the finish chunk empty; send what is left in a chunk before it.",
    "stream.finish-reason": "Finish with stop, length or tool_calls; report a failure as an error event instead.",
    "stream.metadata-on-finish": "Put metadata on the chunk that has finish_reason, and on no other.",
    "stream.usage-choices": "Send usage in a chunk of its own, with empty choices.",
    "stream.error-shape": "Give an error event message, type, code, hint and param, and nothing else.",
    "stream.done-text": "Write the sentinel as the bare text [DONE], without quotes or spaces.",
    # The order of events.
    "stream.role-first": "Send the role delta before anything else of the answer.",
    "stream.role-once": "Send the role once; leave it out of later deltas.",
    "stream.after-finish": "Send every delta and token timing before the finish chunk.",
    "stream.finish-once": "Send one finish chunk.",
    "stream.finish-missing": "Before [DONE], send a finish chunk or, after a failure, an error event.",
    "stream.usage-after-finish": "Send the usage chunk after the finish chunk.",
    "stream.usage-once": "Send one usage chunk.",
    "stream.error-after-finish": "Send no error event after the finish chunk; clients take the answer as complete.",
    "stream.error-then-done": "After an error event send [DONE] and nothing else.",
    "stream.done-once": "Send [DONE] once.",
    "stream.done-last": "Send nothing after [DONE]; clients have stopped reading.",
    "stream.done-missing": "End the stream with [DONE]; without it the answer counts as cut off.",
    "stream.truncated": "End every event, [DONE] too, with a blank line; readers drop the one that the body cuts off.",
    # Agreement with earlier events and with the request.
    "stream.identity": "Give every chunk of a stream the same id, created and model.",
    "stream.token-index": "Number the token timings from 0, without gaps or repeats.",
    "stream.timing-opt-in": "Send token timings only when the request itself sets include_performance to true.",
    "stream.usage-opt-in": "Send a usage chunk only when the request sets stream_options.include_usage to true.",
    "stream.usage-missing": "Send a usage chunk before [DONE]; the request sets stream_options.include_usage to true.",
}
"""Rule id to one line that says what to do. Rules of the schemas and of JSON itself keep their own ids in a stream."""

Json: TypeAlias = dict[str, Any]
Check: TypeAlias = Callable[[str, str], tuple[object, list[Violation]]]
"""Reads JSON text strictly and validates it as the named definition: the value, None if unreadable, and the faults."""

_Finding: TypeAlias = tuple[str, str, str, object]  # a broken rule, a pointer, what belongs there, what is there
Kind: TypeAlias = Literal["role", "delta", "finish", "usage", "timing", "error", "done", "other"]
State: TypeAlias = Literal["start", "late", "open", "early", "finished", "metered", "failed", "closed"]

# The order of events: what each state takes, and where that leads. `start` waits for the role, `open` for the rest of
# the answer, `metered` (usage sent) and `failed` (error sent) for [DONE]. Two states follow a broken order that is
# already reported, so that what it entails is not reported again: `late` when the answer began without its role, and
# `early` when usage came before the finish chunk; in both, what was missing may still come.
_TAKES: Final[dict[State, dict[Kind, State]]] = {
    "start": {"role": "open", "error": "failed"},
    "late": {"role": "open", "delta": "late", "timing": "late", "finish": "finished", "error": "failed"},
    "open": {"delta": "open", "timing": "open", "finish": "finished", "error": "failed"},
    "early": {"delta": "early", "timing": "early", "finish": "metered", "error": "failed", "done": "closed"},
    "finished": {"usage": "metered", "done": "closed"},
    "metered": {"done": "closed"},
    "failed": {"done": "closed"},
    "closed": {},
}

# What they refuse: the rule, the states, the kinds of event that break it there, the next state (None: the same).
_ANSWER: Final[tuple[Kind, ...]] = ("role", "delta", "timing")
_NOT_DONE: Final[tuple[Kind, ...]] = (*_ANSWER, "finish", "usage", "error", "other")
_REFUSES: Final[tuple[tuple[str, tuple[State, ...], tuple[Kind, ...], State | None], ...]] = (
    ("stream.role-first", ("start",), ("delta", "timing"), "late"),
    ("stream.role-first", ("start",), ("finish",), "finished"),
    ("stream.role-once", ("open", "early"), ("role",), None),
    ("stream.after-finish", ("finished", "metered"), _ANSWER, None),
    ("stream.finish-once", ("finished", "metered"), ("finish",), None),
    ("stream.finish-missing", ("start", "late", "open"), ("done",), "closed"),
    ("stream.usage-after-finish", ("start",), ("usage",), None),
    ("stream.usage-after-finish", ("late", "open"), ("usage",), "early"),
    ("stream.usage-once", ("early", "metered"), ("usage",), None),
    ("stream.error-after-finish", ("finished", "metered"), ("error",), "failed"),
    ("stream.error-then-done", ("failed",), _NOT_DONE, None),
    ("stream.done-last", ("closed",), _NOT_DONE, None),
    ("stream.done-once", ("closed",), ("done",), None),
)

# Both tables in one: the next state, and the rule that the event breaks, if any.
_STEPS: Final[dict[tuple[State, Kind], tuple[State, str | None]]] = {
    **{(state, kind): (goes_on, None) for state, row in _TAKES.items() for kind, goes_on in row.items()},
    **{(s, kind): (goes_on or s, rule) for rule, states, kinds, goes_on in _REFUSES for s in states for kind in kinds},
}

_CHUNK: Final = "ChatCompletionChunk"
_ERROR: Final = {"message": "string", "type": "server_error", "code": "string", "hint": "string", "param": "null"}


class StreamResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a whole stream came to.

    `outcome` is "completed" when a finish chunk and `[DONE]` arrived in that order with no error event between;
    everything else is "failed", with violations that say why unless the server reported the failure as it should.
    `events` counts every event with `[DONE]`, `tokens` the token timings; `usage` is as the usage chunk gives it.
    """

    violations: list[Violation]
    outcome: Literal["completed", "failed"]
    events: int
    comments: int
    tokens: int
    finish_reason: str | None
    usage: Json | None


class _Item(msgspec.Struct, frozen=True):
    """An event as the grammar sees it. `definition` names its schema, None where JSON's own rules are all it has."""

    kind: Kind
    definition: str | None = None
    value: Json = {}
    choice: Json = {}  # the one with index 0


def validate_stream(
    body: bytes | str,
    request: Json | msgspec.Struct | None = None,
    *,
    max_errors: int = DEFAULT_MAX_ERRORS,
    show_values: bool = False,
    check: Check | None = None,
) -> StreamResult:
    """Check a whole event-stream body; any bytes give a result. The arguments are those of `StreamChecker`."""
    # A lone surrogate has no UTF-8 form; passed through, it is reported as the broken text that it is.
    raw = body.encode(errors="surrogatepass") if isinstance(body, str) else body
    checker = StreamChecker(request, max_errors=max_errors, show_values=show_values, check=check)
    decoder = Decoder(max_event_bytes=len(raw))
    for event in decoder.feed(raw):
        checker.feed(event)
    return checker.finish(truncated=decoder.close(), comments=decoder.num_comments)


class StreamChecker:
    """Checks one stream event by event, in memory that does not grow with the stream.

    `request` (a decoded JSON object or a Struct) decides which optional events belong in the stream; without one,
    neither their presence nor their absence is a fault. At most `max_errors` violations are kept, the first ones.
    Values of the document appear in them only with `show_values`. `check` replaces the contract's own validation.
    """

    def __init__(
        self,
        request: Json | msgspec.Struct | None = None,
        *,
        max_errors: int = DEFAULT_MAX_ERRORS,
        show_values: bool = False,
        check: Check | None = None,
    ) -> None:
        if max_errors < 1:
            raise ValueError(f"max_errors must be at least 1, got {max_errors}")
        if not (request is None or isinstance(request, dict | msgspec.Struct)):
            raise TypeError(f"request must be a decoded JSON object or a Struct, not {type(request).__name__}")
        self._needs_usage = _member(_member(request, "stream_options"), "include_usage") is True
        self._takes_usage = request is None or self._needs_usage
        self._takes_timing = request is None or _member(request, "include_performance") is True
        self._check = check or partial(check_json, max_errors=max_errors, show_values=show_values)
        self._max_errors = max_errors
        self._show_values = show_values
        self._violations: list[Violation] = []
        self._state: State = "start"
        self._completed = False
        self._num_events = self._num_tokens = self._next_index = 0
        self._finish_reason: str | None = None
        self._usage: Json | None = None
        self._identity: Json = {}
        self._named_causes: set[str] = set()  # of those that one mistake shows in many events
        self._broken_order: str | None = None  # the rule that a run of events breaks, up to the last event

    def feed(self, event: Event) -> None:
        """Take the next event of the stream."""
        item = _classify(event.data)
        goes_on, rule = _STEPS.get((self._state, item.kind), (self._state, None))
        # After an error event or [DONE] nothing else belongs there, whatever it is made of.
        is_over = self._state in ("failed", "closed") and item.kind != "done"
        if (is_over or self._is_well_formed(event, item)) and self._is_in_order(item, rule):
            self._check_agreement(event, item)
        if not is_over:
            self._remember(item)
        self._state = goes_on
        self._num_events += 1

    def finish(self, *, truncated: bool = False, comments: int = 0) -> StreamResult:
        """End the stream and sum it up. `truncated` says that its bytes stopped inside an event (`Decoder.close`)."""
        if truncated:
            self._report("stream.truncated", expected="a blank line", got="end of the body")
        elif self._state != "closed":
            self._report("stream.done-missing", expected=DONE, got="end of the body")
        return StreamResult(
            violations=list(self._violations),
            outcome="completed" if self._completed else "failed",
            events=self._num_events,
            comments=comments,
            tokens=self._num_tokens,
            finish_reason=self._finish_reason,
            usage=self._usage,
        )

    def _is_well_formed(self, event: Event, item: _Item) -> bool:
        """Report what is wrong with the event alone, by the first of its layers that is broken."""
        if event.malformed:
            self._report("stream.utf8", expected="UTF-8 text", got="other bytes")
            return False
        if faults := self._validate(event.data, item):
            self._keep(faults)
            return False
        findings = list(_shape(event.data, item))
        for rule, at, expected, value in findings:
            self._report(rule, at, expected=expected, got=self._describe(value))
        return not findings

    def _validate(self, text: str, item: _Item) -> list[Violation]:
        if item.kind == "done" or len(self._violations) == self._max_errors:  # a full report has no use for more
            return []
        faults = self._check(item.definition or _CHUNK, text)[1]
        return [fault for fault in faults if item.definition or fault.rule.startswith("json.")]

    def _is_in_order(self, item: _Item, rule: str | None) -> bool:
        """Report an event out of place, unless the event before it broke the same rule: a run is one cause."""
        if rule is not None and rule != self._broken_order:
            self._report(rule, expected=", ".join(_TAKES[self._state]) or "end of the body", got=item.kind)
        self._broken_order = rule
        return rule is None

    def _check_agreement(self, event: Event, item: _Item) -> None:
        if event.name not in ("", "message"):  # "message" is the type that readers give an unnamed event
            self._report_once("stream.unnamed", expected="an unnamed event", got="a named event")
        if item.definition == _CHUNK:
            self._check_identity(item.value)
        if item.kind == "timing":
            self._check_timing(item.value.get("token_index"))
        elif item.kind == "usage" and not self._takes_usage:
            self._report_once("stream.usage-opt-in", expected="no usage chunk", got=item.kind)
        elif item.kind == "done" and self._state == "finished" and self._needs_usage and self._usage is None:
            self._report("stream.usage-missing", expected="usage", got=item.kind)

    def _check_identity(self, chunk: Json) -> None:
        for name in ("id", "created", "model"):
            value = chunk.get(name)
            if value != self._identity.setdefault(name, value):
                got = self._describe(value)
                self._report_once("stream.identity", f"/{name}", expected=f"the {name} of the first chunk", got=got)

    def _check_timing(self, index: object) -> None:
        if not self._takes_timing:
            self._report_once("stream.timing-opt-in", expected="no token timing", got="timing")
        if index != self._next_index:
            got = self._describe(index)
            self._report("stream.token-index", "/token_index", expected=str(self._next_index), got=got)

    def _remember(self, item: _Item) -> None:
        """Keep what later events are held against, and what the result tells; from a misshapen event too."""
        if item.kind == "timing":
            index = integer_of(item.value.get("token_index"))
            self._num_tokens += 1
            self._next_index = (self._next_index if index is None else index) + 1
        elif item.kind == "finish" and isinstance(reason := item.choice["finish_reason"], str):
            self._finish_reason = self._finish_reason or reason
        elif item.kind == "usage" and isinstance(usage := item.value["usage"], dict):
            self._usage = self._usage or usage
        elif item.kind == "done" and self._state in ("finished", "metered") and self._finish_reason != "error":
            self._completed = True

    def _report_once(self, rule: str, at: str = "", *, expected: str, got: str) -> None:
        if rule + at not in self._named_causes:
            self._named_causes.add(rule + at)
            self._report(rule, at, expected=expected, got=got)

    def _report(self, rule: str, at: str = "", *, expected: str, got: str) -> None:
        violation = Violation(
            pointer=at, rule=rule, keyword="stream", schema_ref="", message=RULES[rule], expected=expected, got=got
        )
        self._keep([violation])

    def _keep(self, violations: list[Violation]) -> None:
        for violation in violations[: self._max_errors - len(self._violations)]:
            self._violations.append(msgspec.structs.replace(violation, event=self._num_events))

    def _describe(self, value: object) -> str:
        if not self._show_values:
            return json_type(value)
        shown = f"of {len(value)}" if isinstance(value, dict | list) else clip(repr(value), MAX_SHOWN_VALUE)
        return f"{json_type(value)} {shown}"


def _classify(text: str) -> _Item:
    """Tell what an event is, also one that breaks its schema: by the least that sets its kind apart."""
    if text.strip(' "') in (DONE, "[done]"):
        return _Item("done")
    value = read(text, strict=False).value
    if not isinstance(value, dict):
        return _Item("other")
    if value.get("object") == "kiln.token_timing":
        return _Item("timing", "StreamingTokenTiming", value)
    if "choices" in value or value.get("object") == "chat.completion.chunk":
        return _classify_chunk(value)
    return _Item("error" if "error" in value else "other", None, value)


def _classify_chunk(chunk: Json) -> _Item:
    choices = chunk.get("choices")
    if choices == [] and "usage" in chunk:
        return _Item("usage", _CHUNK, chunk)
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and choice.get("index", 0) == 0:
            if choice.get("finish_reason") is not None:
                return _Item("finish", _CHUNK, chunk, choice)
            delta = choice.get("delta")
            return _Item("role" if isinstance(delta, dict) and "role" in delta else "delta", _CHUNK, chunk, choice)
    return _Item("other", _CHUNK, chunk)


def _shape(text: str, item: _Item) -> Iterator[_Finding]:
    """The rules that one event breaks, given that it conforms to its schema."""
    if item.kind == "done" and text != DONE:
        yield ("stream.done-text", "", DONE, text)
    elif item.kind == "error":
        yield from _error_shape(item.value)
    elif item.kind == "other" and "choices" not in item.value:
        yield ("stream.event-kind", "", "a chunk, a token timing or an error event", item.value)
    elif item.definition == _CHUNK:
        yield from _chunk_shape(item)


def _chunk_shape(item: _Item) -> Iterator[_Finding]:
    chunk = item.value
    if item.kind != "finish" and "metadata" in chunk:
        yield ("stream.metadata-on-finish", "/metadata", "no metadata", chunk["metadata"])
    if item.kind == "usage":
        return
    if item.kind == "other" or len(chunk["choices"]) != 1:
        yield ("stream.one-choice", "/choices", "one choice with index 0", chunk["choices"])
        return
    if "usage" in chunk:
        yield ("stream.usage-choices", "/usage", "no usage beside a choice", chunk["usage"])
    yield from _finish_shape(item) if item.kind == "finish" else _delta_shape(item.choice.get("delta"))


def _finish_shape(item: _Item) -> Iterator[_Finding]:
    if "metadata" not in item.value:
        yield ("stream.metadata-on-finish", "", "metadata", item.value)
    if item.choice.get("delta"):
        yield ("stream.finish-delta", "/choices/0/delta", "an empty object", item.choice["delta"])
    if item.choice["finish_reason"] == "error":
        yield ("stream.finish-reason", "/choices/0/finish_reason", "stop, length or tool_calls", "error")


def _delta_shape(delta: object) -> Iterator[_Finding]:
    if not isinstance(delta, dict) or len(delta) != 1:
        yield ("stream.one-delta", "/choices/0/delta", "an object with one member", delta)
    elif delta.get("role", "assistant") != "assistant":
        yield ("stream.role-assistant", "/choices/0/delta/role", "assistant", delta["role"])


def _error_shape(event: Json) -> Iterator[_Finding]:
    error = event["error"]
    if len(event) > 1:
        yield ("stream.error-shape", "", "error alone", event)
    if not isinstance(error, dict):
        yield ("stream.error-shape", "/error", "object", error)
        return
    if missing := _ERROR.keys() - error.keys():
        yield ("stream.error-shape", "/error", ", ".join(sorted(missing)), error)
    for name, value in error.items():
        expected = _ERROR.get(name, "no such member")
        if expected != (value if name == "type" else json_type(value)):
            yield ("stream.error-shape", pointer(["error", name]), expected, value)


def _member(value: object, name: str) -> object:
    """A member of a JSON object or Struct; None where it, or the object, is absent."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
