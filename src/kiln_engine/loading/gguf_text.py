"""The text side of a GGUF file: its tokenizer rebuilt as a tokenizer.json, its chat template, its ends of answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.fields import Fields
from kiln_engine.loading.gguf_byte_level import byte_level, read_splitting
from kiln_engine.loading.gguf_sentencepiece import sentencepiece
from kiln_engine.loading.gguf_vocabulary import Vocabulary
from kiln_server.backend import TextAssets
from kiln_server.text.hf_tokenizer import text_assets


def read_gguf_text(metadata: Mapping[str, Any], where: str) -> TextAssets:
    """The text side of a file with this metadata. Raises LoadError for a tokenizer that is not supported."""
    vocabulary = Vocabulary(Fields(metadata, where, "tokenizer.ggml."))
    template = metadata.get("tokenizer.chat_template")
    if template is not None and not isinstance(template, str):
        raise LoadError(f"{where}: `tokenizer.chat_template` must be a text")
    config = {"bos_token": vocabulary.named("bos_token_id"), "eos_token": vocabulary.named("eos_token_id")}
    try:
        return text_assets(
            json.dumps(_tokenizer(vocabulary)), config, chat_template=template, eos_ids=vocabulary.end_ids()
        )
    except ValueError as error:
        raise LoadError(f"{where}: {error}") from error


def _tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    fields = vocabulary.fields
    match fields.get("model"):
        case "gpt2":
            splitting = read_splitting(vocabulary)
            parts, adds_bos = byte_level(vocabulary, splitting), splitting.adds_bos
        case "llama":
            parts, adds_bos = sentencepiece(vocabulary), True
        case _:
            raise fields.error("model", "must be one that is supported: gpt2 (byte-level BPE), llama (SentencePiece)")
    bos = vocabulary.named("bos_token_id") if fields.flag("add_bos_token", default=adds_bos) else ""
    eos = vocabulary.named("eos_token_id") if fields.flag("add_eos_token") else ""
    return {
        "version": "1.0",
        "added_tokens": vocabulary.added(),
        "post_processor": _around_prompt(bos, eos, vocabulary),
        **parts,
    }


def _around_prompt(bos: str, eos: str, vocabulary: Vocabulary) -> dict[str, Any] | None:
    """What puts BOS before a raw prompt and EOS after it, each unless empty."""
    if not bos and not eos:
        return None
    single = [*_special(bos), {"Sequence": {"id": "A", "type_id": 0}}, *_special(eos)]
    tokens = {token: {"id": token, "ids": [vocabulary.ids[token]], "tokens": [token]} for token in (bos, eos) if token}
    return {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": tokens}


def _special(token: str) -> list[dict[str, Any]]:
    return [{"SpecialToken": {"id": token, "type_id": 0}}] if token else []
