from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiln_server.config_report import as_json, as_toml, literal, table
from kiln_server.resolution import resolve
from kiln_server.settings import Settings

SETTINGS = Settings(
    port=1,
    model='a "b"',
    cors_origins=("https://a", "https://b"),
    backend_options={"dtype": "bf16", "hf_token": "hunter2"},
    sources={"port": "--port", "backend_options": "kiln.toml"},
)


def test_the_table_has_a_line_a_setting() -> None:
    lines = table(SETTINGS).splitlines()
    assert lines[0].split() == ["setting", "value", "source"]
    assert len(lines) == 1 + len(SETTINGS.rows())
    assert ["port", "1", "--port"] in [line.split() for line in lines]
    assert any(line.split()[:2] == ["tls_certfile", "(unset)"] for line in lines)
    assert len({line.rindex("  ") for line in lines}) == 1  # columns are aligned


def test_json_has_value_and_source() -> None:
    found = json.loads(as_json(SETTINGS))
    assert found["port"] == {"value": 1, "source": "--port"}
    assert found["cors_origins"]["value"] == ["https://a", "https://b"]
    assert found["tls_certfile"] == {"value": None, "source": "default"}


@pytest.mark.parametrize("report", [table, as_json, as_toml])
def test_secrets_are_left_out(report: object) -> None:
    assert callable(report)
    assert "hunter2" not in report(SETTINGS)
    assert "(redacted)" in report(SETTINGS)


def test_toml_sets_the_same_again(tmp_path: Path) -> None:
    file = tmp_path / "again.toml"
    file.write_text(as_toml(SETTINGS), encoding="utf-8")
    again = resolve({}, {}, str(file))
    expected = {row.name: row.value for row in SETTINGS.rows()} | {"backend_options": {"dtype": "bf16"}}
    assert {row.name: row.value for row in again.rows()} == expected


def test_toml_does_not_set_what_is_redacted() -> None:
    assert "model" not in tomllib.loads(as_toml(Settings(model="http://me:hunter2@x")))


@given(st.text())
def test_any_text_is_toml(text: str) -> None:
    assert tomllib.loads(f"{literal('k')} = {literal(text)}") == {"k": text}
