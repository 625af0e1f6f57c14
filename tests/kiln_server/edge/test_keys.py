"""The file of API keys."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog

from kiln_server.edge.keys import KeyRing, load_keys
from kiln_server.settings import SettingsError


def load(folder: Path, text: str | bytes, mode: int = 0o600) -> KeyRing:
    file = folder / "keys"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    file.chmod(mode)
    return load_keys(str(file))


def problems(folder: Path, text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        load(folder, text)
    return caught.value.problems


def test_keys_comments_and_scopes(tmp_path: Path) -> None:
    ring = load(
        tmp_path, "# team keys\n\n  plain-key  # of Ann\nuse used-key\n\tadmin\troot-key # of Bob\n#admin off\n"
    )
    assert ring.access(b"plain-key") == "use"
    assert ring.access(b"used-key") == "use"
    assert ring.access(b"root-key") == "admin"
    for stranger in (b"", b"off", b"#", b"plain-key ", b"admin", b"use", b"of"):
        assert ring.access(stranger) is None


def test_a_hash_inside_a_key_is_part_of_it(tmp_path: Path) -> None:
    assert load(tmp_path, "a#b\n").access(b"a#b") == "use"


@pytest.mark.parametrize("text", ["\ufeffk1\r\nk2\r\n", "k1\nk2"])
def test_any_editors_line_ends_will_do(tmp_path: Path, text: str) -> None:
    ring = load(tmp_path, text)
    assert (ring.access(b"k1"), ring.access(b"k2")) == ("use", "use")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("k1\nroot k2\n", 2, "`use` or `admin`"),
        ("use k1 k2\n", 1, "`use` or `admin`"),
        ("admin\n", 1, "missing"),
        ("use # k\n", 1, "missing"),
        ("clé\n", 1, "ASCII"),
        ("k1\nadmin k1\n", 2, "twice"),
    ],
)
def test_a_bad_line_is_named_and_its_key_is_not(tmp_path: Path, text: str, line: int, reason: str) -> None:
    (problem,) = problems(tmp_path, text)
    assert f"line {line}:" in problem
    assert reason in problem
    assert "k1" not in problem
    assert "clé" not in problem


def test_every_bad_line_is_reported(tmp_path: Path) -> None:
    assert len(problems(tmp_path, "a b c\nadmin\nok\n")) == 2


@pytest.mark.parametrize("text", ["", "# nothing\n\n"])
def test_a_file_without_a_key_does_not_open_the_server(tmp_path: Path, text: str) -> None:
    assert "holds no key" in problems(tmp_path, text)[0]


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    assert "not UTF-8" in problems(tmp_path, b"\xff\xfe")[0]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        load_keys(str(tmp_path / "none"))


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True)])
def test_a_file_that_others_may_read_is_warned_of(tmp_path: Path, mode: int, warned: bool) -> None:
    with structlog.testing.capture_logs() as logs:
        load(tmp_path, "k1\n", mode)
    assert [entry["event"] for entry in logs] == ["keys_readable_by_others"] * warned
    assert "k1" not in str(logs)


def test_the_ring_does_not_hold_the_keys(tmp_path: Path) -> None:
    assert "plain-key" not in str(vars(load(tmp_path, "plain-key")))
