"""Tests of what is said about a checkpoint that is served."""

from __future__ import annotations

from pathlib import Path

from kiln_engine.loading import notes, open_source
from tests.kiln_engine.loading.folders import whole_folder

OURS = {"temperature": 0.6, "top_p": 0.95, "top_k": 20}


def test_sampling_values_that_differ(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "m")
    assert notes(open_source(folder), OURS) == ()
    (folder / "generation_config.json").write_text('{"temperature": 0.7, "top_p": 0.95, "repetition_penalty": 1.1}')
    (note,) = notes(open_source(folder), OURS)
    assert note.endswith("by default: temperature 0.7 (here 0.6)")


def test_tokens_without_an_embedding(tmp_path: Path) -> None:
    (note,) = notes(open_source(whole_folder(tmp_path / "m", vocab_size=422)), OURS)
    assert note == "2 tokens have no row in the embedding of 422 rows and cannot be used: <think>, <|im_end|>"
