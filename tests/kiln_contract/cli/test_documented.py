"""docs/cli.md shows what the command really prints: every example is run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import kiln_contract as kc
from tests.kiln_contract.cli.ran import Run, Write
from tests.kiln_contract.cli.recordings import (
    COMPLETED,
    DELTA,
    ROLE,
    dump,
    request,
    response,
    stream,
    wrong_total,
)

PAGE = (Path(__file__).parents[3] / "docs" / "cli.md").read_text()
EXAMPLES = re.findall(r"^\$ kiln-contract (.+)\n((?:(?!\$ |```).*\n)+)", PAGE, re.MULTILINE)
HIDDEN = re.compile(rf"{re.escape(kc.__version__)}|[0-9a-f]{{64}}")


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("$ kiln-contract")
    assert len(EXAMPLES) > 8


@pytest.mark.parametrize(("arguments", "shown"), EXAMPLES, ids=[arguments for arguments, _ in EXAMPLES])
def test_an_example_prints_what_the_page_shows(write: Write, run: Run, arguments: str, shown: str) -> None:
    write("reply.json", json.dumps(response(), indent=2).encode())
    write("broken.json", json.dumps(wrong_total(), indent=2).encode())
    write("answer.sse", COMPLETED)
    write("cut.sse", stream(ROLE, DELTA, done=False))
    write("requests.jsonl", dump(request(), request(n=2)))
    write("replies.jsonl", dump(response(), response()))
    ran = run(*shlex.split(arguments))
    said = [line for line in (ran.out + ran.err).splitlines() if not line.startswith("usage: ")]
    assert [HIDDEN.sub("…", line) for line in said] == shown.splitlines()


@pytest.mark.parametrize("command", ["validate", "schema", "explain", "vectors"])
def test_every_option_is_on_the_page(run: Run, command: str) -> None:
    options = set(re.findall(r"--[a-z-]+", run(command, "--help").out)) - {"--help"}
    assert {option for option in options if f"`{option}" not in PAGE} == set()
