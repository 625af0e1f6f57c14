"""One answer from its tokens: detokenised, stopped, split into reasoning, content and tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct

from kiln_server.backend import FinishCause, Tokenizer
from kiln_server.text.detokenizer import Detokenizer
from kiln_server.text.reasoning import ReasoningSplitter, Split
from kiln_server.text.stops import StopMatcher
from kiln_server.text.tool_calls import Part, ToolCall, ToolCallParser

FinishReason = Literal["stop", "length", "tool_calls"]


class Delta(Struct, frozen=True, gc=False):
    """A piece of an answer: exactly one of its three kinds. Calls come whole; `call_index` numbers them."""

    reasoning: str = ""
    content: str = ""
    tool_call: ToolCall | None = None
    call_index: int = 0


class Answer:
    """Reads one answer's tokens; the deltas it gives, joined, are the answer.

    `tools` are the tool definitions that the model may call; None where calls are not looked for.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        inside_thinking: bool,
        stops: Sequence[str] = (),
        tools: Sequence[Any] | None = None,
        new_id: Callable[[], str],
    ) -> None:
        self._detokenizer = Detokenizer(tokenizer)
        self._stops = StopMatcher(stops) if stops else None
        self._reasoning = ReasoningSplitter(inside=inside_thinking)
        self._calls = None if tools is None else ToolCallParser(tools, new_id)
        self._num_calls = 0
        self.num_tokens = 0
        """Tokens read, the one that completed a stop string and the terminal EOS included."""
        self.stopped = False
        """Whether a stop string has ended the answer: tokens after this one do not exist."""

    def feed(self, token_id: int, *, is_end: bool = False) -> list[Delta]:
        """Read one token. `is_end` marks the terminal EOS, which counts but has no text."""
        self.num_tokens += 1
        if is_end or self.stopped:
            return []
        text = self._detokenizer.feed(token_id)
        if self._stops is not None:
            text = self._stops.feed(text)
            self.stopped = self._stops.stopped
        return self._through(text)

    def feed_all(self, token_ids: Sequence[int], *, is_end: bool = False) -> list[Delta]:
        """Read tokens that came together, up to one that completes a stop string; `is_end` is about the last of them.

        The deltas, joined, are those of `feed` one by one, joined; `num_tokens` tells how many were read.
        """
        if self._stops is not None:
            return self._up_to_a_stop(token_ids, is_end=is_end)
        self.num_tokens += len(token_ids)
        return self._through(self._detokenizer.feed_all(token_ids[:-1] if is_end else token_ids))

    def flush(self) -> list[Delta]:
        """The end: whatever was held back until now."""
        deltas = [] if self._stops is None else self._through(self._stops.flush())
        deltas += self._deltas(self._reasoning.flush())
        if self._calls is not None:
            deltas += self._parts(self._calls.flush())
        return deltas

    def finish_reason(self, cause: FinishCause | None) -> FinishReason:
        """Why the answer ended. `cause` is the backend's, or None when a stop string ended it."""
        if cause == "length" and not self.stopped:
            return "length"
        return "tool_calls" if self._num_calls else "stop"

    def _up_to_a_stop(self, token_ids: Sequence[int], *, is_end: bool) -> list[Delta]:
        deltas: list[Delta] = []
        last = len(token_ids) - 1
        for index, token_id in enumerate(token_ids):
            if self.stopped:
                break
            deltas += self.feed(token_id, is_end=is_end and index == last)
        return deltas

    def _through(self, text: str) -> list[Delta]:
        if not text:
            return []
        if self._calls is None and self._reasoning.is_over:
            return [Delta("", text)]
        return self._deltas(self._reasoning.feed(text))

    def _deltas(self, split: Split) -> list[Delta]:
        deltas = [Delta(reasoning=split.reasoning)] if split.reasoning else []
        if not split.content:
            return deltas
        return deltas + self._parts([split.content] if self._calls is None else self._calls.feed(split.content))

    def _parts(self, parts: Iterable[Part]) -> list[Delta]:
        deltas = []
        for part in parts:
            if isinstance(part, str):
                deltas.append(Delta(content=part))
            else:
                deltas.append(Delta(tool_call=part, call_index=self._num_calls))
                self._num_calls += 1
        return deltas


class FinishedAnswer:
    """The deltas of one answer, joined."""

    def __init__(self) -> None:
        # Joined when asked for: a text that grew with every token would be copied as often.
        self._reasoning: list[str] = []
        self._content: list[str] = []
        self.tool_calls: list[ToolCall] = []

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    @property
    def content(self) -> str:
        return "".join(self._content)

    def add(self, deltas: Iterable[Delta]) -> None:
        """Append deltas in order."""
        for delta in deltas:
            if delta.reasoning:
                self._reasoning.append(delta.reasoning)
            if delta.content:
                self._content.append(delta.content)
            if delta.tool_call is not None:
                self.tool_calls.append(delta.tool_call)
