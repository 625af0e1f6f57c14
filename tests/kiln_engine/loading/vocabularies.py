"""Small tokenizers as a GGUF file's metadata describes them."""

from __future__ import annotations

import json
from typing import Any, Final

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from kiln_engine.loading.gguf_vocabulary import TokenType

TEXT: Final = [
    "the quick brown fox isn't jumping over the lazy dogs that they're seeing, we'll see",
    "print(1234567 + 890) if x != 'y' else\n\n    return 42  # 100 200 2024",
    "Ünïcode naïve façade, Straße; e\u0301te\u0301 — 你好世界 日本語 한국어 😀😀👍",
    "HELLO WORLD'S THEY'RE hello world   many   spaces\r\n\r\n\ttab a1b2c3",
]
CONTROL: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def byte_level(pre: str, **changes: Any) -> dict[str, Any]:
    """Metadata of a byte-level BPE with merges of the text above, three control tokens, `<think>` and an unused id."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trained.train_from_iterator(TEXT * 4, trainers.BpeTrainer(vocab_size=420, initial_alphabet=alphabet))
    return _described(trained, "gpt2", changes) | {"tokenizer.ggml.pre": pre}


def sentencepiece(**changes: Any) -> dict[str, Any]:
    """Metadata of a SentencePiece BPE: unknown, BOS and EOS, 256 bytes, then pieces with falling scores."""
    trained = Tokenizer(models.BPE())
    words = [text.replace(" ", "▁") for text in TEXT]
    trained.train_from_iterator(words * 4, trainers.BpeTrainer(vocab_size=260))
    pieces = sorted(trained.get_vocab(), key=trained.get_vocab().__getitem__)
    merged = [piece for piece in pieces if len(piece) > 1]
    characters = [piece for piece in pieces if len(piece) == 1]
    heads, data = ["<unk>", "<s>", "</s>"], [f"<0x{byte:02X}>" for byte in range(256)]
    tokens = heads + data + merged + characters
    rest = len(merged) + len(characters)
    types = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL] + [TokenType.BYTE] * 256
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [int(kind) for kind in types] + [1] * rest,
        "tokenizer.ggml.scores": [0.0] * 259 + [-float(rank) for rank in range(rest)],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    } | changes


def _described(trained: Tokenizer, model: str, changes: dict[str, Any]) -> dict[str, Any]:
    vocab = trained.get_vocab()
    tokens = [*sorted(vocab, key=vocab.__getitem__), *CONTROL, "<think>", "[PAD]"]
    types = [TokenType.NORMAL] * len(vocab) + [TokenType.CONTROL] * 3 + [TokenType.USER_DEFINED, TokenType.UNUSED]
    merges = _merges(trained)
    return {
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [int(kind) for kind in types],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": tokens.index("<|im_start|>"),
        "tokenizer.ggml.eos_token_id": tokens.index("<|im_end|>"),
    } | changes


def _merges(trained: Tokenizer) -> list[str]:
    pairs = json.loads(trained.to_str())["model"]["merges"]
    return [" ".join(pair) for pair in pairs]
