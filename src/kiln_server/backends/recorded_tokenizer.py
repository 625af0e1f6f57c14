"""The tokenizer of a recording: it knows the texts and tokens that were recorded, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kiln_server.backends import recording


class RecordedTokenizer:
    """Encodes and decodes as the recorded tokenizer did.

    Text that was never recorded becomes one token a byte, with ids above all recorded ones: a prompt that holds it can
    be built, and is then unknown as a whole.
    """

    def __init__(self, header: recording.Header, records: Iterable[recording.Record]) -> None:
        self._header = header
        self._ids: dict[tuple[str, recording.Way, recording.Spans], tuple[int, ...]] = {}
        self._bytes: dict[int, bytes] = {}
        for record in records:
            if isinstance(record, recording.Encoding):
                self._ids[record.text, record.way, record.spans] = record.ids
            elif isinstance(record, recording.Token):
                self._bytes[record.id] = record.data
        self._first_byte = 1 + max(
            header.capabilities.vocab_size,
            *header.special_ids.values(),
            *header.eos_ids,
            *self._bytes,
            *(token_id for ids in self._ids.values() for token_id in ids),
        )
        self._bytes |= {self._first_byte + value: bytes([value]) for value in range(256)}

    @property
    def eos_ids(self) -> frozenset[int]:
        return self._header.eos_ids

    @property
    def special_ids(self) -> Mapping[str, int]:
        return self._header.special_ids

    @property
    def leading_space(self) -> bool:
        return self._header.leading_space

    def encode(self, text: str) -> list[int]:
        return self._encoded(text, "plain")

    def encode_prompt(self, text: str) -> list[int]:
        return self._encoded(text, "prompt")

    def token_bytes(self, token_id: int) -> bytes:
        return self._bytes.get(token_id, b"")

    def _encoded(self, text: str, way: recording.Way, spans: recording.Spans = ()) -> list[int]:
        known = self._ids.get((text, way, spans))
        return [self._first_byte + value for value in text.encode()] if known is None else list(known)


class RenderedRecordedTokenizer(RecordedTokenizer):
    """The same for a recorded tokenizer that encoded whole rendered prompts by itself."""

    def encode_rendered(self, text: str, trusted_spans: Sequence[tuple[int, int]]) -> list[int]:
        return self._encoded(text, "rendered", tuple(trusted_spans))


def recorded_tokenizer(header: recording.Header, records: Iterable[recording.Record]) -> RecordedTokenizer:
    """The tokenizer of a recording, with the abilities of the recorded one."""
    return (RenderedRecordedTokenizer if header.encodes_rendered else RecordedTokenizer)(header, records)
