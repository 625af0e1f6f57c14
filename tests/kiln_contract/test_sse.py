"""The event-stream codec: the format's own corner cases, laws over all inputs, and a naive second decoder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kiln_contract.sse import (
    MAX_RETRY_DIGITS,
    Decoder,
    Event,
    EventTooLarge,
    encode,
    encode_comment,
    encode_data,
)

CASES = {
    "a data line and a blank line": (b"data: x\n\n", [Event("x")]),
    "no space after the colon": (b"data:x\n\n", [Event("x")]),
    "only one space is the format's": (b"data:  x\n\n", [Event(" x")]),
    "a tab is data": (b"data:\tx\n\n", [Event("\tx")]),
    "colons in the value": (b"data: a: b\n\n", [Event("a: b")]),
    "lines are joined by LF": (b"data: a\ndata\ndata: b\n\n", [Event("a\n\nb")]),
    "an empty data line is an event": (b"data\n\ndata:\n\n", [Event(""), Event("")]),
    "two empty data lines are one line break": (b"data\ndata\n\n", [Event("\n")]),
    "every field": (b"event: e\nid: 7\nretry: 10\ndata: x\n\n", [Event("x", "e", "7", 10)]),
    "the last of a field counts": (b"event: a\nid: 1\nevent: b\nid: 2\ndata: x\n\n", [Event("x", "b", "2")]),
    "an empty id is an id": (b"id\ndata: x\n\n", [Event("x", id="")]),
    "fields do not outlive their event": (
        b"event: e\nid: 1\nretry: 2\ndata: a\n\ndata: b\n\n",
        [Event("a", "e", "1", 2), Event("b")],
    ),
    "no data, no event": (b"event: e\nid: 1\n\ndata: x\n\n", [Event("x")]),
    "an id with NUL is ignored": (b"id: a\0b\ndata: x\n\n", [Event("x")]),
    "a retry that is no number is ignored": (b"retry: 1s\nretry: -1\nretry:\ndata: x\n\n", [Event("x")]),
    "a retry in other digits is ignored": ("retry: ٣\ndata: x\n\n".encode(), [Event("x")]),
    "an endless retry is ignored": (b"retry: " + b"9" * 5000 + b"\ndata: x\n\n", [Event("x")]),
    "unknown fields are ignored": (b"datax: 1\nData: 2\n data: 3\ndata: x\n\n", [Event("x")]),
    "comments stand anywhere": (b": a\n\n:\ndata: x\n:b\ndata: y\n\n: c\n\n", [Event("x\ny")]),
    "CR and CRLF end lines": (b"data: a\r\rdata: b\r\n\r\ndata: c\r\n\n", [Event("a"), Event("b"), Event("c")]),
    "a byte order mark at the start": (b"\xef\xbb\xbfdata: x\n\n", [Event("x")]),
    "a second mark is part of the field's name": (b"\xef\xbb\xbf\xef\xbb\xbfdata: x\n\n", []),
    "a mark at a later line too": (b"\n\xef\xbb\xbfdata: x\n\n", []),
    "other line separators are data": ("data: a\u2028b\x0bc\x85d\n\n".encode(), [Event("a\u2028b\x0bc\x85d")]),
    "broken UTF-8 is marked": (b"data: \xff\xc3\n\ndata: x\n\n", [Event("\ufffd\ufffd", malformed=True), Event("x")]),
    "broken UTF-8 in a name": (b"event: \xff\nid: \xff\ndata: x\n\n", [Event("x", "\ufffd", "\ufffd", malformed=True)]),
    "an encoded surrogate": (b"data: \xed\xa0\x80\n\n", [Event("\ufffd\ufffd\ufffd", malformed=True)]),
    "an unfinished event is no event": (b"data: a\n\ndata: b\n", [Event("a")]),
}


@pytest.mark.parametrize(("body", "events"), CASES.values(), ids=CASES.keys())
def test_decoder_reads_the_format(body: bytes, events: list[Event]) -> None:
    assert Decoder().feed(body) == events


@pytest.mark.parametrize(
    ("body", "was_cut"),
    [
        (b"", False),
        (b"data: x\n\n", False),
        (b"data: x\r\n\r", False),
        (b"data: x\n\n: keep-alive", False),
        (b"data: x\n\n: keep-alive\n", False),
        (b"data: x\n", True),
        (b"data: x", True),
        (b"d", True),
        (b"event: e\n", True),
        (b"\xef", True),
        (b"\xef\xbb\xbf", False),
        (b"not an event stream", True),
    ],
)
def test_close_tells_a_cut_event(body: bytes, was_cut: bool) -> None:
    decoder = Decoder()
    decoder.feed(body)
    assert decoder.close() is was_cut


def test_a_closed_decoder_takes_no_more() -> None:
    decoder = Decoder()
    decoder.close()
    with pytest.raises(ValueError, match="new one"):
        decoder.feed(b"data: x\n\n")


def test_comments_are_counted() -> None:
    decoder = Decoder()
    decoder.feed(b": a\n\n:\ndata: : no comment\n\n:unfinished")
    assert decoder.num_comments == 2


# --- bounded memory ---


def test_a_large_event_comes_after_the_ones_before_it() -> None:
    decoder = Decoder(max_event_bytes=10)
    assert decoder.feed(b"data: 1234\n\ndata: 12345\n\ndata: 1\n\n") == [Event("1234")]
    with pytest.raises(EventTooLarge, match="10 bytes"):
        decoder.feed(b"data: 1\n\n")
    with pytest.raises(EventTooLarge):
        decoder.close()


@pytest.mark.parametrize(
    "body",
    [b"data: 12345", b"data: 12345\n\n", b"id:1\nid:2\nid:3", b":2345678901", b"id: 1\nretry:10", b"unknown: 12\n"],
)
def test_what_waits_in_memory_is_bounded(body: bytes) -> None:
    with pytest.raises(EventTooLarge):
        Decoder(max_event_bytes=10).feed(body)


def test_what_does_not_wait_is_not_counted() -> None:
    body = b"data: 1\n: a comment\n: a comment\n\n" * 100
    assert len(Decoder(max_event_bytes=18).feed(body)) == 100


def test_a_long_line_in_many_pieces_is_not_copied_for_each() -> None:
    decoder = Decoder()
    for _ in range(100_000):
        decoder.feed(b"data: 0123456789")
    assert len(decoder.feed(b"\n\n")) == 1


# --- laws ---

fragments = st.sampled_from(
    [
        *(b"data", b"event", b"id", b"retry", b":", b" ", b"7", b"x", b"\0", b"\n", b"\r", b"\r\n", b"\n\n"),
        *(b"data: x\n\n", b": c\n", "é".encode(), "😀".encode(), b"\xef\xbb\xbf", b"\xff", b"\xf0\x9f"),
    ]
)
bodies = st.lists(fragments | st.binary(max_size=3), max_size=40).map(b"".join)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20)
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\r\n: "), max_size=40)
events = st.builds(
    Event,
    texts,
    name=names,
    id=st.none() | names.map(lambda text: text.replace("\0", "")),
    retry=st.none() | st.integers(0, 10**MAX_RETRY_DIGITS - 1),
)


def pieces(body: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    return (body[start:end] for start, end in pairwise(places))


def outcome(chunks: Iterator[bytes], max_event_bytes: int) -> tuple[list[Event], bool | str, int]:
    decoder = Decoder(max_event_bytes=max_event_bytes)
    found: list[Event] = []
    try:
        for chunk in chunks:
            found += decoder.feed(chunk)
        return found, decoder.close(), decoder.num_comments
    except EventTooLarge as error:
        return found, str(error), decoder.num_comments


@given(bodies, st.lists(st.integers(0, 400), max_size=8), st.integers(1, 40) | st.just(10_000))
@example(b"\xef\xbb\xbfdata: x\r\n\r\n", [1, 2, 11, 12], 10_000)
@example(b"\n\xef\xbb\xbfdata: x\n\n", [1], 10_000)
def test_chunks_do_not_matter(body: bytes, cuts: list[int], limit: int) -> None:
    assert outcome(pieces(body, cuts), limit) == outcome(iter([body]), limit)


@given(bodies)
def test_single_bytes_and_empty_chunks_do_not_matter(body: bytes) -> None:
    chunks = (chunk for byte in body for chunk in (bytes([byte]), b""))
    assert outcome(chunks, 10_000) == outcome(iter([body]), 10_000)


@given(bodies)
def test_decoder_agrees_with_the_algorithm_written_out(body: bytes) -> None:
    assert [(e.data, e.name, e.id, e.retry) for e in Decoder().feed(body)] == list(naive_events(body))


def naive_events(body: bytes) -> Iterator[tuple[str, str, str | None, int | None]]:
    """The algorithm step by step over decoded text, for whole bodies only."""
    text = body.decode(errors="replace").removeprefix("\ufeff")
    *lines, _ = re.split("\r\n|\r|\n", text)
    data, name, event_id, retry = "", "", None, None
    for line in lines:
        if line == "":
            if data:
                yield data.removesuffix("\n"), name, event_id, retry
            data, name, event_id, retry = "", "", None, None
            continue
        field, colon, value = line.partition(":")
        value = value.removeprefix(" ") if colon else ""
        if field == "data":
            data += value + "\n"
        elif field == "event":
            name = value
        elif field == "id" and "\0" not in value:
            event_id = value
        elif field == "retry" and re.fullmatch("[0-9]{1,15}", value):
            retry = int(value)


@given(st.lists(events, max_size=5))
def test_events_survive_the_wire(sent: list[Event]) -> None:
    wire = b"".join(encode_comment("ping") + encode(event) for event in sent)
    expected = [Event(one_kind_of_line_end(e.data), e.name, e.id, e.retry) for e in sent]
    assert outcome(iter([wire]), 10_000) == (expected, False, len(sent))


@given(texts)
def test_text_cannot_inject(text: str) -> None:
    lines = one_kind_of_line_end(text)
    assert Decoder().feed(encode_data(text)) == Decoder().feed(encode_data(text.encode())) == [Event(lines)]
    decoder = Decoder()
    assert decoder.feed(encode_comment(text)) == []
    assert decoder.num_comments == lines.count("\n") + 1


def one_kind_of_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


# --- what cannot be written ---


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (Event("", name="a\nb"), "name holds a line break"),
        (Event("", name="a\rb"), "name holds a line break"),
        (Event("", id="a\nb"), "id holds a line break"),
        (Event("", id="a\rb"), "id holds a line break"),
        (Event("", id="a\0b"), "NUL"),
        (Event("", retry=-1), "retry"),
        (Event("", retry=10**MAX_RETRY_DIGITS), "retry"),
        (Event("\ud800"), "surrogates"),
    ],
)
def test_encode_refuses_what_readers_would_read_otherwise(event: Event, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        encode(event)


def test_encode_writes_the_usual_form() -> None:
    assert encode(Event("a\nb", "e", "7", 10)) == b"event: e\nid: 7\nretry: 10\ndata: a\ndata: b\n\n"
    assert encode_data(b'{"a":1}') == b'data: {"a":1}\n\n'
    assert encode_comment("keep-alive") == b": keep-alive\n\n"
