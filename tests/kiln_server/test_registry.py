"""Discovery against real installed metadata: packages are laid out in a folder on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kiln_server import registry
from kiln_server.backend import BackendError
from kiln_server.backends.mock import MockBackend
from kiln_server.registry import RegistryError, backend_names, create_backend, load_backend


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def install(site: Path, package: str, backends: dict[str, str], code: str = "") -> None:
    """Lay out a package as an installer would; its module has the package's name."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in backends.items()]
    (info / "entry_points.txt").write_text("\n".join(["[kiln.backends]", *lines, ""]))
    (site / f"{package}.py").write_text(code)
    sys.modules.pop(package, None)


GOOD = """
from kiln_server.backends.mock import MockBackend
def create(options):
    return MockBackend(model_id=options.get("model", "third"))
"""


def test_built_in_backends_are_always_there() -> None:
    assert {"mock", "record", "replay"} <= set(backend_names())
    assert isinstance(create_backend("mock"), MockBackend)
    for name in ("mock", "record", "replay"):
        assert callable(load_backend(name))


def test_a_third_party_backend_is_found_and_made(site: Path) -> None:
    install(site, "kiln_third", {"third": "kiln_third:create"}, GOOD)
    assert "third" in backend_names()
    assert backend_names() == sorted(backend_names())
    assert create_backend("third").identity.served_model_id == "third"
    assert create_backend("third", {"model": "m"}).identity.served_model_id == "m"


def test_listing_imports_nothing(site: Path) -> None:
    install(site, "kiln_heavy", {"heavy": "kiln_heavy:create"}, "raise SystemExit('imported')")
    assert "heavy" in backend_names()


def test_an_unknown_name_comes_with_a_suggestion_and_the_choice() -> None:
    with pytest.raises(RegistryError, match=r"no backend 'mokc'; did you mean 'mock'\? Found: .*mock.*replay"):
        create_backend("mokc")
    with pytest.raises(RegistryError, match="no backend 'zzzz'; install its package"):
        create_backend("zzzz")


def test_import_trouble_names_the_package_and_the_cause(site: Path) -> None:
    install(site, "kiln_sad", {"sad": "kiln_sad:create", "lost": "kiln_sad:nothing"}, "import a_missing_module")
    with pytest.raises(RegistryError, match=r"'sad' \(kiln_sad:create of kiln_sad\).*No module named 'a_missing"):
        create_backend("sad")
    (site / "kiln_sad.py").write_text("create = 3")
    with pytest.raises(RegistryError, match=r"AttributeError: .*nothing"):
        create_backend("lost")
    with pytest.raises(RegistryError, match="is no function"):
        create_backend("sad")


def test_what_is_no_backend_is_told_what_it_lacks(site: Path) -> None:
    code = "class Half:\n    def start(self): ...\n    def generate(self): ...\ndef create(options): return Half()"
    install(site, "kiln_half", {"half": "kiln_half:create"}, code)
    with pytest.raises(RegistryError, match="'half' lacks close, score, spans, adapters, stats, description"):
        create_backend("half")


def test_options_are_the_backends_own_to_refuse() -> None:
    with pytest.raises(BackendError, match="no option 'x'"):
        create_backend("mock", {"x": "1"})


def test_a_name_that_two_packages_claim_is_refused(site: Path) -> None:
    install(site, "kiln_one", {"twin": "kiln_one:create"}, GOOD)
    install(site, "kiln_two", {"twin": "kiln_two:create", "mock": "kiln_two:create"}, GOOD)
    with pytest.raises(RegistryError, match=r"'twin' is offered by kiln_.*:create of kiln_.* and kiln_.*uninstall"):
        create_backend("twin")
    with pytest.raises(RegistryError, match=r"'mock' is offered by .*kiln_two:create of kiln_two"):
        create_backend("mock")


def test_the_same_entry_twice_is_no_conflict(site: Path) -> None:
    install(site, "kiln_copy", {"mock": registry._BUILT_IN["mock"]})
    assert isinstance(create_backend("mock"), MockBackend)
