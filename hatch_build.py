"""Puts compiled kernels into the wheel, one library for each instruction set. Without a compiler the wheel is pure."""

from __future__ import annotations

import platform
import shutil
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "kiln_engine/kernels/cpu/built"


class CompiledKernels(BuildHookInterface[Any]):
    """Compiles for wheels on x86-64 Linux; an editable install compiles when it first runs."""

    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile every level, and have the wheel include the libraries. A failure is said, and leaves them out."""
        if self.target_name != "wheel" or version == "editable":
            return
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            self.app.display_warning("kernels are compiled ahead for x86-64 Linux only: this wheel carries none")
            return
        self._folder = Path(tempfile.mkdtemp(prefix="kiln-kernels-"))
        libraries = self._compile(self._folder)
        if libraries:
            build_data["force_include"].update({str(path): f"{PLACE}/{path.name}" for path in libraries})
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was compiled: the wheel has its copy."""
        if self._folder is not None:
            shutil.rmtree(self._folder)

    def _compile(self, folder: Path) -> list[Path]:
        sys.path.insert(0, str(Path(self.root, "src")))
        # Neither needs anything that is not in the standard library.
        from kiln_engine.kernels.cpu.build import BuildError, compile_library, find_compiler
        from kiln_engine.kernels.cpu.levels import LEVELS, library_name

        compiler = find_compiler()
        if compiler is None:
            self.app.display_warning(
                "no C++ compiler (set CXX, or install g++): this wheel carries no compiled kernels"
            )
            return []
        paths = {level: folder / library_name(level) for level in LEVELS}
        with ThreadPoolExecutor() as pool:
            tasks = {level: pool.submit(compile_library, compiler, level.flags, paths[level]) for level in LEVELS}
        made = []
        for level, task in tasks.items():
            error = task.exception()
            if error is None:
                made.append(paths[level])
            elif isinstance(error, BuildError):
                self.app.display_warning(f"no kernels for {level.name} in this wheel: {error}")
            else:
                raise error
        return made
