"""The tokenizer of kiln-tiny: byte-level BPE, every digit a token of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, PreTokenizer, Sequence, Split
from tokenizers.trainers import BpeTrainer

VOCAB_SIZE: Final = 2048
END_OF_TEXT: Final = "<|endoftext|>"
START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
SPECIAL: Final = (END_OF_TEXT, START, END)
MARKUP: Final = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
"""Control tokens that are text of an answer: decoding keeps them."""

_FRAMES: Final = (
    r"</?tools>",
    r'\{"name": "',
    r'", "description": "',
    r'[.]?", "parameters": \{"type": "object", "properties": \{"',
    r'": \{"type": "(?:string|integer)", "description": "',
    r'": \{"type": "(?:string|integer)"',
    r'", "arguments": \{"',
    r'(?:[.]")?\}\}, "required": \["',
    r'"\]\}\}\n',
    r'(?:[.]")?\}\}\}\}\n',
    r'(?:[.]")?\}, "',
    r'", "',
    r'": "',
    r'"\}\}\n',
)
"""Punctuation and names that every tool schema and call holds: each is one piece, which halves a tool's tokens."""

# A word is the same token with and without a space before it: what is copied is copied as it is.
_PIECES: Final = "|".join(
    (*_FRAMES, r"_?\p{L}+", r"\p{N}", r"[^\s\p{L}\p{N}]+[\r\n]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+")
)


def train_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """A tokenizer of `VOCAB_SIZE` entries for texts like these; it encodes any text and decodes it back.

    Raises ValueError when the texts hold too few different words for that many entries.
    """
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = _pieces()
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=VOCAB_SIZE - len(SPECIAL) - len(MARKUP),
        min_frequency=1,
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in MARKUP])
    if tokenizer.get_vocab_size() != VOCAB_SIZE:
        raise ValueError(f"the texts give {tokenizer.get_vocab_size()} entries, not {VOCAB_SIZE}: pass more of them")
    return tokenizer


def token_id(tokenizer: Tokenizer, text: str) -> int:
    """The id of a token. Raises ValueError when the tokenizer has no such token."""
    id_ = tokenizer.token_to_id(text)
    if id_ is None:
        raise ValueError(f"the tokenizer has no token {text!r}")
    return int(id_)


def _pieces() -> PreTokenizer:
    return Sequence([Split(Regex(_PIECES), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)])
