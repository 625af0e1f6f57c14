"""One question on the terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kiln_server.backend import Offer
from kiln_server.backends import mock
from kiln_server.cli import main
from kiln_server.model_list import write_models


def played(tmp_path: Path, **script: object) -> list[str]:
    """Flags for a mock that plays a script."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps(script))
    return ["--backend", "mock", "--mock-script", str(path)]


class TestGenerate:
    def test_writes_the_answer(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["generate", "--backend", "mock", "hello there"]) == 0
        assert capsys.readouterr().out == "hello there\n"

    def test_keeps_thinking_out_of_the_answer(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        flags = played(
            tmp_path,
            prompt_tail="<think>\n",
            special={"</think>": 300},
            answers=[["hm", "m", {"id": 300}, "yes", "<eos>"]],
        )
        assert main(["generate", *flags, "well?"]) == 0
        told = capsys.readouterr()
        assert told.out == "yes\n"
        assert "hmm" in told.err

    def test_tells_why_it_failed(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        flags = played(tmp_path, answers=[["a", "b", "c"]], fail_after=2)
        assert main(["generate", *flags, "x"]) == 1
        told = capsys.readouterr()
        assert told.out.startswith("ab")
        assert "the script fails every answer after 2 tokens" in told.err

    def test_tells_what_is_wrong_with_the_template(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(mock.turns, "chat_template", lambda _: "{% if %}")
        assert main(["generate", "--backend", "mock", "x"]) == 1
        assert capsys.readouterr().err.startswith("kiln-server: the chat template cannot be read: line 1: ")

    def test_tells_why_the_backend_cannot_start(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["generate", "--model", "nowhere", "x"]) == 1
        assert "there is no model 'nowhere'" in capsys.readouterr().err


class TestModels:
    def test_lists_what_can_be_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["models"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines == [line.rstrip() for line in lines]
        assert lines[0].split() == ["name", "family", "parameters", "size", "note", "location"]
        assert any(line.startswith("kiln-tiny ") for line in lines)

    def test_does_not_fold_a_path(self, capsys: pytest.CaptureFixture[str]) -> None:
        place = "/models/" + "very-long-name-" * 30
        offer = Offer(name="m", family="llama", num_parameters=1_500_000, num_bytes=3_000_000, location=place)
        write_models([offer], sys.stdout)
        told = capsys.readouterr().out
        assert place in told
        assert "1.5 M" in told
