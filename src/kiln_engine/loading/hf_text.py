"""The text side of a Hugging Face folder: tokenizer, chat template, and the ids that end an answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kiln_engine.loading.errors import LoadError
from kiln_engine.loading.json_file import read_json_if_there
from kiln_server.backend import TextAssets
from kiln_server.text.hf_tokenizer import text_assets


def read_text(folder: Path, config: Mapping[str, Any], generation: Mapping[str, Any] | None) -> TextAssets:
    """The text side of a model with this config.json and, where there is one, this generation_config.json.

    Raises LoadError when the tokenizer is missing or of a kind that is not supported.
    """
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise LoadError(f"{folder}: has no tokenizer.json; save one there with transformers' AutoTokenizer")
    try:
        return text_assets(
            path.read_text("utf-8"),
            read_json_if_there(folder / "tokenizer_config.json") or {},
            chat_template=_chat_template(folder),
            eos_ids=_eos_ids(folder, config if generation is None else generation),
        )
    except ValueError as error:
        raise LoadError(f"{path}: {error}") from error


def _chat_template(folder: Path) -> str | None:
    """A template that has a file of its own; None leaves it to tokenizer_config.json."""
    path = folder / "chat_template.jinja"
    if path.is_file():
        return path.read_text("utf-8")
    template = (read_json_if_there(folder / "chat_template.json") or {}).get("chat_template")
    if template is not None and not isinstance(template, str):
        raise LoadError(f"{folder / 'chat_template.json'}: `chat_template` must be a string")
    return template


def _eos_ids(folder: Path, values: Mapping[str, Any]) -> tuple[int, ...]:
    """One id, or several; none in a configuration that has no such field."""
    given = values.get("eos_token_id")
    ids = given if isinstance(given, list) else [] if given is None else [given]
    if any(isinstance(each, bool) or not isinstance(each, int) or each < 0 for each in ids):
        raise LoadError(f"{folder}: `eos_token_id` is {given!r}: it must be a token id or a list of them")
    return tuple(ids)
