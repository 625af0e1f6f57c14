"""Small real tokenizers of every kind that the adapter knows, trained on the spot."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SPECIAL: Final = [
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
]
ORDINARY: Final = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]

BYTE_TOKENS: Final = [f"<0x{byte:02X}>" for byte in range(256)]
BOS: Final = "<s>"
EOS: Final = "</s>"
UNKNOWN: Final = "<unk>"

CORPUS: Final = [
    "The quick brown fox jumps over the lazy dog; user and assistant talk about tools and the weather.",
    "<|im_start|>user\nHello there, how are you?<|im_end|>\n<|im_start|>assistant\n<think>\nFine.\n</think>\n\nFine!",
    '{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3, "unit": null}} [INST] do it [/INST]',
    "def f(x):\n    return x * 2  # doubles\n\n\nprint(f(21))",
    "Čau světe, žluťoučký kůň. 你好，世界。 こんにちは 👩‍👩‍👧 naïve café",
] * 4

_SPLIT: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _byte_level(*, ignore_merges: bool = False, prefix_space: bool = False, nfc: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if nfc:
        tokenizer.normalizer = normalizers.NFC()
    if prefix_space:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    else:
        bytes_of = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(_SPLIT), "isolated"), bytes_of])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([BOS, EOS])
    return tokenizer


def _sentencepiece(scheme: str, *, byte_fallback: bool = True) -> Tokenizer:
    """BPE as converted from SentencePiece: the control tokens are part of the model's own vocabulary."""
    tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN, fuse_unk=True, byte_fallback=byte_fallback))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    first = [UNKNOWN, BOS, EOS, *(BYTE_TOKENS if byte_fallback else [])]
    ascii_only = [line for line in CORPUS if line.isascii()]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=first, show_progress=False)
    tokenizer.train_from_iterator(ascii_only, trainer)
    tokenizer = _without_added(tokenizer, BYTE_TOKENS)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence(steps if scheme == "never" else [*steps, decoders.Strip(" ", 1, 0)])
    return tokenizer


def _legacy_sentencepiece() -> Tokenizer:
    tokenizer = _sentencepiece("always")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    spec = json.loads(tokenizer.to_str())
    return Tokenizer.from_str(json.dumps(spec | {"pre_tokenizer": None}))


def _unigram(*, byte_fallback: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    first = [UNKNOWN, BOS, EOS, *(BYTE_TOKENS if byte_fallback else [])]
    trainer = trainers.UnigramTrainer(vocab_size=620, special_tokens=first, unk_token=UNKNOWN, show_progress=False)
    tokenizer.train_from_iterator([line for line in CORPUS if line.isascii()], trainer)
    if byte_fallback:
        tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="always")])
    tokenizer = _without_added(tokenizer, BYTE_TOKENS)
    spec = json.loads(tokenizer.to_str())
    return Tokenizer.from_str(json.dumps(spec | {"model": spec["model"] | {"byte_fallback": byte_fallback}}))


def _without_added(tokenizer: Tokenizer, tokens: list[str]) -> Tokenizer:
    """Leave these tokens in the model, as tokens that are not added ones."""
    spec: dict[str, Any] = json.loads(tokenizer.to_str())
    spec["added_tokens"] = [token for token in spec["added_tokens"] if token["content"] not in tokens]
    return Tokenizer.from_str(json.dumps(spec))


def _with_control(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.add_special_tokens([AddedToken(text, normalized=False) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in ORDINARY])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
    )
    return tokenizer


_KINDS: Final = {
    "byte-level": _byte_level,
    "byte-level ignoring merges": lambda: _byte_level(ignore_merges=True, nfc=False),
    "byte-level with prefix space": lambda: _byte_level(prefix_space=True),
    "sentencepiece first": lambda: _sentencepiece("first"),
    "sentencepiece always": lambda: _sentencepiece("always"),
    "sentencepiece never": lambda: _sentencepiece("never"),
    "sentencepiece legacy": _legacy_sentencepiece,
    "unigram": _unigram,
}

KINDS: Final = tuple(_KINDS)


@cache
def library(kind: str) -> Tokenizer:
    """A trained tokenizer with the control tokens of all the test templates."""
    return _with_control(_KINDS[kind]())


def incomplete(kind: str) -> Tokenizer:
    """A tokenizer that knows ASCII only, and marks or drops the rest."""
    return _with_control(
        _sentencepiece("first", byte_fallback=False) if kind == "bpe" else _unigram(byte_fallback=False)
    )
