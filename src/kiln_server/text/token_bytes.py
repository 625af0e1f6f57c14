"""The bytes that each token adds to running text, read off a Hugging Face tokenizer's decoder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_BYTE_TOKEN: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_METASPACE: Final = "▁"


class TokenDecoder:
    """Turns tokens of a vocabulary into bytes.

    `spec` is the `decoder` of a tokenizer.json. Byte-level, byte-fallback and SentencePiece-style decoders are known.
    Raises ValueError, naming it, for any other: its text depends on neighbouring tokens.
    """

    def __init__(self, spec: Mapping[str, Any] | None) -> None:
        self.leading_space = False
        """Whether decoding strips one space from the start of a text."""
        self._byte_level = False
        self._byte_fallback = False
        self._replaced: list[tuple[str, str]] = []
        for step in _steps(spec):
            self._read(step)

    def bytes_of(self, token: str) -> bytes:
        """The bytes of one token, wherever in a text it stands."""
        if self._byte_fallback and (byte := _BYTE_TOKEN.fullmatch(token)):
            return bytes.fromhex(byte[1])
        if self._byte_level and BYTE_OF.keys() >= set(token):
            return bytes(map(BYTE_OF.__getitem__, token))
        for old, new in self._replaced:
            token = token.replace(old, new)
        return token.encode()

    def _read(self, step: Mapping[str, Any]) -> None:
        match step:
            case {"type": "ByteLevel"}:
                self._byte_level = True
            case {"type": "ByteFallback"}:
                self._byte_fallback = True
            case {"type": "Fuse"}:
                pass
            case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)}:
                self._replaced.append((old, new))
            case {"type": "Metaspace"}:
                self._replaced.append((step.get("replacement", _METASPACE), " "))
                self.leading_space = step.get("prepend_scheme", "always") != "never"
            case {"type": "Strip", "content": " ", "start": int(start), "stop": 0} if start <= 1:
                self.leading_space = start == 1
            case _:
                raise ValueError(f"this tokenizer's decoder is not supported: {step.get('type')}")


def _steps(spec: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    if spec is None:
        raise ValueError("this tokenizer has no decoder, so its tokens have no text")
    if spec.get("type") == "Sequence":
        for step in spec["decoders"]:
            yield from _steps(step)
    else:
        yield spec


def _byte_characters() -> dict[str, int]:
    """The characters that byte-level vocabularies write bytes as: themselves if visible, else the next from U+0100."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(0x100 + index): byte for index, byte in enumerate(hidden)}


BYTE_OF: Final = _byte_characters()
"""Each character of the byte-level alphabet, with its byte."""

BYTE_TOKENS: Final = frozenset(f"<0x{byte:02X}>" for byte in range(256))
"""The tokens of a byte-fallback vocabulary that stand for one byte each."""
