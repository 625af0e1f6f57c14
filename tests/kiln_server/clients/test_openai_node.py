"""OpenAI's own Node client: `openai_node.mjs`, against live servers. Needs Node 20 and a package registry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.kiln_server.routes.scripted import playing

HERE: Final = Path(__file__).parent
NODE, NPM = shutil.which("node"), shutil.which("npm")
PATIENCE_S: Final = 300
KEY: Final = "a-key-of-ours"
CALL: Final = '<tool_call>\n{"name": "look_up", "arguments": {"seat": 17}}\n</tool_call>'


def run(*command: str, cwd: Path) -> str:
    ran = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"KILN_TEST_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode == 0, f"{command[0]} failed:\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder with the script and the pinned client, which only this test uses."""
    assert NPM is not None
    for name in ("package.json", "openai_node.mjs"):
        shutil.copy(HERE / name, tmp_path)
    run(NPM, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", cwd=tmp_path)
    return tmp_path


@pytest.mark.skipif(NODE is None or NPM is None, reason="Node's client is checked where node and npm are installed")
def test_the_node_client(workplace: Path) -> None:
    assert NODE is not None
    keys = workplace / "keys"
    keys.write_text(KEY)
    keys.chmod(0o600)
    full = {"max_running_requests": 1, "max_waiting_requests": 0}
    with ExitStack() as servers:
        live = {
            "plain": playing([["Hello", ", ", "world", "<eos>"]]),
            "calling": playing([[*CALL, "<eos>"]]),
            "thinking": playing([["so", "</think>", "yes"]], prompt_tail="<think>\n", special={"</think>": 300}),
            "failing": playing([["a"] * 9], fail_after=2),
            "full": playing([["a"] * 150], delay_ms=10, settings=full),
            "locked": playing(settings={"api_keys_file": str(keys)}),
        }
        urls = {name: servers.enter_context(server).url for name, server in live.items()}
        printed = run(NODE, "openai_node.mjs", json.dumps(urls), cwd=workplace)
    assert printed.count("ok ") == 11
