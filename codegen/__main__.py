"""`python -m codegen` writes everything that follows from the schemas; `--check` only says what is stale."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from codegen.emit_docs import NOTICE
from codegen.generate import generate

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the generator; 1 when `--check` finds a stale, missing or left-over file."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a generated file is stale")
    options = parser.parse_args(arguments)
    files = generate(ROOT)
    stale = [path for path, content in files.items() if not path.exists() or path.read_bytes() != content]
    extra = [path for path in _generated_on_disk() if path not in files]
    for path in (*stale, *extra):
        print(f"{'stale' if path in files else 'left over'}: {path.relative_to(ROOT)}")
    if options.check:
        print(f"{len(files)} generated files, {len(stale)} stale, {len(extra)} left over")
        return 1 if stale or extra else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[path])
    for path in extra:
        path.unlink()
    return 0


def _generated_on_disk() -> list[Path]:
    """Files that only this generator can have written."""
    code = (ROOT / "src/kiln_contract/_generated").glob("*.py")
    vectors = (ROOT / "contracts/vectors").glob("*/*.json")
    # The folder of reference pages holds pages from elsewhere too.
    pages = (path for path in (ROOT / "docs/reference").glob("*.md") if path.read_text().startswith(NOTICE))
    return sorted([*code, *vectors, *pages])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"ruff could not format the generated code:\n{error.stderr.decode()}")
