"""Compiling: once for each source, compiler and flags; a library appears whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kiln_engine.kernels.cpu import build
from kiln_engine.kernels.cpu.build import BuildError, cache_folder, cached_library, compile_library, find_compiler
from kiln_engine.kernels.cpu.library import Library, LibraryError

PLAIN = 'extern "C" int kiln_abi() { return 1; }\n'


@pytest.fixture
def compiler() -> list[str]:
    found = find_compiler()
    if found is None:
        pytest.skip("no C++ compiler")
    return found


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source folder of one short file."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "short.cpp").write_text(PLAIN)
    monkeypatch.setattr(build, "SOURCE", folder)
    return folder


def test_a_library_is_compiled_once_for_each_source_and_flags(
    compiler: list[str], source: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "cache"
    first = cached_library(compiler, (), kept)
    made = first.stat().st_mtime_ns
    assert cached_library(compiler, (), kept) == first
    assert first.stat().st_mtime_ns == made
    assert cached_library(compiler, ("-DOTHER",), kept) != first
    (source / "short.cpp").write_text(PLAIN + "int other;\n")
    assert cached_library(compiler, (), kept) != first


@pytest.mark.usefixtures("source")
def test_nothing_but_libraries_is_left(compiler: list[str], tmp_path: Path) -> None:
    compile_library(compiler, (), tmp_path / "cache" / "kiln.so")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["kiln.so"]


def test_what_does_not_compile_is_no_library(compiler: list[str], source: Path, tmp_path: Path) -> None:
    (source / "short.cpp").write_text("int unfinished(")
    with pytest.raises(BuildError, match=r"failed with 1: .*short\.cpp"):
        compile_library(compiler, (), tmp_path / "cache" / "kiln.so")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_compiler_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="did not run"):
        compile_library([str(tmp_path / "c++")], (), tmp_path / "kiln.so")


def test_which_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", "sh -x")
    assert find_compiler() == ["sh", "-x"]
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    assert find_compiler() is None
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler() is None
    own = tmp_path / "clang++"
    shutil.copy("/bin/true", own)
    assert find_compiler() == ["clang++"]


def test_where_libraries_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "kiln" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "kiln" / "kernels"


@pytest.mark.usefixtures("source")
def test_a_library_without_the_functions_is_refused(compiler: list[str], tmp_path: Path) -> None:
    path = tmp_path / "kiln.so"
    compile_library(compiler, (), path)
    with pytest.raises(LibraryError, match="kiln_abi"):
        Library(path)
