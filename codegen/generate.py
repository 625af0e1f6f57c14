"""Everything the generator writes, as bytes by path: reproducible from the schemas alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from codegen.emit_checks import render_checks
from codegen.emit_collector import render_collector
from codegen.emit_docs import render_reference
from codegen.emit_structs import render_raw, render_structs
from codegen.emit_tables import render_bounds, render_rules, render_tables
from codegen.model import Contract, load
from codegen.vector_files import vector_files

HEADER = '''\
"""{title}

Generated from the schemas by `python -m codegen`. Do not edit: change the schema or the generator.
{hashes}
"""

from __future__ import annotations
'''
LAZY_ANNOTATIONS = "\nfrom __future__ import annotations\n"


def generate(root: Path) -> dict[Path, bytes]:
    """All generated files of the repository below `root`."""
    contract = load(root / "contracts")
    source = root / "src" / "kiln_contract"
    pages = reference_pages(contract, root / "docs" / "reference")
    return python_modules(contract, source) | pages | vector_files(contract, root / "contracts" / "vectors")


def reference_pages(contract: Contract, folder: Path) -> dict[Path, bytes]:
    """The reference pages of the documentation."""
    return {folder / name: text.encode() for name, text in render_reference(contract).items()}


def python_modules(contract: Contract, source: Path) -> dict[Path, bytes]:
    """The generated package `kiln_contract._generated`."""
    folder = source / "_generated"
    modules = {
        "__init__.py": ("Code generated from the contract's schemas.", ""),
        "structs.py": ("The contract's definitions as msgspec Structs and type aliases.", render_structs(contract)),
        "raw.py": ('Variants of the Structs that hold opaque JSON as text (`opaque="raw"`).', render_raw(contract)),
        "checks.py": ("What the Structs' types cannot express, as yes-or-no checks.", render_checks(contract)),
        "collector.py": ("The validator that names every violation.", render_collector(contract)),
        "bounds.py": ("Numeric ranges of members.", render_bounds(contract)),
        "tables.py": (
            "Which schemas these are, and their defaults; Structs never apply them.",
            render_tables(contract),
        ),
        "rules.py": ("Every rule that the schemas state.", render_rules(contract, source)),
    }
    return {
        folder / name: _format(name, _header(contract, name, title) + body) for name, (title, body) in modules.items()
    }


def _header(contract: Contract, name: str, title: str) -> str:
    hashes = "\n".join(f"{source.file}: sha256 {source.sha256}" for source in contract.sources)
    header = HEADER.format(title=title, hashes=hashes)
    if name in ("structs.py", "raw.py"):
        # msgspec reads these annotations; evaluated ones spare it a lookup for each when a decoder is built.
        header = header.replace(LAZY_ANNOTATIONS, "")
        header += '# ruff: noqa\n# mypy: disable-error-code="assignment"\n\n' if name == "raw.py" else ""
    return header + "\n"


def _format(name: str, text: str) -> bytes:
    """Format with ruff under fixed options, so that the bytes depend on nothing but the text and ruff's version."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--line-length=120",
        f"--stdin-filename={name}",
        "-",
    ]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout  # noqa: S603
