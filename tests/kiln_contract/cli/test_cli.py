"""The command as a process: exit codes, pipes, standard input, terminals, start-up."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kiln_contract as kc
from tests.kiln_contract.cli.ran import Run, Write
from tests.kiln_contract.cli.recordings import COMPLETED, dump, response, wrong_total

# Output is buffered, as it is where the variable is not set.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONUNBUFFERED")}
COMMAND = (sys.executable, "-m", "kiln_contract")
GOOD, BAD = dump(response()), dump(wrong_total())


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    options = {"timeout": 60, "check": False, "env": ENVIRONMENT, **pipes, **options}
    return subprocess.run((*COMMAND, *arguments), **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.json"], 0),
        (["good.json", "bad.json", "nowhere.json"], 1),
        (["--as", "Nothing", "good.json"], 2),
        (["nowhere.json", "good.json"], 3),
        (["*.nothing"], 3),
        (["good.json", "empty.json"], 4),
        ([], 4),
    ],
    ids=str,
)
def test_exit_codes_of_the_process(write: Write, arguments: list[str], code: int) -> None:
    for name, body in {"good.json": GOOD, "bad.json": BAD, "empty.json": b""}.items():
        write(name, body)
    assert start("validate", *arguments).returncode == code


@pytest.mark.parametrize(("body", "code"), [(GOOD, 0), (GOOD + BAD, 1), (COMPLETED, 0), (b"<html>", 3), (b"", 4)])
def test_standard_input(body: bytes, code: int) -> None:
    ran = start("validate", "-", input=body)
    assert ran.returncode == code
    assert (b"<stdin>:" in ran.stdout) is (code != 0 or body == COMPLETED)


def test_a_reader_that_leaves_gets_no_verdict(write: Write) -> None:
    path = write("a.jsonl", BAD * 5000)
    with subprocess.Popen(
        (*COMMAND, "validate", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("command", [["validate", "good.json"], ["schema"], ["explain"]], ids=str)
def test_a_report_that_cannot_be_written_is_no_success(write: Write, command: list[str]) -> None:
    write("good.json", GOOD)
    with open("/dev/full", "wb") as full:
        ran = start(*command, stdout=full)
    assert ran.returncode == 3
    assert b"No space left on device" in ran.stderr


@pytest.mark.parametrize(("closed", "reason"), [(1, b"standard output is closed"), (0, b"")])
def test_a_closed_descriptor_is_no_success(write: Write, closed: int, reason: bytes) -> None:
    write("good.json", GOOD)
    shell = f'exec "$@" {closed}>&-'
    command = ("sh", "-c", shell, "sh", *COMMAND, "validate", *([] if closed else ["-"]), "good.json")
    ran = subprocess.run(command, capture_output=True, timeout=60, check=False, env=ENVIRONMENT)
    assert ran.returncode == 3
    assert reason in ran.stderr


def test_names_that_the_output_cannot_spell_are_escaped(write: Write) -> None:
    path = write("grün.json", BAD)
    ran = start("validate", path, env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"})
    assert ran.returncode == 1
    assert rb"gr\xfcn.json:1:" in ran.stdout


@pytest.mark.parametrize(("environment", "coloured"), [({"TERM": "xterm"}, True), ({"NO_COLOR": "1"}, False)], ids=str)
def test_colour_on_a_terminal(write: Write, environment: dict[str, str], coloured: bool) -> None:
    write("bad.json", BAD)
    ours, theirs = pty.openpty()
    try:
        assert start("validate", "bad.json", stdout=theirs, env={**ENVIRONMENT, **environment}).returncode == 1
        assert (b"\x1b[" in os.read(ours, 4096)) is coloured
    finally:
        os.close(ours)
        os.close(theirs)


def test_version(run: Run) -> None:
    ran = run("--version")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"kiln-contract {kc.__version__}",
        f"kiln-inference-v1 sha256 {kc.SCHEMA_SHA256}",
        f"thinking-budget-v1 sha256 {kc.THINKING_BUDGET_SCHEMA_SHA256}",
    ]


@pytest.mark.parametrize("arguments", [[], ["check"], ["--nothing"], ["explain", "a", "b"], ["vectors"]], ids=str)
def test_wrong_arguments(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: kiln-contract")


@pytest.mark.parametrize("arguments", [["--help"], ["validate", "--help"]], ids=str)
def test_help_lists_the_exit_codes(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert ran.code == 0
    assert "4  nothing was checked" in ran.out


def test_an_interrupt_is_no_success(write: Write, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kiln_contract.cli.report.print_report", interrupt)
    assert run("validate", write("good.json", GOOD)).code == 130


def test_checking_a_document_loads_nothing_that_it_does_not_need(write: Write) -> None:
    path = write("good.json", GOOD)
    program = (
        "import sys; from kiln_contract.cli.main import main; "
        f"main(['validate', '--as', 'ChatCompletionResponse', {path!r}]); print(*sorted(sys.modules))"
    )
    ran = subprocess.run((sys.executable, "-c", program), capture_output=True, timeout=60, check=True)
    loaded = set(ran.stdout.decode().split())
    lazy = ("exchange", "provenance", "rulebook", "sse", "stream", "thinking", "vectors", "cli.explain")
    assert "kiln_contract.cli.judge" in loaded
    assert loaded.isdisjoint(f"kiln_contract.{name}" for name in lazy)
    assert loaded.isdisjoint(("shutil", "difflib", "pathlib", "hypothesis", "jsonschema"))
