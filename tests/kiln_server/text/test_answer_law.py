"""The law of the answer's side: however an answer is cut into tokens, it is the same answer.

What it must be is said a second time here, over the whole text at once.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import count, pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kiln_server.backend import Tokenizer
from kiln_server.text.answer import Answer, Delta, FinishedAnswer
from kiln_server.text.detokenizer import MARKUP, Detokenizer
from kiln_server.text.hf_tokenizer import HfTokenizer
from tests.kiln_server.text.vocabularies import KINDS, library

TOOLS = [
    {"type": "function", "function": {"name": "f", "parameters": {"properties": {"s": {"type": "string"}}}}},
    {"type": "function", "function": {"name": "g"}},
]
TAG_IDS = {tag: 1_000_000 + index for index, tag in enumerate(sorted(MARKUP))}


class Chunks:
    """A tokenizer whose tokens are pieces of one text, wherever it is cut, and whose tags are tokens too."""

    eos_ids: frozenset[int] = frozenset()
    special_ids: Mapping[str, int] = TAG_IDS
    leading_space = False

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = chunks

    def encode(self, text: str) -> list[int]:
        raise NotImplementedError

    def encode_prompt(self, text: str) -> list[int]:
        raise NotImplementedError

    def token_bytes(self, token_id: int) -> bytes:
        return self._chunks[token_id] if token_id < len(self._chunks) else b""


class Settings(NamedTuple):
    """How an answer is read."""

    inside: bool = False
    stops: tuple[str, ...] = ()
    tools: list[Any] | None = None


class Read(NamedTuple):
    """What came of it."""

    reasoning: str
    content: str
    calls: list[tuple[str, str, str]]
    reason: str


def read(tokenizer: Tokenizer, ids: Iterable[int], how: Settings) -> Read:
    """Feed tokens as the server does: up to the one that completes a stop."""
    numbers = count()
    answer = Answer(
        tokenizer, inside_thinking=how.inside, stops=how.stops, tools=how.tools, new_id=lambda: f"call_{next(numbers)}"
    )
    finished = FinishedAnswer()
    indices = count()
    for id_ in ids:
        finished.add(checked(answer.feed(id_), indices))
        if answer.stopped:
            break
    finished.add(checked(answer.flush(), indices))
    assert answer.flush() == []
    calls = [(call.id, call.name, call.arguments) for call in finished.tool_calls]
    return Read(finished.reasoning, finished.content, calls, answer.finish_reason(None if answer.stopped else "eos"))


def checked(deltas: list[Delta], indices: Iterable[int]) -> list[Delta]:
    """Every delta is exactly one thing, and calls are numbered from 0."""
    for delta in deltas:
        assert [bool(delta.reasoning), bool(delta.content), delta.tool_call is not None].count(True) == 1
        if delta.tool_call is not None:
            assert delta.call_index == next(iter(indices))
    return deltas


# The same over a whole text


def expected(text: str, how: Settings) -> Read:
    ends = [(text.find(stop) + len(stop), text.find(stop)) for stop in how.stops if stop and stop in text]
    text = text[: min(ends)[1]] if ends else text
    if how.inside or text.startswith("<think>"):
        reasoning, _, content = text.removeprefix("" if how.inside else "<think>").partition("</think>")
    else:
        reasoning, content = "", text
    calls: list[tuple[str, str]] = []
    if how.tools is not None:
        content, calls = without_calls(content)
    numbered = [(f"call_{index}", *call) for index, call in enumerate(calls)]
    return Read(reasoning, content, numbered, "tool_calls" if calls else "stop")


def without_calls(text: str) -> tuple[str, list[tuple[str, str]]]:
    stretches, calls, place = [""], [], 0
    while place < len(text):
        found = call_at(text, place)
        if found is None:
            stretches[-1] += text[place]
            place += 1
        else:
            name, arguments, place = found
            calls.append((name, json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)))
            stretches.append("")
    return "".join(stretch for stretch in stretches if stretch.strip() or not calls), calls


def call_at(text: str, place: int) -> tuple[str, dict[str, Any], int] | None:
    """A call that is written here, and where it ends."""
    opening = re.compile(r"<tool_call>\s*").match(text, place)
    found = opening and (json_at(text, opening.end()) or function_at(text, opening.end()))
    closing = found and re.compile(r"\s*</tool_call>").match(text, found[2])
    return (*found[:2], closing.end()) if found and closing else None


def json_at(text: str, place: int) -> tuple[str, dict[str, Any], int] | None:
    try:
        call, end = json.JSONDecoder().raw_decode(text, place)
        arguments = call.get("arguments", {})
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, AttributeError):
        return None
    name = call.get("name")
    return (name, arguments, end) if name and isinstance(name, str) and isinstance(arguments, dict) else None


def function_at(text: str, place: int) -> tuple[str, dict[str, Any], int] | None:
    head = re.compile(r"<function=([^<>]+)>").match(text, place)
    if head is None:
        return None
    arguments, place = {}, head.end()
    while parameter := re.compile(r"\s*<parameter=([^<>]+)>").match(text, place):
        end, place = parameter_ends(text, parameter.end())
        value = text[parameter.end() : end].removeprefix("\n").removesuffix("\n")
        arguments[parameter[1]] = value if (head[1], parameter[1]) == ("f", "s") else json_or_text(value)
    tail = re.compile(r"\s*</function>").match(text, place)
    return (head[1], arguments, tail.end()) if tail else None


def parameter_ends(text: str, place: int) -> tuple[int, int]:
    """Where a value ends, and where the tag that closes it does."""
    depth = 1
    for tag in re.compile(r"<parameter=[^<>]+>|</parameter>").finditer(text, place):
        depth += -1 if tag[0] == "</parameter>" else 1
        if not depth:
            return tag.span()
    return len(text), len(text)


def json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


CALLS = {
    "json": '{"name": "f", "arguments": {"s": "a<b>\\n", "n": [1, null]}}',
    "no arguments": '\n{"name": "g"}\n',
    "text arguments": '{"name": "g", "arguments": "{\\"x\\": 2.0}"}',
    "xml": "\n<function=f>\n<parameter=s>\n12\n</parameter>\n<parameter=n>\n12\n</parameter>\n</function>\n",
    "xml without parameters": "<function=g></function>",
    "tags in a string": '{"name": "g", "arguments": {"x": "<tool_call>{\\"</tool_call>}</think>"}}',
    "tags in a value": "<function=f><parameter=s></tool_call> <tool_call></function></parameter></function>",
    "a call in a value": "<function=f><parameter=s><function=g><parameter=x>1</parameter></function></tool_call>"
    "</parameter></function>",
}
KNOWN = {
    "json": ("f", '{"s":"a<b>\\n","n":[1,null]}'),
    "no arguments": ("g", "{}"),
    "text arguments": ("g", '{"x":2.0}'),
    "xml": ("f", '{"s":"12","n":12}'),
    "xml without parameters": ("g", "{}"),
    "tags in a string": ("g", '{"x":"<tool_call>{\\"</tool_call>}</think>"}'),
    "tags in a value": ("f", '{"s":"</tool_call> <tool_call></function>"}'),
    "a call in a value": ("f", '{"s":"<function=g><parameter=x>1</parameter></function></tool_call>"}'),
}

FRAGMENTS = [
    *(f"<tool_call>{body}</tool_call>" for body in CALLS.values()),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=s>"),
    *("<tool_call>{}</tool_call>", '<tool_call>{"name": 1}</tool_call>', "<", "</", "<tool", "think>", "<tool_call>{"),
    *('"', "\\", '{"name": "g", "arguments": {"s": "', '"}}', "}", "<parameter=n>", "</parameter>", "<function=g>"),
    *("a", "ab", "abc", " ", "\n", "\n\n", "é", "你", "🙂", "👩‍👩‍👧", "STOP", "ST", "OP", "x y"),
]
STOPS = ["STOP", "OPS", "ab", "b", "abca", "\n\n", "</think>", "<tool_call>", "call>\n", "é", "👩", "", "<"]

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join)
hows = st.builds(
    Settings,
    inside=st.booleans(),
    stops=st.lists(st.sampled_from(STOPS), max_size=3).map(tuple),
    tools=st.sampled_from([None, TOOLS]),
)


def cut(data: bytes, at: Iterable[int]) -> list[bytes]:
    borders = sorted({0, len(data), *(place for place in at if place < len(data))})
    return [data[start:stop] for start, stop in pairwise(borders)]


def read_cut(text: str, at: Iterable[int], how: Settings) -> Read:
    chunks = cut(text.encode(), at)
    return read(Chunks(chunks), range(len(chunks)), how)


@settings(max_examples=400, deadline=None)
@given(text=texts, how=hows, at=st.sets(st.integers(1, 300), max_size=40))
@example("xabca", Settings(stops=("abca", "b")), set())
@example("xabca", Settings(stops=("bca", "abca")), set())
@example(
    "<think>a</think>" + " <tool_call>" + CALLS["json"] + "</tool_call> \n", Settings(tools=TOOLS), set(range(300))
)
def test_an_answer_is_the_same_however_it_is_cut(text: str, how: Settings, at: set[int]) -> None:
    assert read_cut(text, at, how) == expected(text, how)


def read_together(tokenizer: Tokenizer, batches: Iterable[Sequence[int]], how: Settings) -> tuple[Read, int]:
    """Feed tokens as they come together; also how many were read."""
    numbers = count()
    answer = Answer(
        tokenizer, inside_thinking=how.inside, stops=how.stops, tools=how.tools, new_id=lambda: f"call_{next(numbers)}"
    )
    finished = FinishedAnswer()
    indices = count()
    for ids in batches:
        if not answer.stopped:
            finished.add(checked(answer.feed_all(ids), indices))
    finished.add(checked(answer.flush(), indices))
    calls = [(call.id, call.name, call.arguments) for call in finished.tool_calls]
    reason = answer.finish_reason(None if answer.stopped else "eos")
    return Read(finished.reasoning, finished.content, calls, reason), answer.num_tokens


@settings(max_examples=400, deadline=None)
@given(text=texts, how=hows, at=st.sets(st.integers(1, 300), max_size=40), batch_at=st.sets(st.integers(1, 40)))
def test_tokens_that_come_together_give_the_same_answer(
    text: str, how: Settings, at: set[int], batch_at: set[int]
) -> None:
    pieces = cut(text.encode(), at)
    tags = {tag.encode(): id_ for tag, id_ in TAG_IDS.items()}
    ids = [tags.get(piece, index) for index, piece in enumerate(pieces)]
    borders = sorted({0, len(ids), *(place for place in batch_at if place < len(ids))})
    batches = [ids[start:stop] for start, stop in pairwise(borders)]
    together, num_tokens = read_together(Chunks(pieces), batches, how)
    one_by_one, num_one_by_one = read_together(Chunks(pieces), [[id_] for id_ in ids], how)
    assert together == one_by_one == expected(text, how)
    assert num_tokens == num_one_by_one


def test_the_terminal_eos_counts_and_has_no_text() -> None:
    for stops in ((), ("x",)):
        answer = Answer(Chunks([b"a", b"b"]), inside_thinking=False, stops=stops, new_id=str)
        deltas = answer.feed_all([0, 1], is_end=True)
        assert ("".join(delta.content for delta in deltas), answer.num_tokens) == ("a", 2)


@settings(max_examples=100, deadline=None)
@given(text=texts, how=hows)
def test_every_byte_and_every_single_cut(text: str, how: Settings) -> None:
    wanted = expected(text, how)
    assert read_cut(text, (), how) == wanted
    assert read_cut(text, range(1, len(text.encode())), how) == wanted
    for place in range(1, len(text.encode())):
        assert read_cut(text, [place], how) == wanted


@settings(max_examples=200, deadline=None)
@given(text=texts, how=hows, as_tokens=st.lists(st.booleans(), max_size=20))
def test_tags_are_the_same_as_control_tokens_and_as_text(text: str, how: Settings, as_tokens: list[bool]) -> None:
    pieces = [piece for piece in re.split("(" + "|".join(map(re.escape, sorted(MARKUP))) + ")", text) if piece]
    choices = [*as_tokens, *([True] * len(pieces))]
    ids = [
        TAG_IDS[piece] if piece in TAG_IDS and as_token else index
        for index, (piece, as_token) in enumerate(zip(pieces, choices, strict=False))
    ]
    assert read(Chunks([piece.encode() for piece in pieces]), ids, how) == expected(text, how)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=24), at=st.sets(st.integers(1, 24)))
def test_bytes_that_are_no_text_are_replaced_alike_however_they_are_cut(data: bytes, at: set[int]) -> None:
    chunks = cut(data, at)
    detokenizer = Detokenizer(Chunks(chunks))
    assert "".join(map(detokenizer.feed, range(len(chunks)))) == decoded(data)
    assert Detokenizer(Chunks(chunks)).feed_all(range(len(chunks))) == decoded(data)


def decoded(data: bytes) -> str:
    """Text of bytes without an unfinished character at their end."""
    return getincrementaldecoder("utf-8")("replace").decode(data)


# Real tokenizers


@cache
def tokenizer(kind: str) -> HfTokenizer:
    return HfTokenizer(library(kind).to_str())


def whole_text(kind: str, ids: Sequence[int]) -> str:
    """The text of tokens, put together all at once."""
    tags = {id_: tag for tag, id_ in tokenizer(kind).special_ids.items() if tag in MARKUP}
    text, run = "", b""
    for id_ in [*ids, None]:
        if id_ is None or id_ in tags:
            text += decoded(run) + tags.get(id_, "")
            run = b""
        else:
            run += tokenizer(kind).token_bytes(id_)
    return text


def at_start(kind: str, ids: Sequence[int]) -> str:
    text = whole_text(kind, ids)
    return text.removeprefix(" ") if tokenizer(kind).leading_space else text


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(text=texts, how=hows, tags_as_tokens=st.booleans())
def test_real_tokens_give_the_answer_of_their_text(kind: str, text: str, how: Settings, tags_as_tokens: bool) -> None:
    ids = tokenizer(kind).encode_rendered(text, ((0, len(text)),) if tags_as_tokens else ())
    assert read(tokenizer(kind), ids, how) == expected(at_start(kind, ids), how)


@pytest.mark.parametrize("kind", ["byte-level ignoring merges", "sentencepiece first"])
@settings(max_examples=60, deadline=None)
@given(text=texts, how=hows)
def test_an_encoded_text_is_read_back(kind: str, text: str, how: Settings) -> None:
    # SentencePiece puts one space before a text that has none there, and takes one away.
    kept = text.removeprefix(" ") if tokenizer(kind).leading_space else text
    assert read(tokenizer(kind), tokenizer(kind).encode(text), how) == expected(kept, how)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), how=hows)
def test_any_sequence_of_tokens_gives_the_answer_of_its_text(kind: str, data: st.DataObject, how: Settings) -> None:
    known = sorted(tokenizer(kind).vocab.values())
    ids = data.draw(st.lists(st.sampled_from([*known, -1, 10**6]), max_size=30))
    assert read(tokenizer(kind), ids, how) == expected(at_start(kind, ids), how)


def test_deeply_nested_arguments_are_no_fault() -> None:
    for depth in (500, 5000, 50_000):
        arguments = '{"a":' * depth + "1" + "}" * depth
        for body in (
            f'{{"name":"f","arguments":{arguments}}}',
            f"<function=g><parameter=a>{arguments}</parameter></function>",
        ):
            text = f"<tool_call>{body}</tool_call>"
            read_text = read_cut(text, (), Settings(tools=TOOLS))
            assert read_text.calls or read_text.content == text


def test_the_calls_of_the_strategy_are_calls() -> None:
    for name, body in CALLS.items():
        [(_, *call)] = read_cut(f"<tool_call>{body}</tool_call>", (), Settings(tools=TOOLS)).calls
        assert tuple(call) == KNOWN[name]
        json.loads(call[1])
