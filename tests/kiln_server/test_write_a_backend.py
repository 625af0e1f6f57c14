"""The how-to page's backend, installed and tested as a reader of the page would do it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-a-backend.md").read_text()


def block(before: str) -> str:
    """The code block that follows a text of the page."""
    found = re.search(re.escape(before) + r".*?\n```\w+\n(.*?)\n```\n", PAGE, re.DOTALL)
    assert found is not None, before
    return found[1]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the page's package in it, laid out as an installer would."""
    for name in ("kiln_alphabet.py", "test_kiln_alphabet.py"):
        (tmp_path / name).write_text(block(f"`{name}`:") + "\n")
    points = tomllib.loads(block("In your package's `pyproject.toml`:"))["project"]["entry-points"]
    info = tmp_path / "kiln_alphabet-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kiln-alphabet\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in named.items()) for group, named in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(site: Path, *arguments: str) -> str:
    """The output of a Python of its own that sees the package."""
    path = os.pathsep.join([str(site), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pages_test_passes(site: Path) -> None:
    output = run(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "test_kiln_alphabet.py")
    assert re.search(r"1\d passed, 1 skipped", output), output


def test_the_entry_point_is_found(site: Path) -> None:
    code = """if True:
        import anyio
        from kiln_server.backend import BackendError, Generation, Sampling
        from kiln_server.registry import backend_names, create_backend
        from kiln_server.testing import collect

        assert "alphabet" in backend_names()
        backend = create_backend("alphabet", {"letters": "5"})
        job = Generation(
            request_id="r", group="g", prompt_ids=(1,), choice=0, max_tokens=9, seed=1, sampling=Sampling(temperature=1)
        )
        events = anyio.run(collect, backend, job)
        print("".join(chr(event.token_id) for event in events[:-1]), events[-1].finish)
        try:
            create_backend("alphabet", {"leters": "5"})
        except BackendError as error:
            print(error)
    """
    assert run(site, "-c", code) == "abcde eos\nthe alphabet backend has no option 'leters'; it has letters\n"
