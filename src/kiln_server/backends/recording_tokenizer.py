"""Tokenizers that record what they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from kiln_server.backend import Tokenizer
from kiln_server.backends import recording


@runtime_checkable
class RenderedTokenizer(Tokenizer, Protocol):
    """A tokenizer that the server gives rendered prompts as a whole."""

    def encode_rendered(self, text: str, trusted_spans: Sequence[tuple[int, int]]) -> list[int]:
        """Encode a text in which control tokens count only inside the trusted spans."""


class RecordingTokenizer:
    """Records every text that is encoded and every token that is decoded, once each."""

    def __init__(self, tokenizer: Tokenizer, write: Callable[[recording.Record], None]) -> None:
        self._tokenizer = tokenizer
        self._write = write
        self._encoded: set[tuple[str, recording.Way, recording.Spans]] = set()
        self._decoded: dict[int, bytes] = {}

    @property
    def eos_ids(self) -> frozenset[int]:
        return self._tokenizer.eos_ids

    @property
    def special_ids(self) -> Mapping[str, int]:
        return self._tokenizer.special_ids

    @property
    def leading_space(self) -> bool:
        return self._tokenizer.leading_space

    def encode(self, text: str) -> list[int]:
        return self._kept(text, self._tokenizer.encode(text), "plain")

    def encode_prompt(self, text: str) -> list[int]:
        return self._kept(text, self._tokenizer.encode_prompt(text), "prompt")

    def token_bytes(self, token_id: int) -> bytes:
        if token_id not in self._decoded:
            self._decoded[token_id] = self._tokenizer.token_bytes(token_id)
            self._write(recording.Token(token_id, self._decoded[token_id]))
        return self._decoded[token_id]

    def _kept(self, text: str, ids: list[int], way: recording.Way, spans: recording.Spans = ()) -> list[int]:
        if (text, way, spans) not in self._encoded:
            self._encoded.add((text, way, spans))
            self._write(recording.Encoding(text, tuple(ids), way, spans))
        return ids


class RenderedRecordingTokenizer(RecordingTokenizer):
    """Records a tokenizer that encodes whole rendered prompts by itself."""

    def __init__(self, tokenizer: RenderedTokenizer, write: Callable[[recording.Record], None]) -> None:
        super().__init__(tokenizer, write)
        self._rendered = tokenizer

    def encode_rendered(self, text: str, trusted_spans: Sequence[tuple[int, int]]) -> list[int]:
        ids = self._rendered.encode_rendered(text, trusted_spans)
        return self._kept(text, ids, "rendered", tuple(trusted_spans))


def recording_tokenizer(tokenizer: Tokenizer, write: Callable[[recording.Record], None]) -> RecordingTokenizer:
    """A tokenizer that does the same, and hands each text and token to `write`, once."""
    # Only what the recorded tokenizer can do itself may be asked of it, and so of its recorder.
    if isinstance(tokenizer, RenderedTokenizer):
        return RenderedRecordingTokenizer(tokenizer, write)
    return RecordingTokenizer(tokenizer, write)
