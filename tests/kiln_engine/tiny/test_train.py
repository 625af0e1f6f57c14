"""The training command, on a run of two steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from kiln_engine.tiny import CHECKPOINT, train
from kiln_engine.tiny.export import read_network, read_tokenizer


@pytest.fixture
def quick_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped tokenizer in place of a new one, which takes seconds to make."""
    monkeypatch.setattr(train, "lexicon", lambda _seed: read_tokenizer(CHECKPOINT))


def arguments(folder: Path, *more: str) -> list[str]:
    plain = {"out": "ckpt", "state": "state.pt", "plot": "loss.png"}
    named = [word for option, name in plain.items() for word in (f"--{option}", str(folder / name))]
    return [*named, "--batch", "4", "--threads", "1", *more]


@pytest.mark.usefixtures("quick_lexicon")
def test_a_run_writes_a_checkpoint_and_says_how_it_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(arguments(tmp_path, "--steps", "2")) == 0
    assert "step 2/2" in capsys.readouterr().out
    training = json.loads((tmp_path / "ckpt" / "training.json").read_text(encoding="utf-8"))
    assert training["steps"] == 2
    assert training["tokens"] > 0
    assert sum(parameter.numel() for parameter in read_network(tmp_path / "ckpt").parameters()) == 2_755_392


@pytest.mark.usefixtures("quick_lexicon")
def test_enough_tokens_end_a_run(tmp_path: Path) -> None:
    train.main(arguments(tmp_path, "--steps", "9", "--tokens", "1"))
    assert json.loads((tmp_path / "ckpt" / "training.json").read_text(encoding="utf-8"))["steps"] == 1


@pytest.mark.usefixtures("quick_lexicon")
def test_a_run_goes_on_from_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "_SAVE_EVERY", 1)
    train.main(arguments(tmp_path, "--steps", "3", "--tokens", "1"))
    train.main(arguments(tmp_path, "--steps", "3", "--resume"))
    assert len(torch.load(tmp_path / "state.pt", weights_only=True)["progress"]["losses"]) == 3


def test_the_tokenizer_comes_from_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "_LEXICON_DIALOGUES", 4000)
    assert train.lexicon(5).to_str() == train.lexicon(5).to_str()
