"""Files to check, and the command run in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kiln_contract.cli.main import main
from tests.kiln_contract.cli.ran import Ran, Run, Write


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file into an empty working folder; gives its name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, body: bytes) -> str:
        (tmp_path / name).write_bytes(body)
        return name

    return write_file


@pytest.fixture
def run(capsys: pytest.CaptureFixture[Any]) -> Run:
    """Run `kiln-contract` with arguments."""

    def run_command(*arguments: str) -> Ran:
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code  # type: ignore[assignment]
        return Ran(code, *capsys.readouterr())

    return run_command
