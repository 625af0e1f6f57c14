"""A whole small checkpoint: weights, tokenizer, template."""

from __future__ import annotations

from pathlib import Path

from kiln_engine.loading.gguf_text import read_gguf_text
from kiln_server.text.hf_tokenizer import HfTokenizer
from tests.kiln_engine.loading.checkpoints import qwen3, saved
from tests.kiln_engine.loading.vocabularies import byte_level

TEMPLATE = "{{ messages }}"


def whole_folder(folder: Path, vocab_size: int = 512) -> Path:
    """A Qwen3 folder with a byte-level tokenizer of 424 tokens and a chat template."""
    folder.mkdir(exist_ok=True)
    saved(folder, qwen3(vocab_size=vocab_size))
    tokenizer = read_gguf_text(byte_level("qwen2"), "").tokenizer
    assert isinstance(tokenizer, HfTokenizer)
    (folder / "tokenizer.json").write_text(tokenizer.json, "utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    return folder
